/** Reports what a translation sends differently than the chat says it, or leaves out. */
import { ExactInteger } from '../../base/json/exact-integer.js';
import { asksForNothing } from '../../formats/chat/no-demand.js';
import type { ChatBody, JsonObject } from '../../formats/chat/types.js';
import type { CallCommons } from '../../inference/ports/adapter.js';

/**
 * What a request of the protocol has for each member of a chat. `true` if there is no single member, or if the gateway
 * itself does what is asked. Members that are not listed are left out.
 */
export type MemberMapping = Readonly<Record<string, true | ((sent: JsonObject) => unknown)>>;

/** Members that every translation passes to another part of the gateway, or in another form. */
export const TRANSLATED: MemberMapping = Object.fromEntries(
  [
    ...['include_reasoning', 'messages', 'model', 'reasoning', 'reasoning_effort', 'response_format'],
    ...['session_id', 'stream_options', 'tool_choice', 'tools', 'usage', 'web_search_options'],
  ].map((name) => [name, true]),
);

/** Reports the members of the call's chat that `sent` does not have as they are. */
export function reportAdapted(
  { body, onAdapted }: { readonly body: ChatBody } & Pick<CallCommons, 'onAdapted'>,
  mapping: MemberMapping,
  sent: JsonObject,
): void {
  if (onAdapted === undefined) return;
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined || value === null || asksForNothing(name, value)) continue;
    const mapped = Object.hasOwn(mapping, name) ? mapping[name] : undefined;
    if (mapped === true) continue;
    const said = mapped?.(sent);
    if (said === undefined || said === null) onAdapted(name, 'left_out');
    else if ((typeof value === 'number' || value instanceof ExactInteger) && said !== value)
      onAdapted(name, 'changed');
    else if (Array.isArray(value) && Array.isArray(said) && said.length < value.length)
      onAdapted(name, 'changed');
  }
}
