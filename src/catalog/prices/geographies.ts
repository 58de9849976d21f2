/** What models cost in one place, of what they cost anywhere: `docs/catalog.md#prices-that-lists-lack`, with sources. */
import { formatDecimal, multiplyDecimals, parseDecimal } from '../../base/money.js';
import type { EndpointInput, ModelInput } from '../input/catalog-file.js';
import { type PriceKey, type Pricing, TOKEN_PRICE_KEYS } from '../types.js';

interface GeographyRule {
  readonly provider: string;
  /** Of ids in the catalogue. */
  readonly models: RegExp;
  readonly factor: string;
}

/** Since Sonnet 4.5; models with one version number are newer. */
const RULES: readonly GeographyRule[] = ['amazon-bedrock', 'google-vertex'].map((provider) => ({
  provider,
  models: /^anthropic\/claude-(?:[a-z]+-4\.[5-9]|[a-z]+-[5-9])/,
  factor: '1.1',
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
  const [base, times] = [parseDecimal(price), parseDecimal(factor ?? '')];
  if (!PER_TOKEN.has(key) || base === undefined || times === undefined) return price;
  return formatDecimal(multiplyDecimals(base, times));
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
