/** What the steps that make a chat fit share. */
import type { ChatContract } from '../../catalog/chat-contract.js';
import type { Provider } from '../../catalog/types.js';
import type { ChatBody } from '../../formats/chat/types.js';
import type { CallCommons, ChatForm } from '../../inference/ports/adapter.js';
import { UpstreamFailure } from '../../inference/ports/failure.js';

/** A chat as it is to be said to a host. */
export type ChatCall = ChatForm &
  Pick<CallCommons, 'endpoint' | 'onAdapted' | 'sessionHint'> & { readonly provider: Pick<Provider, 'name'> };

/** Makes a chat fit in one respect: the same object where it fits. Throws what `refused` makes where it can't. */
export type Step = (call: ChatCall, contract: ChatContract) => ChatCall;

/** The call with these members; the same one where they are what it has. */
export function withBody(call: ChatCall, changes: Partial<ChatBody>): ChatCall {
  const isSame = Object.entries(changes).every(([name, value]) => call.body[name] === value);
  return isSame ? call : { ...call, body: { ...call.body, ...changes } };
}

/** The call without these members; the same one where it has none of them. */
export function without(call: ChatCall, names: readonly string[]): ChatCall {
  if (!names.some((name) => Object.hasOwn(call.body, name))) return call;
  const kept = Object.entries(call.body).filter(([name]) => !names.includes(name));
  return { ...call, body: { ...Object.fromEntries(kept), messages: call.body.messages } };
}

/** The list with each element changed; the very list where none is. */
export function mapped<T>(list: readonly T[], change: (element: T, index: number) => T): readonly T[] {
  let changed: T[] | undefined;
  for (const [index, element] of list.entries()) {
    const next = change(element, index);
    if (next === element) continue;
    changed ??= [...list];
    changed[index] = next;
  }
  return changed ?? list;
}

/** Fails the attempt before anything is sent: `member` is a path of the chat, `rule` what the host takes. */
export function refused(
  { provider }: { readonly provider: Pick<CallCommons['provider'], 'name'> },
  member: string,
  rule: string,
): UpstreamFailure {
  return new UpstreamFailure(`${member}: ${provider.name} takes ${rule}`, {
    kind: 'invalid_request',
    providerError: { param: member },
    isPenalised: false,
  });
}
