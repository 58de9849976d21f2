/** The parts of messages that are media, and how many tokens these may have at most. */
import type { JsonObject } from '../../formats/json.js';
import { isStoredFile } from '../../formats/shared-capacity/owners-objects.js';
import { mostTokensOf } from './text-bytes.js';

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

const IMAGE_TYPES: ReadonlySet<unknown> = new Set([
  ...['image_url', 'image', 'input_image', 'computer_screenshot'],
]);

/** Content parts that add nothing beyond their own bytes. */
const TEXT_TYPES: ReadonlySet<unknown> = new Set([
  'text',
  'refusal',
  'input_text',
  'output_text',
  'summary_text',
  'reasoning_text',
  'thinking',
  'redacted_thinking',
  'reasoning',
  'tool_use',
  'tool_result',
  'tool_call',
  'tool_reference',
]);

/** Content parts that hold documents or videos. */
export const DOCUMENT_TYPES: ReadonlySet<unknown> = new Set([
  'file',
  'input_file',
  'video_url',
  'audio_url',
  'document',
  'document_url',
]);

/** Content parts whose tokens do not follow from the length of their text. */
const MEDIA_TYPES: ReadonlySet<unknown> = new Set([...IMAGE_TYPES, ...DOCUMENT_TYPES, 'input_audio']);

export function isOfImage(part: object): boolean {
  return IMAGE_TYPES.has(member(part, 'type'));
}

export function isMedia(value: unknown): value is object {
  return isObjectOrList(value) && 'type' in value && MEDIA_TYPES.has(value.type);
}

/** Whether a part of a message stands for something that its own bytes do not show, and that may change. */
export function isElsewhere(part: unknown): boolean {
  if (typeof part === 'string') return isStoredFile(part);
  if (!isMedia(part)) {
    const type = member(part, 'type');
    return namesFile(member(part, 'text')) || (typeof type === 'string' && !TEXT_TYPES.has(type));
  }
  const texts = textsOf(part).filter(([name]) => DATA_MEMBERS.has(name) || ELSEWHERE.test(name));
  return texts.length === 0 || !texts.every(isInline);
}

/** Members of media that name it. */
const ELSEWHERE = /^(file_?(id|uri|url)|video_url|s3_?location|uri)$/i;

/** What is fetched, whatever it is called. */
const ADDRESS = /^[\s\p{Cc}]*[a-z][a-z0-9+.-]*:\/\//iu;

/** Longer than any scheme. */
const SCHEME_CHARACTERS = 200;

function isInline([name, text]: readonly [name: string, text: string]): boolean {
  if (/^data:/i.test(text)) return true;
  return (name === 'data' || name === 'file_data') && !ADDRESS.test(text.slice(0, SCHEME_CHARACTERS));
}

/** All texts in a part with the names of their members. */
function textsOf(part: object): [name: string, text: string][] {
  const texts: [name: string, text: string][] = [];
  const pending: [name: string, value: unknown][] = Object.entries(part);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [name, value] = next;
    if (typeof value === 'string') texts.push([name, value]);
    else if (isObjectOrList(value)) for (const entry of Object.entries(value)) pending.push(entry);
  }
  return texts;
}

/**
 * The maximum of nearly all models for an image, or for media behind a URL. Qwen's is the highest known
 * (`vl_high_resolution_images`): https://www.alibabacloud.com/help/en/model-studio/vision. What is known of a model
 * counts instead: `moreImageTokens`.
 */
const MEDIA_TOKENS_HIGH = 16_384;

/** Inline images and audio have at most one token per this many characters of base64. For files see `maxUsageOf`. */
const INLINE_MEDIA_CHARACTERS_PER_TOKEN = 8;

/** Members of a part that contain its media. All other members may be text. */
const DATA_MEMBERS: ReadonlySet<string> = new Set([
  'url',
  'data',
  'file_data',
  'file_url',
  'image_url',
  'audio_url',
  'document_url',
]);

/** Of a part: its media as any model may count it, and its other members. */
export function mediaTokensHigh(part: object): number {
  const others = textsOf(part).filter(([name]) => !DATA_MEMBERS.has(name));
  return others.reduce((sum, [, text]) => sum + mostTokensOf(text), mediaTokens(part));
}

/** Of a part's media alone. */
export function mediaTokens(part: object): number {
  const characters = dataOf(part).reduce((sum, [, text]) => sum + text.length, 0);
  return Math.max(MEDIA_TOKENS_HIGH, Math.ceil(characters / INLINE_MEDIA_CHARACTERS_PER_TOKEN));
}

/** Whether a part has its media in one text, and names none elsewhere. */
export function isInlineAlone(part: object): boolean {
  return dataOf(part).length === 1 && !textsOf(part).some(([name]) => ELSEWHERE.test(name));
}

function dataOf(part: object): [name: string, text: string][] {
  return textsOf(part).filter(([name]) => DATA_MEMBERS.has(name));
}

export function isObjectOrList(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
