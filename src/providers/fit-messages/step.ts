/** What the steps that make a Messages request fit share. */
import type { MessagesContract } from '../../catalog/messages-contract.js';
import type { JsonObject } from '../../formats/chat/types.js';
import type { CallCommons } from '../../inference/ports/adapter.js';

/** A Messages request as it is to be said to a host. */
export interface MessagesCall extends Pick<CallCommons, 'onAdapted'> {
  readonly provider: Pick<CallCommons['provider'], 'name'>;
  readonly body: JsonObject;
  /** Beta features that the host is asked for. */
  readonly betas: readonly string[];
  /** Whether media are fetched that the host does not fetch, before the request is sent. */
  readonly areMediaFetched?: boolean;
}

/** Makes a request fit in one respect: the same object where it fits. Throws what `refused` makes where it can't. */
export type MessagesStep = (call: MessagesCall, contract: MessagesContract) => MessagesCall;

/** The call with these members; the same one where they are what it has. */
export function withMembers(call: MessagesCall, changes: JsonObject): MessagesCall {
  const isSame = Object.entries(changes).every(([name, value]) => call.body[name] === value);
  return isSame ? call : { ...call, body: { ...call.body, ...changes } };
}

/** The value without these members; the same one where it has none of them. */
export function withoutNames<T extends JsonObject>(value: T, ...names: readonly string[]): T {
  if (!names.some((name) => name in value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name))) as T;
}

/** The call without these members, each told. */
export function withoutMembers(call: MessagesCall, ...names: readonly string[]): MessagesCall {
  const there = names.filter((name) => name in call.body);
  if (there.length === 0) return call;
  for (const name of there) call.onAdapted?.(name, 'left_out');
  return { ...call, body: withoutNames(call.body, ...there) };
}
