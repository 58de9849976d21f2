/** What is sent to an OpenAI-compatible provider: our dialect is its own, but for what only this gateway reads. */
import { LruMap } from '../../base/lru-map.js';
import type { Provider } from '../../catalog/types.js';
import type { JsonObject } from '../../formats/chat/types.js';
import type { UpstreamCall } from '../../inference/attempts/adapter.js';
import { effortOfBound } from '../../inference/reasoning/reasoning.js';
import { answerTokens } from '../../inference/settlement/answer-tokens.js';
import { members } from '../http/json.js';
import { providerUrl } from '../http/provider-url.js';
import { messagesFor, toolsFor } from './messages.js';
import type { Quirks } from './quirks.js';

/** The API root of a provider whose catalogue entry names none. */
const DEFAULT_ROOT = 'https://api.openai.com/v1';

/** Regions of one provider whose URLs are remembered: parsing them would cost more than most of a request. */
const MAX_REGIONS = 64;

const urls = new WeakMap<Provider, LruMap<string, URL>>();

/** Where chats go: below the provider's API root; nobody may change it. Throws an Error as `providerUrl` does. */
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

/** What of a call makes the body of its request. */
export type AskedOf = Pick<UpstreamCall, 'body' | 'endpoint' | 'reasoning'>;

/** The body of the request to a host with these quirks. */
export function requestBody(call: AskedOf, quirks: Quirks, isStreamed: boolean): JsonObject {
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

/** An assignment that keeps a member named __proto__ as data. */
function setMember(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Members that don't go on as they are: the gateway's own, and what is said in another way below. */
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

function isKnown(name: string, { unknown, isMarkless }: Quirks): boolean {
  return unknown?.has(name) !== true && !(isMarkless === true && name === 'cache_control');
}

/** A member that is there under both names keeps what the host's own name says. */
function isReplaced(name: string, body: JsonObject, { names }: Quirks): boolean {
  const own = names?.[name];
  return own !== undefined && body[own] !== undefined;
}

/** Reasoning in the words of this protocol, which knows efforts and no bound in tokens (spec 2.1, ModelReasoning). */
function effortOf({ body, endpoint, reasoning }: AskedOf): string | undefined {
  if (reasoning === null) return undefined;
  const { isEnabled, effort, maxTokens } = reasoning;
  if (!isEnabled) return 'none';
  if (effort !== null) return effort;
  return maxTokens === null ? undefined : effortOfBound(maxTokens, answerTokens(body, endpoint));
}

/** Padding against guesses from packet sizes is between the client and this gateway, not behind it. */
function optionsOf(requested: unknown, forced: JsonObject): JsonObject {
  const { include_obfuscation, ...others } = members(requested);
  return { ...others, ...forced };
}
