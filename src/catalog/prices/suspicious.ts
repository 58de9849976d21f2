/** Prices that look wrong, for `byway catalog check --prices`: `docs/catalog.md#prices-that-look-wrong`. */
import { compareDecimals } from '../../base/money.js';
import { endpointNames } from '../assembled/assemble.js';
import type { CatalogFile, EndpointInput, ModelInput } from '../input/catalog-file.js';
import { isFree, sortingPrice } from '../price.js';
import { PRICE_KEYS, type PriceKey, type PriceMode, type Pricing, type Provider } from '../types.js';
import { oddCachePrices } from './cache-rules.js';
import { geographyFactor, isBound, priceInGeography } from './geographies.js';
import { comparePrices, multiplyPrice } from './price-text.js';

/** Prices in USD, decimal texts; null = none. */
export interface PriceFinding {
  readonly model: string;
  readonly provider: string;
  readonly endpoint: string;
  /** `prompt`, `overrides[0].prompt`, `price_modes[1].multiplier`. */
  readonly key: string;
  readonly expected: string | null;
  readonly found: string | null;
  /** Why it is right all the same; null = nobody says. */
  readonly note: string | null;
}

/** An endpoint that costs something, under the prices that count. */
interface Priced {
  readonly id: string;
  readonly endpoint: EndpointInput;
  readonly pricing: Pricing;
  readonly modes: readonly PriceMode[];
}

type Odd = Pick<PriceFinding, 'key' | 'expected' | 'found'>;

/** The findings in a validated file, in the order of its models and endpoints. */
export function suspiciousPrices(file: CatalogFile): PriceFinding[] {
  const providers = new Map(file.providers.map((provider) => [provider.slug, provider]));
  return file.models.flatMap((model) => {
    const all = pricedEndpoints(model, providers);
    return all.flatMap((one) => {
      const peers = all.filter((other) => isPeer(one.endpoint, other.endpoint));
      return findingsOf(model.id, one, [...beside(model.id, one, peers), ...alone(model.id, one)]);
    });
  });
}

function pricedEndpoints(model: ModelInput, providers: ReadonlyMap<string, Provider>): Priced[] {
  const names = endpointNames(model);
  return model.endpoints.flatMap((endpoint, index) => {
    const pricing = endpoint.isUnpriced ? null : (endpoint.pricing ?? model.pricing);
    if (pricing === null || isFree(pricing)) return [];
    const modes = endpoint.priceModes ?? providers.get(endpoint.provider)?.priceModes ?? [];
    return [{ id: names[index] ?? '', endpoint, pricing, modes }];
  });
}

/** What is computed with fewer bits is another product. */
function isPeer(one: EndpointInput, other: EndpointInput): boolean {
  return one.provider === other.provider && one.quantization === other.quantization;
}

/** Each key once, as it is found first. */
function findingsOf(model: string, { id, endpoint }: Priced, odd: readonly Odd[]): PriceFinding[] {
  const byKey = new Map(odd.toReversed().map((one) => [one.key, one]));
  return [...byKey.values()].toReversed().map(({ key, expected, found }) => {
    const { provider, priceNotes = {} } = endpoint;
    const note = Object.hasOwn(priceNotes, key) ? (priceNotes[key] ?? null) : null;
    return { model, provider, endpoint: id, key, expected, found, note };
  });
}

/** What differs from the same model elsewhere at the provider, but for the rule that its maker has for places. */
function beside(modelId: string, one: Priced, peers: readonly Priced[]): Odd[] {
  const reference = peers.find(({ endpoint }) => !isBound(endpoint) && endpoint.region !== null);
  const norm = reference ?? peers.find(({ endpoint }) => !isBound(endpoint)) ?? usual(peers);
  if (norm === undefined || norm === one) return [];
  const moves = isBound(one.endpoint) && !isBound(norm.endpoint);
  const factor = moves ? geographyFactor(one.endpoint.provider, modelId) : null;
  const overrides = norm.pricing.overrides.flatMap((expected, index) => {
    const found = one.pricing.overrides.find((other) => condition(other) === condition(expected));
    return differences(expected.prices, found?.prices ?? {}, factor, `overrides[${index}].`);
  });
  const known = new Set(norm.pricing.overrides.map(condition));
  const more = one.pricing.overrides.flatMap((found, index) =>
    known.has(condition(found)) ? [] : differences({}, found.prices, null, `overrides[${index}].`),
  );
  return [...differences(norm.pricing.prices, one.pricing.prices, factor, ''), ...overrides, ...more];
}

function condition({ minPromptTokens, utcStart, utcEnd, utcDays }: Pricing['overrides'][number]): string {
  return JSON.stringify([minPromptTokens, utcStart, utcEnd, utcDays]);
}

/** The one whose prices most have; of several the cheapest. */
function usual(peers: readonly Priced[]): Priced | undefined {
  const counts = new Map<string, number>();
  for (const { pricing } of peers) counts.set(keyOf(pricing), (counts.get(keyOf(pricing)) ?? 0) + 1);
  const byUse = (a: Priced, b: Priced) =>
    (counts.get(keyOf(b.pricing)) ?? 0) - (counts.get(keyOf(a.pricing)) ?? 0) ||
    compareDecimals(sortingPrice(a.pricing), sortingPrice(b.pricing));
  return peers.toSorted(byUse)[0];
}

function keyOf({ prices }: Pricing): string {
  return JSON.stringify(PRICE_KEYS.map((key) => prices[key] ?? null));
}

type Prices = Partial<Record<PriceKey, string>>;

function differences(norm: Prices, own: Prices, factor: string | null, prefix: string): Odd[] {
  return PRICE_KEYS.flatMap((key) => {
    const price = norm[key];
    const expected = price === undefined ? null : priceInGeography(key, price, factor);
    const found = own[key] ?? null;
    return isSame(expected, found) ? [] : [{ key: prefix + key, expected, found }];
  });
}

/** What is odd by itself: caches, modes and long prompts. */
function alone(modelId: string, { endpoint, pricing, modes }: Priced): Odd[] {
  // What an override or a mode does not name stays as it was.
  const caches = (prices: Prices, prefix: string) =>
    oddCachePrices(endpoint.provider, modelId, { ...pricing.prices, ...prices })
      .filter(({ key }) => prices[key] !== undefined)
      .map((odd) => ({ ...odd, key: prefix + odd.key }));
  return [
    ...caches(pricing.prices, ''),
    ...pricing.overrides.flatMap(({ prices, minPromptTokens }, index) => {
      const prefix = `overrides[${index}].`;
      const isOfLength = minPromptTokens !== null;
      return [...caches(prices, prefix), ...(isOfLength ? below(pricing.prices, prices, prefix) : [])];
    }),
    ...modes.flatMap((mode, index) => {
      const prefix = `price_modes[${index}].`;
      // A multiplier leaves their ratio to the prompt as it is.
      return [...modeFindings(pricing.prices, mode, prefix), ...caches(mode.prices, prefix)];
    }),
  ];
}

/** Words of modes that nowhere cost more than the base, and such that nowhere cost less. */
const CHEAP: ReadonlySet<string> = new Set(['flex', 'batch']);
const DEAR: ReadonlySet<string> = new Set(['priority', 'fast']);

function modeFindings(base: Prices, mode: PriceMode, prefix: string): Odd[] {
  if (mode.minPromptTokens !== null) return [];
  const words = Object.values(mode.words);
  const isCheap = mode.isBatch || words.some((word) => CHEAP.has(word));
  const isDear = words.some((word) => DEAR.has(word));
  if (isCheap === isDear) return [];
  const { multiplier, prices } = mode;
  const isOdd = (found: string, than: string) => (isDear ? isLess(found, than) : isLess(than, found));
  const replaced = COMPARED.flatMap((key) => {
    const [found, expected] = [prices[key], base[key]];
    if (found === undefined || expected === undefined) return [];
    const isOddAtLast = isOdd(multiplier === null ? found : multiplyPrice(found, multiplier), expected);
    return isOddAtLast ? [{ key: prefix + key, expected, found }] : [];
  });
  // Of prices that the mode replaces, what counts is what they come to.
  const isOfBase = COMPARED.some((key) => base[key] !== undefined && prices[key] === undefined);
  const times =
    multiplier !== null && isOfBase && isOdd(multiplier, '1')
      ? [{ key: `${prefix}multiplier`, expected: '1', found: multiplier }]
      : [];
  return [...times, ...replaced];
}

const COMPARED = ['prompt', 'completion'] as const;

/** Long prompts are nowhere cheaper. */
function below(base: Prices, own: Prices, prefix: string): Odd[] {
  return COMPARED.flatMap((key) => {
    const [found, expected] = [own[key], base[key]];
    return found !== undefined && expected !== undefined && isLess(found, expected)
      ? [{ key: prefix + key, expected, found }]
      : [];
  });
}

function isSame(a: string | null, b: string | null): boolean {
  return a === null || b === null ? a === b : comparePrices(a, b) === 0;
}

function isLess(a: string, b: string): boolean {
  return comparePrices(a, b) < 0;
}
