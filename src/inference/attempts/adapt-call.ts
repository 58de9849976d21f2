/** Calls without members that a provider refuses. */
import { mergeQuirks, type Quirks } from '../../catalog/quirks.js';
import type { NativeFormat } from '../../catalog/types.js';
import type { ChatBody } from '../../formats/chat/types.js';
import { NATIVE_MEMBERS } from '../../formats/member-names.js';
import { withoutBetaMembers } from '../../formats/messages/betas.js';
import { betasIn, withBetas } from '../../formats/messages/headers.js';
import type { Adaptation, UpstreamCall } from '../ports/adapter.js';
import { ALL_BETAS, API_VERSION, BETA } from './refused-members.js';

/** A call, and the members that were changed in it. */
interface AdaptedCall {
  readonly call: UpstreamCall;
  readonly adapted: readonly string[];
}

/** The call without these members, or with the other spelling of them; those that it has not change nothing. */
export function adaptCall(call: UpstreamCall, members: readonly string[]): AdaptedCall {
  const adapted: string[] = [];
  const changed = members.reduce((current, name) => {
    const next = withoutMember(current, name);
    if (next !== current) adapted.push(name);
    return next;
  }, call);
  return { call: changed, adapted };
}

/** Members that are said in another way; all others are left out. */
const RESPELLED: ReadonlySet<string> = new Set(['max_tokens', 'max_completion_tokens', API_VERSION]);

export function adaptationOf(name: string): Adaptation {
  return RESPELLED.has(name) ? 'changed' : 'left_out';
}

/** Whether the call itself has the member, so that its success shows that the provider takes it. */
export function hasMember(call: UpstreamCall, name: string): boolean {
  if (name === 'stream_options') return call.body.stream_options !== undefined;
  return call.body[nameIn(call, name)] !== null && withoutMember(call, name) !== call;
}

/** What the call's format calls a member of a chat. */
function nameIn({ format }: UpstreamCall, name: string): string {
  return format === 'chat' ? name : (NATIVE_MEMBERS[format].get(name) ?? name);
}

function withoutMember(call: UpstreamCall, name: string): UpstreamCall {
  if (name === ALL_BETAS) return betasOf(call).reduce(withoutBeta, call);
  if (name.startsWith(BETA)) return withoutBeta(call, name.slice(BETA.length));
  return call.format === 'chat' ? withoutChatMember(call, name) : withoutNativeMember(call, name);
}

function withoutChatMember(call: UpstreamCall<unknown, 'chat'>, name: string): UpstreamCall {
  const { body } = call;
  switch (name) {
    case 'max_tokens':
      return hasTokenLimit(body) ? withQuirk(call, 'maxTokensMember', 'max_completion_tokens') : call;
    case 'max_completion_tokens':
      return hasTokenLimit(body) ? withQuirk(call, 'maxTokensMember', 'max_tokens') : call;
    case 'stream_options':
      return withQuirk(call, 'streamOptions', null);
    case API_VERSION:
      return call.provider.adapter === 'azure' ? withQuirk(call, 'apiVersion', LATEST_DATED) : call;
    case 'reasoning_effort':
      return call.reasoning === null ? call : { ...call, reasoning: null };
    default:
      return body[name] === undefined ? call : { ...call, body: without(body, name) };
  }
}

/** Azure's latest version with a date. */
const LATEST_DATED = '2025-04-01-preview';

function hasTokenLimit({ max_tokens, max_completion_tokens }: ChatBody): boolean {
  return max_tokens !== undefined || max_completion_tokens !== undefined;
}

/** The call itself where it has the quirk already. */
function withQuirk<Name extends keyof Quirks>(
  call: UpstreamCall,
  name: Name,
  value: Quirks[Name],
): UpstreamCall {
  const { endpoint } = call;
  if (endpoint.quirks[name] === value) return call;
  return { ...call, endpoint: { ...endpoint, quirks: mergeQuirks(endpoint.quirks, { [name]: value }) } };
}

function without(body: ChatBody, name: string): ChatBody {
  const { messages, ...rest } = body;
  return { messages, ...Object.fromEntries(Object.entries(rest).filter(([member]) => member !== name)) };
}

function withoutNativeMember(call: UpstreamCall<unknown, NativeFormat>, name: string): UpstreamCall {
  const member = NATIVE_MEMBERS[call.format].get(name);
  if (member === undefined || call.body[member] === undefined) return call;
  const { [member]: _, ...body } = call.body;
  return { ...call, body };
}

/** Features of Anthropic's that the call names. */
export function betasOf({ body, apiHeaders }: UpstreamCall): readonly string[] {
  return [...betasIn(apiHeaders), ...(Array.isArray(body.betas) ? body.betas.map(String) : [])];
}

/** Betas are named by the body, by a header, or by both; some take a member of the body with them. */
function withoutBeta(call: UpstreamCall, beta: string): UpstreamCall {
  const inHeader = betasIn(call.apiHeaders);
  const { betas: inBody } = call.body;
  const isOther = (one: unknown) => one !== beta;
  const isInBody = Array.isArray(inBody) && inBody.includes(beta);
  const isInHeader = inHeader.includes(beta);
  if (!isInBody && !isInHeader) return call;
  const named = isInHeader
    ? { ...call, apiHeaders: withBetas(call.apiHeaders, inHeader.filter(isOther)) }
    : call;
  if (named.format !== 'chat') return { ...named, body: withoutBetaMembers(named.body, [beta]) };
  return isInBody ? { ...named, body: { ...named.body, betas: inBody.filter(isOther) } } : named;
}
