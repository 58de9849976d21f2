/** How many tokens an image may be, by the model. Sources, dates and examples: `docs/providers/images.md`. */
import type { Endpoint } from '../../catalog/types.js';
import type { ImageSize } from '../../formats/image-size.js';
import type { PromptImage } from './prompt-images.js';

/** Of a model that is served by this endpoint. */
type OfModel = Pick<Endpoint, 'modelId' | 'upstreamModelId'>;

/** The most tokens that hosts of a family count for an image. */
type Count = (size: ImageSize | null, detail: unknown) => number;

/** What is added where a source says `approximately`, or does not name each model. */
const MARGIN = 1.1;

/** Beyond it no family is known to go, but the first of the table. */
const MAX_TOKENS = 16_384;

/** By the model's id in the catalogue; the first that fits. null: sources disagree. */
const FAMILIES: readonly (readonly [models: RegExp, count: Count | null])[] = [
  [/^openai\/gpt-4o-mini/, tiles(2_833, 5_667)],
  [/^openai\/(?:chatgpt-4o|gpt-4o|gpt-4-turbo|gpt-4\.5)/, tiles(85, 170)],
  [/^openai\/gpt-4\.1-mini/, patches(1_536, 1.62)],
  [/^openai\/gpt-4\.1-nano/, patches(1_536, 2.46)],
  [/^openai\/gpt-4\.1(?!\d)/, larger(tiles(85, 170), patches(1_536, 1))],
  [/^openai\/(?:o4-mini|codex-mini)/, patches(1_536, 1.72)],
  [/^openai\/o[13](?!-mini|\d)/, tiles(75, 150)],
  [/^openai\/gpt-5-nano/, patches(1_536, 2.46)],
  [/^openai\/gpt-5(?:\.[123])?(?![.\d]|-image)/, larger(tiles(85, 170), patches(1_536, 1.62))],
  [/^openai\/gpt-5\.4-(?:mini|nano)/, null],
  [/^openai\/gpt-5\.[45](?!\d)/, openAiOriginal],
  [
    /^anthropic\/claude-(?:3(?!\d)|haiku-4[.-]5(?!\d)|(?:opus|sonnet)-4(?:[.-][0156](?!\d)|-20\d{6}|(?![.\d-])))/,
    claude(1_600),
  ],
  [/^anthropic\/claude-/, claude(4_784)],
  [/^google\/gemini-(?:1\.5|2\.[05])-/, geminiTiles],
  [/^google\/gemini-3[.-]/, flat(2_240)],
  [/^qwen\/(?:qwen-vl|qwen2\.5-vl|qwen2\.5-7b-vision|qwen3-vl|qwen3\.[567]-|qvq)/, qwen],
  [/^mistralai\/pixtral/, mistral(16, 1_024)],
  [
    /^mistralai\/(?:mistral-(?:small|medium)-25\d\d|mistral-large-2512|magistral-small-2509|ministral-3-|devstral-small-2512)/,
    mistral(28, 1_540),
  ],
  [/^meta-llama\/llama-4-/, flat(17 * 144)],
  [/^meta-llama\/llama-3\.2-\d+b-vision/, flat(4 * 1_601)],
  [/^x-ai\/grok-/, flat(1_792)],
];

/** What an operator may serve under another id, and is dearer than what counts for a model that is not known. */
const DEAR = /gpt-4o-mini/;
const DEAR_ID = 'openai/gpt-4o-mini';

/** Images of a prompt whose size is read: as many as Claude takes in a request. */
const MAX_SIZES = 600;

/** By how much the images count more at this endpoint than where nothing is known of the model; mostly less than 0. */
export function moreImageTokens(images: readonly PromptImage[], endpoint: OfModel): number {
  if (images.length === 0) return 0;
  const count = countOf(endpoint);
  if (count === null) return 0;
  return images.reduce(
    (sum, { size, detail, tokens }, index) => sum + count(index < MAX_SIZES ? size() : null, detail) - tokens,
    0,
  );
}

const counts = new WeakMap<OfModel, Count | null>();

function countOf(endpoint: OfModel): Count | null {
  const known = counts.get(endpoint);
  if (known !== undefined) return known;
  const { modelId, upstreamModelId } = endpoint;
  const id = DEAR.test(upstreamModelId) ? DEAR_ID : modelId;
  const count = FAMILIES.find(([models]) => models.test(id))?.[1] ?? null;
  counts.set(endpoint, count);
  return count;
}

/** Squares of 512 px, of an image whose shorter side is 768 px and whose longer one is at most 2,048 px. */
function tiles(base: number, perTile: number): Count {
  return (size, detail) => {
    if (detail === 'low') return base;
    const along = size === null ? 4 : Math.min(4, Math.ceil((768 / 512) * aspectOf(size)));
    return base + perTile * 2 * along;
  };
}

/** Squares of 32 px, of an image that is made smaller until it has at most so many. */
function patches(most: number, multiplier: number): Count {
  return (size) => Math.ceil(Math.min(most, size === null ? most : squares(size, 32)) * multiplier);
}

/** Models that take images in their original size, unless another is asked for. */
function openAiOriginal(size: ImageSize | null, detail: unknown): number {
  return (detail === 'high' ? ORIGINAL_HIGH : ORIGINAL)(size, detail);
}
const ORIGINAL = patches(10_000, 1.2);
const ORIGINAL_HIGH = patches(2_500, 1.2);

/** Both of Anthropic's formulas: a token per 750 pixels, and one per square of 28 px. */
function claude(most: number): Count {
  return (size) => {
    const tokens = size === null ? most : Math.max((size.width * size.height) / 750, squares(size, 28));
    return Math.ceil(Math.min(most, tokens) * MARGIN);
  };
}

/** Up to so many pixels at either side an image is not divided. */
const GEMINI_SMALL = 384;

/** Both of Google's formulas: squares of 768 px, and crops of two thirds of the shorter side. */
function geminiTiles(size: ImageSize | null): number {
  if (size === null) return MAX_TOKENS;
  if (Math.max(size.width, size.height) <= GEMINI_SMALL) return 258;
  const crop = Math.max(1, Math.floor(Math.min(size.width, size.height) / 1.5));
  return Math.min(MAX_TOKENS, 258 * Math.max(squares(size, 768), squares(size, crop)));
}

/** The least that some hosts make of a small image, by enlarging it. */
const QWEN_LEAST = 1_024;

/** Squares of 28 px (of 32 px since Qwen3), and a mark at either end. */
function qwen(size: ImageSize | null): number {
  if (size === null) return MAX_TOKENS;
  return Math.min(MAX_TOKENS, Math.max(QWEN_LEAST, squares(size, 28))) + 2;
}

/** Squares, of an image whose longer side has at most so many pixels, and a mark after each row. */
function mistral(square: number, longest: number): Count {
  return (size) => {
    const shrink = size === null ? 1 : Math.max(1, size.width / longest, size.height / longest);
    const sideOf = (pixels: number) => Math.ceil(Math.min(longest, Math.ceil(pixels / shrink)) / square);
    const [width, height] = [sideOf(size?.width ?? longest), sideOf(size?.height ?? longest)];
    // An image may be turned by its metadata.
    return width * height + Math.max(width, height);
  };
}

function flat(tokens: number): Count {
  const most = Math.ceil(tokens * MARGIN);
  return () => most;
}

function larger(one: Count, other: Count): Count {
  // What `detail` does is not known where it is not known which of the two counts.
  return (size) => Math.max(one(size, null), other(size, null));
}

function squares({ width, height }: ImageSize, side: number): number {
  return Math.ceil(width / side) * Math.ceil(height / side);
}

function aspectOf({ width, height }: ImageSize): number {
  return Math.max(width, height) / Math.min(width, height);
}
