/** The hashes of a conversation, by which one that a provider has counted before is recognised. */
import { hash } from 'node:crypto';
import type { ServedFormat } from '../../catalog/types.js';
import { elements, isObject, type JsonObject, members } from '../../formats/json.js';
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

/** In steps, for `runInSlices`. */
export function* prefixesOf({ format, body }: SentPrompt): Generator<void, PromptPrefixes> {
  const messages = elements(body[CONVERSATION[format]]);
  const root = Object.entries(body).filter(
    (member) => member[0] !== CONVERSATION[format] && (DECIDING.has(member[0]) || mayBePrompted(member)),
  );
  let last = hashOf(
    format,
    root.map(([name, value]) => [name, MARKED.has(name) ? withoutCacheControl(value) : value]),
  );
  const hashes: string[] = [];
  for (const message of messages) {
    if (hasElsewhere(message)) break;
    last = hashOf(last, withoutCacheControl(message));
    hashes.push(last);
    yield;
  }
  return { messages, hashes };
}

function hashOf(before: string, value: unknown): string {
  return hash('sha256', before + JSON.stringify(value), 'base64');
}

/** Beside what becomes the prompt: what decides how much of the conversation does. */
const DECIDING: ReadonlySet<string> = new Set([
  'context_management',
  'reasoning',
  'reasoning_effort',
  'thinking',
]);

/** Members of a request with marks of caches. */
const MARKED: ReadonlySet<string> = new Set(['system', 'tools']);

/** Of messages, their parts, blocks of the system and tools: elsewhere a member of that name is the caller's text. */
function withoutCacheControl(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutCacheControl);
  if (!isObject(value)) return value;
  const { cache_control, content, ...rest } = value;
  return content === undefined ? rest : { ...rest, content: withoutCacheControl(content) };
}

/** Parts of results of tools have parts of their own. */
function hasElsewhere(message: unknown): boolean {
  const { content, images, audio, provider_blocks } = members(message);
  // The audio of an earlier answer, by its id.
  if (audio) return true;
  const pending: unknown[] = [content, images, members(provider_blocks).blocks];
  while (pending.length > 0) {
    const next = pending.pop();
    if (Array.isArray(next)) for (const part of next) pending.push(part);
    else if (isElsewhere(next)) return true;
    else if (members(next).content !== undefined) pending.push(members(next).content);
  }
  return false;
}
