/** Requests to OpenAI-compatible providers: the chat format without the gateway's own members. */
import { LruMap } from '../../base/lru-map.js';
import type { Provider } from '../../catalog/types.js';
import type { JsonObject } from '../../formats/chat/types.js';
import type { UpstreamCall } from '../../inference/attempts/adapter.js';
import { effortOfMaxTokens } from '../../inference/reasoning/reasoning.js';
import { maxAnswerTokens } from '../../inference/settlement/usage.js';
import { members } from '../http/json.js';
import { providerUrl } from '../http/provider-url.js';
import { messagesFor, toolsFor } from './messages.js';
import type { Quirks } from './quirks.js';

/** The API root of a provider without a `base_url`. */
const DEFAULT_ROOT = 'https://api.openai.com/v1';

/** Limit of cached URLs of a provider. They are cached since parsing one costs more than the rest of a request. */
const MAX_REGIONS = 64;

const urls = new WeakMap<Provider, LruMap<string, URL>>();

/** The URL of chats, shared by all calls: do not change it. Throws an Error as `providerUrl` does. */
export function chatUrl(provider: Provider, region: string | null): URL {
  let known = urls.get(provider);
  if (known === undefined) {
    known = new LruMap(MAX_REGIONS);
    urls.set(provider, known);
  }
  return known.getOrMake(region ?? '', () =>
    providerUrl(provider, DEFAULT_ROOT, region, '/chat/completions'),
  );
}

/** What a request's body is made of. */
export type BodyInput = Pick<UpstreamCall, 'body' | 'endpoint' | 'reasoning'>;

export function requestBody(call: BodyInput, quirks: Quirks, isStreamed: boolean): JsonObject {
  const { body } = call;
  const { streamOptions } = quirks;
  const sent: Record<string, unknown> = { messages: messagesFor(body.messages, quirks) };
  for (const name of Object.keys(body)) {
    if (!REWRITTEN.has(name) && isKnown(name, quirks) && !isReplaced(name, body, quirks)) {
      setMember(sent, quirks.names?.[name] ?? name, body[name]);
    }
  }
  const effort = effortOf(call);
  if (effort !== undefined) sent.reasoning_effort = effort;
  if (body.tools !== undefined) sent.tools = toolsFor(body.tools, quirks);
  if (isStreamed) sent.stream = true;
  if (isStreamed && streamOptions) sent.stream_options = optionsOf(body.stream_options, streamOptions);
  return sent;
}

/** An assignment that treats a member named `__proto__` as data. */
function setMember(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Members that are not passed on as they are: the gateway's own, and those that are rewritten below. */
const REWRITTEN: ReadonlySet<string> = new Set([
  'provider',
  'models',
  'stream',
  'stream_options',
  'reasoning',
  'reasoning_effort',
  'include_reasoning',
  'messages',
  'tools',
]);

function isKnown(name: string, { unknown, refusesCacheControl }: Quirks): boolean {
  return unknown?.has(name) !== true && !(refusesCacheControl === true && name === 'cache_control');
}

/** A member that is given under both names has the value of the host's own name. */
function isReplaced(name: string, body: JsonObject, { names }: Quirks): boolean {
  const own = names?.[name];
  return own !== undefined && body[own] !== undefined;
}

/** `reasoning_effort`: this format has efforts, and no limit in tokens. */
function effortOf({ body, endpoint, reasoning }: BodyInput): string | undefined {
  if (reasoning === null) return undefined;
  const { isEnabled, effort, maxTokens } = reasoning;
  if (!isEnabled) return 'none';
  if (effort !== null) return effort;
  return maxTokens === null ? undefined : effortOfMaxTokens(maxTokens, maxAnswerTokens(body, endpoint));
}

/** `include_obfuscation` pads the stream between client and gateway, not that of the provider. */
function optionsOf(requested: unknown, forced: JsonObject): JsonObject {
  const { include_obfuscation, ...others } = members(requested);
  return { ...others, ...forced };
}
