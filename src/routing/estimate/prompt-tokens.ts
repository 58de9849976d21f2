/**
 * Estimates the tokens of a prompt without a tokenizer, and counts its media. Reservations use the high estimate, so
 * that they are never too small. Plans use the low one, so that no endpoint is excluded that the prompt fits
 * (`context_length`). Metering uses the likely one if the provider sends no count.
 */
import type { Format, NativeFormat } from '../../catalog/types.js';
import type { JsonObject } from '../../formats/json.js';
import { isSealedDetail } from '../../formats/marks.js';
import {
  countMedia,
  DOCUMENT_TYPES,
  isMedia,
  isObjectOrList,
  mediaTokensHigh,
  member,
} from './media-parts.js';
import { type PromptImage, promptImageOf } from './prompt-images.js';
import { mostTokensOf } from './text-bytes.js';

/** Lower bound, best guess and upper bound, in tokens. */
export interface PromptTokens {
  readonly low: number;
  readonly likely: number;
  readonly high: number;
  /** The images that the upper bound counts. */
  readonly images: readonly PromptImage[];
}

/** The average for ordinary text. */
export const CHARACTERS_PER_TOKEN = 4;

/** Hardly any text has more characters per token on average; most have 2 to 5. */
const CHARACTERS_PER_TOKEN_LOW = 6;

/** The members of a chat that every host adds to the prompt; `functions` is the older name of `tools`. */
const PROMPT_MEMBERS = ['messages', 'tools', 'functions', 'response_format', 'prediction'] as const;

/** Members that no host adds to the prompt, beside those of `PROMPT_MEMBERS`, which are counted by themselves. */
const NEVER_IN_PROMPT: ReadonlySet<string> = new Set([
  ...PROMPT_MEMBERS,
  'model',
  'models',
  'provider',
  'cache',
  'metadata',
  'client_metadata',
  'include',
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
 * Estimates the prompt of a chat request. High: the most tokens of its texts (see `mostTokensOf`), plus framing, plus a generous flat amount per piece of media; it includes members that only some hosts add to the prompt.
 * Likely and low: one token per four and six characters of text, none for media.
 */
export function estimatePromptTokens(body: JsonObject): PromptTokens {
  const { characters, high, images } = measure(
    PROMPT_MEMBERS.map((name) => [body[name], name === 'messages']),
  );
  return {
    low: Math.floor(characters / CHARACTERS_PER_TOKEN_LOW),
    likely: Math.ceil(characters / CHARACTERS_PER_TOKEN),
    high: high + highOfOthers(body),
    images,
  };
}

/** A request as it was sent, in a format of its own. */
export interface NativePrompt {
  readonly format: NativeFormat;
  readonly body: JsonObject;
}

/** Prompts of one request that are each answered by itself, so that each alone has to fit a context. */
export interface SeparatePrompts {
  readonly count: number;
  /** The low estimate of the longest, which has to fit. */
  readonly low: number;
  /** Of all of them. */
  readonly likely: number;
  readonly high: number;
  /** What hosts that bill by searches bill; 0 where none does. */
  readonly searchUnits: { readonly likely: number; readonly high: number };
}

/** The member that holds the conversation, in which alone there is media. */
export const CONVERSATION: Readonly<Record<Format, string>> = {
  chat: 'messages',
  messages: 'messages',
  responses: 'input',
  completions: 'prompt',
  embeddings: 'input',
  rerank: 'documents',
};

/** The high estimate, the images that it counts, and whether there are documents. */
interface MeasuredHigh {
  readonly high: number;
  readonly hasFiles: boolean;
  readonly images: readonly PromptImage[];
}

/** The high estimate of all members of the request, and whether it has documents. */
export function nativePrompt({ format, body }: NativePrompt): MeasuredHigh {
  const { [CONVERSATION[format]]: conversation, tools, ...others } = body;
  const { high, hasFiles, images } = measure([
    [conversation, true],
    [tools, false],
  ]);
  return { high: high + highOfOthers(others), hasFiles, images };
}

/** The high estimate of messages, and whether they have documents. */
export function messagesHigh(messages: readonly unknown[]): MeasuredHigh {
  const { high, hasFiles, images } = measure([[messages, true]]);
  return { high, hasFiles: hasFiles || countMedia({ messages }).files > 0, images };
}

function highOfOthers(body: JsonObject): number {
  const others = Object.entries(body).filter(
    ([name, value]) => !NEVER_IN_PROMPT.has(name) && (typeof value === 'string' || isObjectOrList(value)),
  );
  return others.length === 0 ? 0 : measure(others.map(([, value]) => [value, false])).high;
}

/** Iterative, so that deeply nested bodies can't overflow the stack. */
function measure(members: readonly (readonly [value: unknown, hasMedia: boolean])[]): {
  characters: number;
  high: number;
  hasFiles: boolean;
  images: readonly PromptImage[];
} {
  const images: PromptImage[] = [];
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
        high += mostTokensOf(value);
      } else if (hasMedia && isMedia(value)) {
        high += mediaTokensHigh(value);
        const image = promptImageOf(value);
        if (image !== null) images.push(image);
        hasFiles ||= DOCUMENT_TYPES.has(member(value, 'type'));
      } else if (isObjectOrList(value) && isSealedDetail(value)) {
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
  return { characters, high, hasFiles, images };
}

/** Tokens of the names of an object's members. Elements of a list have no names. */
function namesHigh(value: unknown): number {
  if (!isObjectOrList(value) || Array.isArray(value)) return 0;
  let high = 0;
  for (const name of Object.keys(value)) high += mostTokensOf(name);
  return high;
}

/** Appends the members of an object, or the elements of a list, to `pending`. */
function addChildren(value: unknown, pending: unknown[]): void {
  if (!isObjectOrList(value)) return;
  for (const child of Array.isArray(value) ? value : Object.values(value)) pending.push(child);
}
