/** The hashes of a conversation, by which one that a provider has counted before is recognised. */
import { hash } from 'node:crypto';
import type { Format } from '../../catalog/types.js';
import type { ApiHeaders } from '../../formats/api-headers.js';
import { elements, isObject, type JsonObject, members } from '../../formats/json.js';
import { isElsewhere } from './media-parts.js';
import { CONVERSATION } from './prompt-tokens.js';

/** A request as it was sent. */
export interface SentPrompt {
  readonly format: Format;
  readonly body: JsonObject;
  /** What it says in headers: names of beta features, some of which change the prompt. */
  readonly headers?: ApiHeaders | undefined;
}

export interface PromptPrefixes {
  readonly messages: readonly unknown[];
  /**
   * At each index a hash of all that may become the prompt up to that message, or decide how much of it does: whatever is
   * not known to do neither, such as `enable_thinking`, and the messages. Marks of caches do not count, since clients move them. Ends before the first message with something that
   * its bytes do not show, such as an image behind a URL.
   */
  readonly hashes: readonly string[];
}

/** In steps, for `runInSlices`. */
export function* prefixesOf({ format, body, headers }: SentPrompt): Generator<void, PromptPrefixes> {
  const conversation = body[CONVERSATION[format]];
  const messages = typeof conversation === 'string' ? [conversation] : elements(conversation);
  const root = Object.entries(body).filter(([name]) => name !== CONVERSATION[format] && decidesPrompt(name));
  let last = hashOf(
    format + JSON.stringify(headers ?? {}),
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

/** Members that neither become a part of the prompt nor decide how much of it does. */
const ASIDE: ReadonlySet<string> = new Set([
  // Who asks whom, and how it is served.
  ...['model', 'models', 'provider', 'route', 'cache', 'metadata', 'user', 'safety_identifier', 'session_id'],
  ...['prompt_cache_key', 'prompt_cache_retention', 'service_tier', 'serviceTier', 'speed', 'inference_geo'],
  ...['store', 'stream', 'stream_options', 'cache_control', 'client_metadata', 'include'],
  // How the answer is chosen, and where it ends.
  ...['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'stop', 'stop_sequences', 'n', 'seed'],
  ...['temperature', 'top_p', 'top_k', 'top_a', 'min_p', 'frequency_penalty', 'presence_penalty'],
  ...['repetition_penalty', 'logit_bias', 'logprobs', 'top_logprobs'],
]);

/** Whether the prompt of a request may be another one without this member, or without what is at this path in it. */
export function decidesPrompt(path: string): boolean {
  return !ASIDE.has(path.split(/[.[]/, 1)[0] ?? path);
}

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
  const { content, output, images, audio, provider_blocks } = members(message);
  // The audio of an earlier answer, by its id.
  if (audio) return true;
  const pending: unknown[] = [content, output, images, members(provider_blocks).blocks];
  while (pending.length > 0) {
    const next = pending.pop();
    if (Array.isArray(next)) for (const part of next) pending.push(part);
    else if (isElsewhere(next)) return true;
    else if (members(next).content !== undefined) pending.push(members(next).content);
  }
  return false;
}
