/**
 * How many tokens a prompt may have, without a tokenizer. A reservation must not be too small (interface section 5,
 * "prompt tokens counted high"); a plan must not exclude an endpoint that the prompt fits (interface section 6,
 * `context_length`); what a provider does not count is metered as it most likely is.
 */
import type { ChatBody } from './used-parameters.js';

/** Two bounds and what lies between them, in tokens. */
export interface PromptTokens {
  readonly low: number;
  readonly likely: number;
  readonly high: number;
}

/** Members of a request that become part of the prompt; `functions` is the older name of tools. */
const PROMPT_MEMBERS = ['messages', 'tools', 'functions', 'response_format', 'prediction'] as const;

/** Parts of a message whose size in tokens has nothing to do with the length of their text. */
const MEDIA_TYPES: ReadonlySet<unknown> = new Set(['image_url', 'input_audio', 'file', 'video_url']);

/** What usual text packs into a token. */
export const CHARACTERS_PER_TOKEN = 4;
/** Hardly any text packs more characters into a token on average; usual ones have 2 to 5. */
const CHARACTERS_PER_TOKEN_LOW = 6;
/** What the framing of each object, list and scalar costs at most. */
const FRAMING_TOKENS_HIGH = 8;
/** What an image, or media behind a link, costs at most with nearly all models. */
const MEDIA_TOKENS_HIGH = 10_000;
/**
 * Inline images and audio have at most one token in this many characters of base64; of files and videos `extentOf`
 * says more.
 */
const INLINE_MEDIA_CHARACTERS_PER_TOKEN = 8;

/**
 * Estimates the prompt of a chat request. High: each byte of text is a token, which no byte-level tokenizer exceeds,
 * plus framing, plus a generous flat amount for each piece of media. Likely and low: four and six characters of text are
 * a token, and media are none. Walks without recursion, so depth is no matter.
 */
export function estimatePromptTokens(body: ChatBody): PromptTokens {
  let characters = 0;
  let high = 0;
  const pending: unknown[] = PROMPT_MEMBERS.map((name) => body[name]);
  while (pending.length > 0) {
    const value = pending.pop();
    if (value === undefined) continue;
    if (typeof value === 'string') {
      characters += value.length;
      high += bytesOf(value);
    } else if (isMedia(value)) {
      high += mediaTokensHigh(value);
    } else {
      high += FRAMING_TOKENS_HIGH + namesHigh(value);
      addChildren(value, pending);
    }
  }
  return {
    low: Math.floor(characters / CHARACTERS_PER_TOKEN_LOW),
    likely: Math.ceil(characters / CHARACTERS_PER_TOKEN),
    high,
  };
}

function isMedia(value: unknown): value is object {
  return isObject(value) && 'type' in value && MEDIA_TYPES.has(value.type);
}

function mediaTokensHigh(part: object): number {
  let characters = 0;
  const pending: unknown[] = [part];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === 'string') characters += value.length;
    else addChildren(value, pending);
  }
  return Math.max(MEDIA_TOKENS_HIGH, Math.ceil(characters / INLINE_MEDIA_CHARACTERS_PER_TOKEN));
}

/** What the names of an object's members cost; elements of a list have none. */
function namesHigh(value: unknown): number {
  if (!isObject(value) || Array.isArray(value)) return 0;
  let high = 0;
  for (const name of Object.keys(value)) high += bytesOf(name);
  return high;
}

/** Puts the members of an object, or the elements of a list, behind what is pending. */
function addChildren(value: unknown, pending: unknown[]): void {
  if (!isObject(value)) return;
  for (const child of Array.isArray(value) ? value : Object.values(value)) pending.push(child);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Up to this length a text is counted faster here than by a call into the runtime. */
const SHORT_TEXT = 32;

/** The length in UTF-8. */
function bytesOf(text: string): number {
  const { length } = text;
  if (length > SHORT_TEXT) return Buffer.byteLength(text);
  for (let index = 0; index < length; index++) {
    if (text.charCodeAt(index) > 0x7f) return Buffer.byteLength(text);
  }
  return length;
}
