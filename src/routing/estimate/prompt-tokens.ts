/**
 * How many tokens a prompt may have, without a tokenizer, and how many pieces of media it contains. A reservation uses
 * the high estimate, so that it is never too small; a plan the low one, so that it excludes no endpoint that the prompt
 * fits (`context_length`); metering the likely one where the provider sends no count.
 */
import { isSealedDetail } from '../../formats/marks.js';
import type { ChatBody } from './used-parameters.js';

/** Lower bound, best guess and upper bound, in tokens. */
export interface PromptTokens {
  readonly low: number;
  readonly likely: number;
  readonly high: number;
}

/** The average of ordinary text. */
export const CHARACTERS_PER_TOKEN = 4;

/** Hardly any text has more characters per token on average; most have 2 to 5. */
const CHARACTERS_PER_TOKEN_LOW = 6;

/** The members of a request that become part of the prompt; `functions` is the older name of `tools`. */
const PROMPT_MEMBERS = ['messages', 'tools', 'functions', 'response_format', 'prediction'] as const;

/** At most this many tokens frame each object, list and scalar. */
const FRAMING_TOKENS_HIGH = 8;

/**
 * Estimates the prompt of a chat request. High: one token per byte of text, which no byte-level tokenizer exceeds, plus
 * framing, plus a generous flat amount for each piece of media. Likely and low: one token per four and six characters
 * of text, none for media. Iterative, so that deeply nested bodies can't overflow the stack.
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
    } else if (isObject(value) && isSealedDetail(value)) {
      // What it carries may be as much, or be dropped.
      const { mark, ...others } = value;
      high += mark.length;
      pending.push(others);
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

/** The number of content parts of each kind of media. */
export interface MediaCount {
  readonly images: number;
  readonly audio: number;
  /** Documents, other files and videos. */
  readonly files: number;
}

export function countMedia({ messages }: ChatBody): MediaCount {
  let images = 0;
  let audio = 0;
  let files = 0;
  for (const message of listOf(messages)) {
    for (const part of listOf(member(message, 'content'))) {
      const type = member(part, 'type');
      if (type === 'image_url') images += 1;
      else if (type === 'input_audio') audio += 1;
      else if (type === 'file' || type === 'video_url') files += 1;
    }
  }
  return { images, audio, files };
}

/** Content parts whose size in tokens does not follow from the length of their text. */
const MEDIA_TYPES: ReadonlySet<unknown> = new Set(['image_url', 'input_audio', 'file', 'video_url']);

function isMedia(value: unknown): value is object {
  return isObject(value) && 'type' in value && MEDIA_TYPES.has(value.type);
}

/** The upper bound of nearly all models for an image, or for media behind a link. */
const MEDIA_TOKENS_HIGH = 10_000;

/** Inline images and audio have at most one token in this many characters of base64; for files see `maxUsageOf`. */
const INLINE_MEDIA_CHARACTERS_PER_TOKEN = 8;

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

/** Tokens of the names of an object's members; elements of a list have no names. */
function namesHigh(value: unknown): number {
  if (!isObject(value) || Array.isArray(value)) return 0;
  let high = 0;
  for (const name of Object.keys(value)) high += bytesOf(name);
  return high;
}

/** Appends the members of an object, or the elements of a list, to `pending`. */
function addChildren(value: unknown, pending: unknown[]): void {
  if (!isObject(value)) return;
  for (const child of Array.isArray(value) ? value : Object.values(value)) pending.push(child);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Up to this length, counting here is faster than `Buffer.byteLength`. */
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

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
