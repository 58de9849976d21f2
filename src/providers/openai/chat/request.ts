/** Requests to OpenAI-compatible providers: the chat format without the gateway's own members. */
import { LruMap } from '../../../base/memory/lru-map.js';
import type { ChatContract } from '../../../catalog/chat-contract.js';
import { type Quirks, TOKEN_LIMIT_MEMBERS } from '../../../catalog/quirks.js';
import type { Endpoint, Provider } from '../../../catalog/types.js';
import type { ChatBody, JsonObject } from '../../../formats/chat/types.js';
import { members } from '../../../formats/json.js';
import { sessionKeyOf } from '../../../formats/session/hint.js';
import type { CallCommons, ChatForm, UpstreamCall } from '../../../inference/ports/adapter.js';
import { maxAnswerTokens } from '../../../inference/ports/usage.js';
import { effortOfMaxTokens, type Reasoning } from '../../../inference/reasoning/reasoning.js';
import { fitChat } from '../../fit/chat/fit-chat.js';
import type { Codec, Fitted, Outgoing } from '../../http/codec.js';
import type { InlineMedia } from '../../http/inline-media.js';
import { providerUrl } from '../../http/provider-url.js';
import { DEFAULT_ROOT } from '../host/root.js';
import type { AnswerRules } from './answer-rules.js';
import { messagesFor, toolsFor } from './conversation.js';
import { rulesOf } from './rules.js';
import { responseFormatFor } from './schema.js';

/** Maximum of cached URLs per provider. They are cached because parsing one costs more than the rest of a request. */
const MAX_REGIONS = 64;

const urls = new WeakMap<Provider, LruMap<string, URL>>();

/** The URL of chats. All calls share it: do not change it. Throws an Error as `providerUrl` does. */
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

/** Requests of hosts that may fetch media themselves, or are sent what was fetched. Throws as `chatRequest` and `InlineMedia` do. */
export function chatRequestWith<Credential>(inlineMedia: InlineMedia): Codec<Credential, 'chat'>['request'] {
  return (call, isStreamed) => {
    const { endpoint, provider, region } = call;
    const { mediaUrls } = rulesOf(endpoint, provider, chatUrl(provider, region).host).contract;
    if (mediaUrls) return chatRequest(call, isStreamed);
    return inlineMedia(call.body, call).then((body) => chatRequest({ ...call, body }, isStreamed));
  };
}

/** Throws an Error as `providerUrl` does. */
function chatRequest(call: UpstreamCall<unknown, 'chat'>, isStreamed: boolean): Outgoing {
  const { endpoint, provider, region } = call;
  const url = chatUrl(provider, region);
  return {
    url,
    headers: {},
    body: requestBody(call, rulesOf(endpoint, provider, url.host).quirks, isStreamed),
  };
}

/** The call as the host takes it. Throws as `providerUrl` and `fitChat` do. */
export function fitForHost<Credential>(call: UpstreamCall<Credential, 'chat'>): Fitted<Credential, 'chat'> {
  const { endpoint, provider, region } = call;
  return fitChat(call, rulesOf(endpoint, provider, chatUrl(provider, region).host).contract);
}

/** What the host of an endpoint takes of a chat. A host that can't be told yet is known by its provider alone. */
export function contractAt(endpoint: Endpoint, provider: Provider, region: string | null): ChatContract {
  return rulesOf(endpoint, provider, hostOf(provider, region)).contract;
}

function hostOf(provider: Provider, region: string | null): string {
  try {
    return chatUrl(provider, region).host;
  } catch {
    return '';
  }
}

/** Throws an Error as `providerUrl` does. */
export function answerRulesOf({ endpoint, provider, region }: CallCommons): AnswerRules {
  return rulesOf(endpoint, provider, chatUrl(provider, region).host).answers;
}

/** What the body of a request is made from. */
export type BodyInput = ChatForm & Pick<CallCommons, 'endpoint' | 'onAdapted' | 'sessionHint'>;

export function requestBody(call: BodyInput, quirks: Quirks, isStreamed: boolean): JsonObject {
  const { body } = call;
  const { streamOptions, schemaWithout = [] } = quirks;
  const sent: Record<string, unknown> = { messages: messagesFor(body.messages, quirks) };
  for (const name of Object.keys(body)) {
    if (REWRITTEN.has(name)) continue;
    const hostName = hostNameOf(name, quirks);
    if (hostName !== null) setMember(sent, hostName, body[name]);
    else call.onAdapted?.(name, 'left_out');
  }
  setSession(sent, call, quirks);
  reportForgotten(call);
  setTokenLimit(sent, body, quirks);
  setReasoning(sent, call, quirks);
  if (body.tools !== undefined) sent.tools = toolsFor(body.tools, quirks);
  if (body.response_format !== undefined) {
    sent.response_format = responseFormatFor(body.response_format, schemaWithout);
  }
  if (isStreamed) sent.stream = true;
  if (isStreamed && streamOptions) sent.stream_options = optionsOf(body.stream_options, streamOptions);
  return sent;
}

/** The client's own key goes before the session's. */
function setSession(sent: Record<string, unknown>, call: BodyInput, quirks: Quirks): void {
  const key = sessionKeyOf(call);
  const hostName = hostNameOf(CACHE_KEY, quirks);
  if (key !== undefined && hostName !== null) sent[hostName] = key;
}

const CACHE_KEY = 'prompt_cache_key';

/** What no host of this format takes back of an answer beside its words and calls. */
const FORGOTTEN = ['images', 'provider_blocks'];

function reportForgotten({ body, onAdapted }: BodyInput): void {
  if (onAdapted === undefined) return;
  for (const name of FORGOTTEN) {
    const isLost = body.messages.some((message) => message.role === 'assistant' && message[name] != null);
    if (isLost) onAdapted(`messages.${name}`, 'left_out');
  }
}

/** Both spellings of the limit become the one that the host accepts. If both are given, the newer one counts. */
function setTokenLimit(sent: Record<string, unknown>, body: ChatBody, quirks: Quirks): void {
  const limit = body.max_completion_tokens ?? body.max_tokens;
  const { maxTokensMember = 'max_tokens' } = quirks;
  if (limit !== undefined) sent[maxTokensMember] = limit;
}

/** An assignment that treats a member named `__proto__` as data. */
function setMember(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Members that are not passed on as they are: the gateway's own, and those that are rewritten. */
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
  'response_format',
  ...TOKEN_LIMIT_MEMBERS,
]);

/** null if the host refuses the member. */
export function hostNameOf(name: string, { members = {}, cacheControl }: Quirks): string | null {
  if (name === 'cache_control' && cacheControl === false) return null;
  return Object.hasOwn(members, name) ? (members[name] ?? null) : name;
}

/** This format has efforts but no limit in tokens. Some hosts also have switches of their own. */
function setReasoning(sent: Record<string, unknown>, call: BodyInput, quirks: Quirks): void {
  const { reasoning, body } = call;
  if (reasoning === null) return;
  if (reasoning.isUnrecorded) return void Object.assign(sent, givenReasoning(body));
  const { reasoningOn, reasoningOff } = quirks;
  if (!reasoning.isEnabled && reasoningOff !== undefined) {
    Object.assign(sent, reasoningOff);
    return;
  }
  if (reasoning.isEnabled) Object.assign(sent, reasoningOn);
  const effort = effortOf(call, reasoning);
  const hostName = hostNameOf('reasoning_effort', quirks);
  if (effort !== undefined && hostName !== null) sent[hostName] = effort;
}

/** As the request spells it. Whether reasoning is shown is decided here. */
function givenReasoning({ reasoning, reasoning_effort }: ChatBody): JsonObject {
  const { exclude, ...asked } = members(reasoning);
  return {
    ...(Object.keys(asked).length > 0 && { reasoning: asked }),
    ...(reasoning_effort !== undefined && { reasoning_effort }),
  };
}

/** If reasoning is off and the model has no effort `none`, its lowest effort. */
export function effortOf({ body, endpoint }: BodyInput, reasoning: Reasoning): string | undefined {
  const { isEnabled, effort, maxTokens } = reasoning;
  if (effort !== null) return effort;
  if (!isEnabled) return 'none';
  return maxTokens === null ? undefined : effortOfMaxTokens(maxTokens, maxAnswerTokens(body, endpoint));
}

/** `include_obfuscation` is about padding between client and gateway, not about the provider's stream. */
export function optionsOf(requested: unknown, forced: JsonObject): JsonObject {
  const { include_obfuscation, ...others } = members(requested);
  return Object.assign(others, forced);
}
