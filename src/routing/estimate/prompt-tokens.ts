/**
 * Estimates the tokens of a prompt without a tokenizer, and counts its media. Reservations use the high estimate, so
 * that they are never too small. Plans use the low one, so that no endpoint is excluded that the prompt fits
 * (`context_length`). Metering uses the likely one if the provider sends no count.
 */
import type { NativeFormat } from '../../catalog/types.js';
import type { JsonObject } from '../../formats/json.js';
import { isSealedDetail } from '../../formats/marks.js';
import { isStoredFile } from '../../formats/shared/owners-objects.js';

/** Lower bound, best guess and upper bound, in tokens. */
export interface PromptTokens {
  readonly low: number;
  readonly likely: number;
  readonly high: number;
}

/** The average for ordinary text. */
export const CHARACTERS_PER_TOKEN = 4;

/** Hardly any text has more characters per token on average; most have 2 to 5. */
const CHARACTERS_PER_TOKEN_LOW = 6;

/** The members of a chat that every host adds to the prompt; `functions` is the older name of `tools`. */
const PROMPT_MEMBERS = ['messages', 'tools', 'functions', 'response_format', 'prediction'] as const;

/** Members that no host adds to the prompt. */
const NEVER_IN_PROMPT: ReadonlySet<string> = new Set([
  ...PROMPT_MEMBERS,
  'model',
  'models',
  'provider',
  'metadata',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'session_id',
  'stop',
  'stop_sequences',
  'stream_options',
  'service_tier',
  'serviceTier',
  'speed',
  'inference_geo',
  'reasoning',
  'reasoning_effort',
  'thinking',
  'context_management',
]);

/** At most this many tokens frame each object, list and scalar. */
const FRAMING_TOKENS_HIGH = 8;

/**
 * Estimates the prompt of a chat request. High: one token per byte of text, which no byte-level tokenizer exceeds, plus
 * framing, plus a generous flat amount per piece of media; it includes members that only some hosts add to the prompt.
 * Likely and low: one token per four and six characters of text, none for media.
 */
export function estimatePromptTokens(body: JsonObject): PromptTokens {
  const { characters, high } = measure(PROMPT_MEMBERS.map((name) => [body[name], name === 'messages']));
  return {
    low: Math.floor(characters / CHARACTERS_PER_TOKEN_LOW),
    likely: Math.ceil(characters / CHARACTERS_PER_TOKEN),
    high: high + highOfOthers(body),
  };
}

/** A request as it was sent, in a format of its own. */
export interface NativePrompt {
  readonly format: NativeFormat;
  readonly body: JsonObject;
}

/** The member that holds the conversation, in which alone there is media. */
const CONVERSATION: Readonly<Record<NativeFormat, string>> = { messages: 'messages' };

/** The high estimate of all members of the request, and whether it has documents. */
export function nativePrompt({ format, body }: NativePrompt): {
  readonly high: number;
  readonly hasFiles: boolean;
} {
  const { [CONVERSATION[format]]: conversation, tools, ...others } = body;
  const { high, hasFiles } = measure([
    [conversation, true],
    [tools, false],
  ]);
  return { high: high + highOfOthers(others), hasFiles };
}

function highOfOthers(body: JsonObject): number {
  const others = Object.entries(body).filter(
    ([name, value]) => !NEVER_IN_PROMPT.has(name) && (typeof value === 'string' || isObject(value)),
  );
  return others.length === 0 ? 0 : measure(others.map(([, value]) => [value, false])).high;
}

/** Iterative, so that deeply nested bodies can't overflow the stack. */
function measure(members: readonly (readonly [value: unknown, hasMedia: boolean])[]): {
  characters: number;
  high: number;
  hasFiles: boolean;
} {
  let characters = 0;
  let high = 0;
  let hasFiles = false;
  for (const [root, hasMedia] of members) {
    const pending: unknown[] = [root];
    while (pending.length > 0) {
      const value = pending.pop();
      if (value === undefined) continue;
      if (typeof value === 'string') {
        characters += value.length;
        high += bytesOf(value) + (hasMedia ? 0 : escapesOf(value));
      } else if (hasMedia && isMedia(value)) {
        high += mediaTokensHigh(value);
        hasFiles ||= FILE_TYPES.has(member(value, 'type'));
      } else if (isObject(value) && isSealedDetail(value)) {
        // The details in a mark may be as long as it is, or be dropped.
        const { mark, ...others } = value;
        high += mark.length;
        pending.push(others);
      } else {
        high += FRAMING_TOKENS_HIGH + (typeof value === 'number' ? String(value).length : namesHigh(value));
        addChildren(value, pending);
      }
    }
  }
  return { characters, high, hasFiles };
}

/** The number of content parts of each kind of media. */
export interface MediaCount {
  readonly images: number;
  readonly audio: number;
  /**
   * Documents, other files, videos, and parts that may not be text: their size does not show how many tokens they have.
   */
  readonly files: number;
}

export function countMedia({ messages }: JsonObject): MediaCount {
  let images = 0;
  let audio = 0;
  let files = 0;
  for (const message of listOf(messages)) {
    // The audio of an earlier answer, by its id.
    if (member(message, 'audio')) files += 1;
    const content = member(message, 'content');
    if (namesFile(content)) files += 1;
    for (const part of listOf(content)) {
      const type = member(part, 'type');
      if (namesFile(member(part, 'text'))) files += 1;
      if (IMAGE_TYPES.has(type)) images += 1;
      else if (type === 'input_audio') audio += 1;
      else if (typeof type === 'string' && !TEXT_TYPES.has(type)) files += 1;
    }
  }
  return { images, audio, files };
}

function namesFile(words: unknown): boolean {
  return typeof words === 'string' && isStoredFile(words);
}

const IMAGE_TYPES: ReadonlySet<unknown> = new Set(['image_url', 'image', 'input_image']);

/** Content parts that add nothing beyond their own bytes. */
const TEXT_TYPES: ReadonlySet<unknown> = new Set([
  'text',
  'refusal',
  'input_text',
  'output_text',
  'thinking',
  'redacted_thinking',
  'reasoning',
  'tool_use',
  'tool_result',
  'tool_call',
  'tool_reference',
]);

/** Content parts that hold documents or videos. */
const FILE_TYPES: ReadonlySet<unknown> = new Set([
  'file',
  'video_url',
  'audio_url',
  'document',
  'document_url',
]);

/** Content parts whose tokens do not follow from the length of their text. */
const MEDIA_TYPES: ReadonlySet<unknown> = new Set([...IMAGE_TYPES, ...FILE_TYPES, 'input_audio']);

function isMedia(value: unknown): value is object {
  return isObject(value) && 'type' in value && MEDIA_TYPES.has(value.type);
}

/**
 * The maximum of nearly all models for an image, or for media behind a URL. Qwen's is the highest known
 * (`vl_high_resolution_images`): https://www.alibabacloud.com/help/en/model-studio/vision.
 */
const MEDIA_TOKENS_HIGH = 16_384;

/** Inline images and audio have at most one token per this many characters of base64. For files see `maxUsageOf`. */
const INLINE_MEDIA_CHARACTERS_PER_TOKEN = 8;

/** Members of a part that contain its media. All other members may be text. */
const DATA_MEMBERS: ReadonlySet<string> = new Set([
  'url',
  'data',
  'file_data',
  'image_url',
  'audio_url',
  'document_url',
]);

function mediaTokensHigh(part: object): number {
  let dataCharacters = 0;
  let textTokens = 0;
  const pending: [name: string, value: unknown][] = Object.entries(part);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [name, value] = next;
    if (typeof value !== 'string') {
      if (isObject(value)) for (const entry of Object.entries(value)) pending.push(entry);
    } else if (DATA_MEMBERS.has(name)) dataCharacters += value.length;
    else textTokens += bytesOf(value);
  }
  const dataTokens = Math.ceil(dataCharacters / INLINE_MEDIA_CHARACTERS_PER_TOKEN);
  return textTokens + Math.max(MEDIA_TOKENS_HIGH, dataTokens);
}

/** Tokens of the names of an object's members. Elements of a list have no names. */
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

/** How many bytes a text grows in JSON, which escapes quotes and control characters. */
function escapesOf(text: string): number {
  return JSON.stringify(text).length - text.length - '""'.length;
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
