/** What the steps that make a Responses request fit share. */
import type { ResponsesContract } from '../../catalog/responses-contract.js';
import type { Endpoint, Provider } from '../../catalog/types.js';
import type { JsonObject } from '../../formats/chat/types.js';
import type { CallCommons } from '../../inference/ports/adapter.js';

/** A request as it is to be said to a host. */
export interface ResponsesCall {
  readonly body: JsonObject;
  readonly endpoint: Endpoint;
  readonly provider: Pick<Provider, 'name'>;
  /** Called with paths of the request. */
  readonly onAdapted?: CallCommons['onAdapted'];
}

/** Makes a request fit in one respect: the same object where it fits. Throws what `refused` makes where it can't. */
export type ResponsesStep = (call: ResponsesCall, contract: ResponsesContract) => ResponsesCall;

/** The call with these members; the same one where they are what it has. Undefined ones are removed. */
export function withMembers(call: ResponsesCall, changes: JsonObject): ResponsesCall {
  const body = changed(call.body, changes);
  return body === call.body ? call : { ...call, body };
}

/** The call without these members, which are told; the same one where it has none of them. */
export function withoutMembers(call: ResponsesCall, names: readonly string[]): ResponsesCall {
  const given = names.filter((name) => call.body[name] !== undefined);
  for (const name of given) if (call.body[name] !== null) call.onAdapted?.(name, 'left_out');
  return withMembers(call, Object.fromEntries(given.map((name) => [name, undefined])));
}

/** The object with these members; the same one where they are what it has. Undefined ones are removed. */
export function changed<T extends JsonObject>(owner: T, changes: JsonObject): T {
  const names = Object.keys(changes).filter((name) => owner[name] !== changes[name]);
  if (names.length === 0) return owner;
  const kept = Object.entries({ ...owner, ...changes }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as T;
}

/** The items of the conversation; none where it is a text. */
export function itemsOf({ body }: Pick<ResponsesCall, 'body'>): readonly unknown[] {
  return Array.isArray(body.input) ? body.input : NONE;
}

const NONE: readonly never[] = [];

/** Its type; that of a message may be missing. */
export function typeOf({ type, role }: JsonObject): unknown {
  return type ?? (role === undefined ? undefined : 'message');
}
