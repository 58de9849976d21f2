/** What models cost in one place, of what they cost anywhere: `docs/catalog.md#prices-that-lists-lack`, with sources. */
import type { EndpointInput, ModelInput } from '../input/catalog-file.js';
import {
  type Endpoint,
  type PriceKey,
  type PriceMode,
  type Pricing,
  type Provider,
  TOKEN_PRICE_KEYS,
} from '../types.js';
import { multiplyPrice } from './price-text.js';

interface GeographyRule {
  readonly provider: string;
  /** Of ids in the catalogue. */
  readonly models: RegExp;
  readonly factor: string;
}

/** Claude whose price depends on the place: since Sonnet 4.5; models with one version number are newer. */
export const PLACED_CLAUDE = /^anthropic\/claude-(?:[a-z]+-4\.[5-9]|[a-z]+-[5-9])/;

/** What it costs in one place, of what it costs anywhere. */
export const PLACED_CLAUDE_FACTOR = '1.1';

const RULES: readonly GeographyRule[] = ['amazon-bedrock', 'google-vertex'].map((provider) => ({
  provider,
  models: PLACED_CLAUDE,
  factor: PLACED_CLAUDE_FACTOR,
}));

/** The region that stands for anywhere. */
const ANYWHERE = 'global';

const PER_TOKEN: ReadonlySet<string> = new Set(TOKEN_PRICE_KEYS);

type Located = Pick<EndpointInput, 'provider' | 'region'>;

/** Whether requests stay in one geography or region. At Bedrock an id without a prefix is called in one region. */
export function isBound({ provider, region }: Located): boolean {
  return region === null ? provider === 'amazon-bedrock' : region !== ANYWHERE;
}

/** By what a model's prices anywhere are multiplied in one place; null = no rule is published. */
export function geographyFactor(provider: string, modelId: string): string | null {
  return RULES.find((rule) => rule.provider === provider && rule.models.test(modelId))?.factor ?? null;
}

/** The price of one place, exactly. */
export function priceInGeography(key: PriceKey, price: string, factor: string | null): string {
  return factor === null || !PER_TOKEN.has(key) ? price : multiplyPrice(price, factor);
}

/** With the prices of places as their maker has them, of endpoints that stand beside one that is called anywhere. */
export function withGeographyPrices(model: ModelInput): ModelInput {
  if (!RULES.some(({ models }) => models.test(model.id))) return model;
  const endpoints = model.endpoints.map((endpoint) => {
    const factor = geographyFactor(endpoint.provider, model.id);
    const anywhere = model.endpoints.find((one) => one.provider === endpoint.provider && !isBound(one));
    if (factor === null || !isBound(endpoint) || !anywhere?.pricing) return endpoint;
    return { ...endpoint, pricing: pricingInGeography(anywhere.pricing, factor) };
  });
  return { ...model, endpoints };
}

function pricingInGeography(pricing: Pricing, factor: string): Pricing {
  return {
    ...pricing,
    prices: pricesInGeography(pricing.prices, factor),
    overrides: pricing.overrides.map((one) => ({ ...one, prices: pricesInGeography(one.prices, factor) })),
  };
}

function pricesInGeography<P extends Partial<Record<PriceKey, string>>>(prices: P, factor: string): P {
  const located = Object.entries(prices).map(([key, price]) => [
    key,
    typeof price === 'string' ? priceInGeography(key as PriceKey, price, factor) : price,
  ]);
  // The same keys.
  return Object.fromEntries(located) as P;
}

/** The `inference_geo` of an entry of `price_modes` for calls that a credential keeps in a region: `docs/catalog.md#price-modes`. */
export const REGIONAL = 'regional';

const regional = new WeakMap<Endpoint, Endpoint>();

/**
 * The endpoint at the prices of where it is called; the same one where these are its own. Vertex AI calls the region of the
 * credential at endpoints that name none.
 */
export function calledIn(
  endpoint: Endpoint,
  { adapter }: Pick<Provider, 'adapter'>,
  region: string | null,
): Endpoint {
  if (adapter !== 'google-vertex' || endpoint.region !== null || region === null || region === ANYWHERE)
    return endpoint;
  const mode = endpoint.pricing.modes?.find(isRegional);
  if (mode === undefined) return endpoint;
  let located = regional.get(endpoint);
  if (located === undefined) {
    located = { ...endpoint, pricing: pricingInMode(endpoint.pricing, mode) };
    regional.set(endpoint, located);
  }
  return located;
}

function isRegional({ words, isBatch }: PriceMode): boolean {
  return words.inference_geo === REGIONAL && Object.keys(words).length === 1 && !isBatch;
}

function pricingInMode(pricing: Pricing, mode: PriceMode): Pricing {
  const { multiplier, prices } = mode;
  const { modes = [], ...base } = pricing;
  const replaced = {
    ...base,
    prices: { ...base.prices, ...prices },
    overrides: base.overrides.map((one) => ({ ...one, prices: replacedIn(one.prices, prices) })),
  };
  const others = modes.filter((one) => one !== mode);
  const priced = multiplier === null ? replaced : pricingInGeography(replaced, multiplier);
  if (others.length === 0) return priced;
  const located = (one: PriceMode) =>
    multiplier === null ? one : { ...one, prices: pricesInGeography(one.prices, multiplier) };
  return { ...priced, modes: others.map(located) };
}

/** What the override names, at the mode's price where it has one. */
function replacedIn<P extends Partial<Record<PriceKey, string>>>(own: P, prices: PriceMode['prices']): P {
  const named = Object.entries(prices).filter(([key]) => Object.hasOwn(own, key));
  return { ...own, ...Object.fromEntries(named) };
}
