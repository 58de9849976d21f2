/** The hashes of a conversation, by which one that a provider has counted before is recognised. */
import { hash } from 'node:crypto';
import { textLength } from '../../base/json/text-length.js';
import type { ServedFormat } from '../../catalog/types.js';
import { elements, type JsonObject, members } from '../../formats/json.js';
import { isElsewhere } from './media-parts.js';
import { CONVERSATION, mayBePrompted } from './prompt-tokens.js';

/** A request as it was sent. */
export interface SentPrompt {
  readonly format: ServedFormat;
  readonly body: JsonObject;
}

export interface PromptPrefixes {
  readonly messages: readonly unknown[];
  /**
   * At each index a hash of all that becomes the prompt up to that message: tools, system prompt, format of the answer and
   * the messages. Marks of caches do not count, since clients move them. Ends before the first message with something that
   * its bytes do not show, such as an image behind a URL.
   */
  readonly hashes: readonly string[];
}

/** Longer conversations would take too long to hash. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

const NO_HASHES: readonly string[] = [];

/** In steps, for `runInSlices`. */
export function* prefixesOf({ format, body }: SentPrompt): Generator<void, PromptPrefixes> {
  const messages = elements(body[CONVERSATION[format]]);
  if (textLength(body) > MAX_CHARACTERS) return { messages, hashes: NO_HASHES };
  const root = Object.entries(body).filter(
    (member) => member[0] !== CONVERSATION[format] && mayBePrompted(member),
  );
  let last = hashOf(format, root);
  const hashes: string[] = [];
  for (const message of messages) {
    if (hasElsewhere(message)) break;
    last = hashOf(last, message);
    hashes.push(last);
    yield;
  }
  return { messages, hashes };
}

function hashOf(before: string, value: unknown): string {
  return hash('sha256', before + jsonOf(value), 'base64');
}

const CACHE_CONTROL = 'cache_control';

function jsonOf(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes(`"${CACHE_CONTROL}"`) ? JSON.stringify(value, withoutCacheControl) : text;
}

function withoutCacheControl(name: string, value: unknown): unknown {
  return name === CACHE_CONTROL ? undefined : value;
}

/** Parts of results of tools have parts of their own. */
function hasElsewhere(message: unknown): boolean {
  const pending: unknown[] = [members(message).content];
  while (pending.length > 0) {
    const next = pending.pop();
    if (Array.isArray(next)) for (const part of next) pending.push(part);
    else if (isElsewhere(next)) return true;
    else if (members(next).content !== undefined) pending.push(members(next).content);
  }
  return false;
}
