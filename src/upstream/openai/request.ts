/** What is sent to an OpenAI-compatible provider: our dialect is its own, but for what only this gateway reads. */
import type { Provider } from '../../catalog/types.js';
import type { UpstreamCall } from '../../chat/adapter.js';
import { answerTokens } from '../../chat/answer-tokens.js';
import type { JsonObject } from '../../chat/dialect.js';
import { effortOfBound } from '../../chat/reasoning.js';
import { members } from '../json.js';
import { providerUrl } from '../provider-url.js';
import { messagesFor, toolsFor } from './messages.js';
import type { Quirks } from './quirks.js';

/** The API root of a provider whose catalogue entry names none. */
const DEFAULT_ROOT = 'https://api.openai.com/v1';

/** Where chats go: below the provider's API root. Throws an Error as `providerUrl` does. */
export function chatUrl(provider: Provider, region: string | null): URL {
  return providerUrl(provider, DEFAULT_ROOT, region, '/chat/completions');
}

/** What of a call makes the body of its request. */
export type AskedOf = Pick<UpstreamCall, 'body' | 'endpoint' | 'reasoning'>;

/** The body of the request to a host with these quirks. */
export function requestBody(call: AskedOf, quirks: Quirks, isStreamed: boolean): JsonObject {
  const {
    provider,
    models,
    stream,
    stream_options,
    reasoning,
    reasoning_effort,
    include_reasoning,
    messages,
    tools,
    ...rest
  } = call.body;
  const { names = {}, streamOptions } = quirks;
  return {
    messages: messagesFor(messages, quirks),
    ...effortOf(call),
    ...renamed(known(rest, quirks), names),
    ...toolsFor(call.body, quirks),
    ...(isStreamed && { stream: true }),
    ...(isStreamed && streamOptions && { stream_options: optionsOf(stream_options, streamOptions) }),
  };
}

/** The members that the host knows. */
function known(body: JsonObject, { unknown, isMarkless }: Quirks): JsonObject {
  const { cache_control, ...unmarked } = body;
  const rest = isMarkless === true ? unmarked : body;
  if (unknown === undefined) return rest;
  return Object.fromEntries(Object.entries(rest).filter(([name]) => !unknown.has(name)));
}

/** Reasoning in the words of this protocol, which knows efforts and no bound in tokens (spec 2.1, ModelReasoning). */
function effortOf({ body, endpoint, reasoning }: AskedOf): JsonObject {
  if (reasoning === null) return {};
  const { isEnabled, effort, maxTokens } = reasoning;
  if (!isEnabled) return { reasoning_effort: 'none' };
  if (effort !== null) return { reasoning_effort: effort };
  if (maxTokens === null) return {};
  return { reasoning_effort: effortOfBound(maxTokens, answerTokens(body, endpoint)) };
}

/** A member that is there under both names keeps what the host's own name says. */
function renamed(body: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  const entries = Object.entries(body);
  const isReplaced = (name: string) => names[name] !== undefined && body[names[name]] !== undefined;
  return Object.fromEntries(
    entries.filter(([name]) => !isReplaced(name)).map(([name, value]) => [names[name] ?? name, value]),
  );
}

/** Padding against guesses from packet sizes is between the client and this gateway, not behind it. */
function optionsOf(requested: unknown, forced: JsonObject): JsonObject {
  const { include_obfuscation, ...others } = members(requested);
  return { ...others, ...forced };
}
