/** Makes calls without the members and features that a provider refuses. */
import { type Quirks, withQuirk } from '../../catalog/quirks.js';
import type { Format, NativeFormat } from '../../catalog/types.js';
import type { ChatBody } from '../../formats/chat/types.js';
import { NATIVE_MEMBERS } from '../../formats/shared-capacity/member-names.js';
import type { Adaptation, UpstreamCall } from '../ports/adapter.js';
import { anyOf, type Refusals } from './refusals.js';

/** Distinguishes features from members. */
type Features = Pick<Refusals, 'featureOf'>;

/** A call, and the members that were changed in it. */
interface AdaptedCall {
  readonly call: UpstreamCall;
  readonly adapted: readonly string[];
}

/** The call without these members, or with another spelling of them. Members that it does not have change nothing. */
export function adaptCall(call: UpstreamCall, members: readonly string[], features: Features): AdaptedCall {
  const adapted: string[] = [];
  const changed = members.reduce((current, name) => {
    const next = without(current, name, features);
    if (next !== current) adapted.push(name);
    return next;
  }, call);
  return { call: changed, adapted };
}

/** Members that are respelled; all others are left out. */
const RESPELLED: ReadonlySet<string> = new Set(['max_tokens', 'max_completion_tokens']);

export function adaptationOf(name: string, features: Features): Adaptation {
  return features.featureOf(name)?.adaptation ?? (RESPELLED.has(name) ? 'changed' : 'left_out');
}

/** Whether the call has the member, so that its success shows that the provider accepts it. */
export function hasMember(call: UpstreamCall, name: string, features: Features): boolean {
  if (name === 'stream_options') return call.body.stream_options !== undefined;
  return call.body[nameIn(call, name)] !== null && without(call, name, features) !== call;
}

/** The name of a chat's member in the format of the call. */
function nameIn({ format }: UpstreamCall, name: string): string {
  return format === 'chat' ? name : (NATIVE_MEMBERS[format].get(name) ?? name);
}

function without(call: UpstreamCall, name: string, features: Features): UpstreamCall {
  const feature = features.featureOf(name);
  if (feature !== undefined) {
    const names = name === anyOf(feature.kind) ? feature.namesIn(call) : [name];
    return names.reduce((current, one) => feature.without(current, one), call);
  }
  if (name === 'stream_options' && ASKS_FOR_USAGE[call.format])
    return withQuirkOf(call, 'streamOptions', null);
  return call.format === 'chat' ? withoutChatMember(call, name) : withoutNativeMember(call, name);
}

/** Whether adapters have streams of a format tell their usage by this member, unless a quirk says otherwise. */
const ASKS_FOR_USAGE: Readonly<Record<Format, boolean>> = {
  chat: true,
  messages: false,
  responses: false,
  completions: true,
  embeddings: false,
  rerank: false,
};

function withoutChatMember(call: UpstreamCall<unknown, 'chat'>, name: string): UpstreamCall {
  const { body } = call;
  switch (name) {
    case 'max_tokens':
      return hasTokenLimit(body) ? withQuirkOf(call, 'maxTokensMember', 'max_completion_tokens') : call;
    case 'max_completion_tokens':
      return hasTokenLimit(body) ? withQuirkOf(call, 'maxTokensMember', 'max_tokens') : call;
    case 'reasoning_effort':
      return call.reasoning === null ? call : { ...call, reasoning: null };
    case CACHE_KEY:
      return withoutHint(body[name] === undefined ? call : { ...call, body: withoutMember(body, name) });
    default:
      return body[name] === undefined ? call : { ...call, body: withoutMember(body, name) };
  }
}

const CACHE_KEY = 'prompt_cache_key';

function withoutHint(call: UpstreamCall<unknown, 'chat'>): UpstreamCall {
  const { sessionHint, ...others } = call;
  return sessionHint?.promptCacheKey === undefined ? call : others;
}

/** Whether the member is in the call only since the gateway has put it there. */
export function isOwnHint({ body, sessionHint }: UpstreamCall, name: string): boolean {
  return name === CACHE_KEY && sessionHint?.promptCacheKey !== undefined && body[CACHE_KEY] == null;
}

function hasTokenLimit({ max_tokens, max_completion_tokens }: ChatBody): boolean {
  return max_tokens !== undefined || max_completion_tokens !== undefined;
}

/** The call with a quirk; the same call if it has the quirk already. */
function withQuirkOf<Name extends keyof Quirks>(
  call: UpstreamCall,
  name: Name,
  value: Quirks[Name],
): UpstreamCall {
  const endpoint = withQuirk(call.endpoint, name, value);
  return endpoint === call.endpoint ? call : { ...call, endpoint };
}

function withoutMember(body: ChatBody, name: string): ChatBody {
  const { messages, ...rest } = body;
  return { messages, ...Object.fromEntries(Object.entries(rest).filter(([member]) => member !== name)) };
}

function withoutNativeMember(call: UpstreamCall<unknown, NativeFormat>, name: string): UpstreamCall {
  const member = NATIVE_MEMBERS[call.format].get(name);
  if (member === undefined || call.body[member] === undefined) return call;
  const { [member]: _, ...body } = call.body;
  return { ...call, body };
}
