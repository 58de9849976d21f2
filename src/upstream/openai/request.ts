/** What is sent to an OpenAI-compatible provider: our dialect is its own, but for what only this gateway reads. */
import type { Provider } from '../../catalog/types.js';
import type { UpstreamCall } from '../../chat/adapter.js';
import { answerTokens } from '../../chat/answer-tokens.js';
import type { JsonObject } from '../../chat/dialect.js';
import { effortOfBound } from '../../chat/reasoning.js';
import { members } from '../json.js';
import { providerUrl } from '../provider-url.js';
import { messagesFor } from './messages.js';

/** The API root of a provider whose catalogue entry names none. */
const DEFAULT_ROOT = 'https://api.openai.com/v1';

/** Where a host differs from what the others take. */
interface Quirks {
  /** `stream_options` of every stream. */
  readonly streamOptions?: JsonObject;
  /** Members that have another name there. */
  readonly names?: Readonly<Record<string, string>>;
  /** What it calls the thoughts that led to tool calls, where it wants to see them again. */
  readonly thoughts?: string;
  /** Members that it refuses, though the gateway's dialect has them. */
  readonly unknown?: ReadonlySet<string>;
}

const COMMON: Quirks = { streamOptions: { include_usage: true } };

/** Sampling that OpenAI itself has no word for; many that copy its protocol do. */
export const UNKNOWN_TO_OPENAI: ReadonlySet<string> = new Set([
  'top_k',
  'min_p',
  'top_a',
  'repetition_penalty',
]);

/** Without their own thoughts their models refuse to go on after a tool call. */
const THOUGHTFUL: Quirks = { ...COMMON, thoughts: 'reasoning_content' };

const QUIRKS: ReadonlyMap<string, Quirks> = new Map([
  [
    'api.openai.com',
    {
      streamOptions: { include_usage: true, include_obfuscation: false },
      unknown: UNKNOWN_TO_OPENAI,
    },
  ],
  ['api.deepseek.com', THOUGHTFUL],
  ['api.moonshot.ai', THOUGHTFUL],
  ['api.moonshot.cn', THOUGHTFUL],
  // It refuses members that it does not know (422), and sends the usage of a stream unasked.
  ['api.mistral.ai', { names: { max_completion_tokens: 'max_tokens', seed: 'random_seed' } }],
]);

/** Where chats go: below the provider's API root. Throws an Error as `providerUrl` does. */
export function chatUrl(provider: Provider, region: string | null): URL {
  return providerUrl(provider, DEFAULT_ROOT, region, '/chat/completions');
}

/** What of a call makes the body of its request. */
export type AskedOf = Pick<UpstreamCall, 'body' | 'endpoint' | 'reasoning'>;

/** The body of the request to this host. */
export function requestBody(call: AskedOf, host: string, isStreamed: boolean): JsonObject {
  const {
    provider,
    models,
    stream,
    stream_options,
    reasoning,
    reasoning_effort,
    include_reasoning,
    messages,
    ...rest
  } = call.body;
  const { names = {}, unknown, thoughts, streamOptions } = QUIRKS.get(host) ?? COMMON;
  return {
    ...effortOf(call),
    ...renamed(unknown === undefined ? rest : without(rest, unknown), names),
    messages: messagesFor(messages, thoughts),
    ...(isStreamed && { stream: true }),
    ...(isStreamed && streamOptions && { stream_options: optionsOf(stream_options, streamOptions) }),
  };
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

/** The body without these members. */
export function without(body: JsonObject, names: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.has(name)));
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
