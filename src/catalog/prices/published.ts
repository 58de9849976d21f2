/** Prices that makers publish and public lists lack: `docs/catalog.md#prices-that-lists-lack`, with their sources. */
import { formatDecimal, parseDecimal } from '../../base/money.js';
import type { PriceKey, PriceMode, Pricing } from '../types.js';
import { withCacheWrites } from './cache-rules.js';
import { isClaudeOfItsMaker } from './claude-hosts.js';
import { corrected, perToken } from './corrections.js';
import { withPublishedModes } from './published-modes.js';

type Prices = Readonly<Partial<Record<PriceKey, string>>>;

/** What makers publish of models at some providers. Patterns are of ids in the catalogue. */
interface Published {
  readonly model: RegExp;
  readonly providers: readonly string[];
  readonly prices: Prices;
}

const GOOGLE = ['google-ai-studio', 'google-vertex'];
const OPENAI = ['openai', 'azure'];

/** Models that answer with text and images, which have one price of answers in lists: that of images, or that of text. */
const IMAGE_MODELS: readonly Published[] = [
  imageModel(/^google\/gemini-2\.5-flash-image/, GOOGLE, { text: '2.5', image: '30' }),
  imageModel(/^google\/gemini-3-pro-image/, GOOGLE, { text: '12', image: '120' }),
  imageModel(/^google\/gemini-3\.1-flash-image/, GOOGLE, { text: '3', image: '60' }),
  imageModel(/^google\/gemini-3\.1-flash-lite-image/, GOOGLE, { text: '1.5', image: '30' }),
  imageModel(/^openai\/gpt-image-1\.5/, OPENAI, { text: '10', image: '32', imageInput: '8' }),
];

/** The first row that fits counts. Google's own searches are sent, and told, by Vertex AI alone. */
const SEARCHES: readonly Published[] = [
  search(/^anthropic\/claude-/, ['anthropic', 'google-vertex'], '0.01'),
  search(/^openai\/gpt-4o(?:-mini)?-search-preview/, ['openai'], '0.025'),
  search(/^openai\/.*-search-api/, ['openai'], '0.01'),
  search(/^openai\/o\d(?:-mini)?-deep-research/, OPENAI, '0.01'),
  search(/^google\/gemini-[12](?![0-9])/, ['google-vertex'], '0.035'),
  search(/^google\/gemini-3(?![0-9])/, ['google-vertex'], '0.014'),
  search(/^x-ai\/grok-/, ['xai'], '0.005'),
  search(/^perplexity\/sonar-deep-research/, ['perplexity'], '0.005'),
  search(/^perplexity\/sonar(?:-reasoning)?$/, ['perplexity'], '0.005', { medium: '0.008', high: '0.012' }),
  search(/^perplexity\/sonar-(?:reasoning-)?pro$/, ['perplexity'], '0.006', {
    medium: '0.01',
    high: '0.014',
  }),
];

/** What is heard. */
const HEARING: readonly Published[] = [
  { model: /^google\/gemini-2\.5-flash$/, providers: ['google-vertex'], prices: { audio: perToken('1') } },
];

/** With what the maker of the model publishes; what is priced already stays, but for what is known to be wrong. */
export function withPublishedPrices(modelId: string, provider: string, listed: Pricing): Pricing {
  const pricing = withCacheWrites(modelId, provider, corrected(modelId, provider, listed));
  const of = (rows: readonly Published[]) =>
    rows.find(({ model, providers }) => providers.includes(provider) && model.test(modelId))?.prices;
  const caches = isClaudeOfItsMaker(modelId, provider);
  const [image, others] = [of(IMAGE_MODELS), { ...of(SEARCHES), ...of(HEARING) }];
  if (!caches && image === undefined && Object.keys(others).length === 0) return pricing;
  const prices = { ...others, ...withImages(pricing.prices, image) };
  if (!caches) return { ...pricing, prices };
  return {
    ...pricing,
    prices: withHourlyCache(prices),
    overrides: pricing.overrides.map((one) => ({ ...one, prices: withHourlyCache(one.prices) })),
  };
}

/** The same for modes. */
export function withModePrices(
  modelId: string,
  provider: string,
  modes: readonly PriceMode[],
  pricing: Pricing,
): readonly PriceMode[] {
  const listed = isClaudeOfItsMaker(modelId, provider)
    ? modes.map((one) => ({ ...one, prices: withHourlyCache(one.prices) }))
    : modes;
  return withPublishedModes(modelId, provider, listed, pricing);
}

/** A list's one price of answers becomes that of text where it is that of images. */
function withImages(listed: Pricing['prices'], published: Prices | undefined): Pricing['prices'] {
  if (published?.image_output_token === undefined) return listed;
  const isOfImages =
    listed.completion === published.image_output_token && listed.image_output_token === undefined;
  return {
    ...published,
    ...listed,
    completion: (isOfImages ? published.completion : undefined) ?? listed.completion,
  };
}

/** A write for an hour costs twice the input, where writes have a price. */
function withHourlyCache<P extends Prices>(prices: P): P {
  const { prompt, input_cache_write, input_cache_write_1h } = prices;
  if (prompt === undefined || input_cache_write === undefined || input_cache_write_1h !== undefined)
    return prices;
  const decimal = parseDecimal(prompt);
  if (decimal === undefined) return prices;
  return { ...prices, input_cache_write_1h: formatDecimal({ ...decimal, digits: 2n * decimal.digits }) };
}

/** Prices in USD per million tokens, of answers but for `imageInput`. */
interface ImagePrices {
  readonly text: string;
  readonly image: string;
  readonly imageInput?: string;
}

function imageModel(
  model: RegExp,
  providers: readonly string[],
  { text, image, imageInput }: ImagePrices,
): Published {
  const prices = {
    completion: perToken(text),
    image_output_token: perToken(image),
    ...(imageInput !== undefined && { image_token: perToken(imageInput) }),
  };
  return { model, providers, prices };
}

function search(
  model: RegExp,
  providers: readonly string[],
  each: string,
  bySize?: { readonly medium: string; readonly high: string },
): Published {
  const sizes = bySize && { web_search_medium: bySize.medium, web_search_high: bySize.high };
  return { model, providers, prices: { web_search: each, ...sizes } };
}
