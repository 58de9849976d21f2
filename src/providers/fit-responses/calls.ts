/** Calls of functions and of custom tools, and their outputs: the API wants each with the other. */
import type { JsonObject } from '../../formats/chat/types.js';
import { elements, isObject, textOf } from '../../formats/json.js';
import { callAsText } from '../../formats/responses/call-text.js';
import { OpenCalls } from '../fit/calls/open-calls.js';
import { NO_RESULT, orphanHeading } from '../fit/calls/result-words.js';
import { itemsOf, type ResponsesStep, withMembers } from './step.js';

/** By the type of the call. */
const OUTPUTS: ReadonlyMap<unknown, string> = new Map([
  ['function_call', 'function_call_output'],
  ['custom_tool_call', 'custom_tool_call_output'],
]);

const CALLS: ReadonlyMap<unknown, unknown> = new Map([...OUTPUTS].map(([call, output]) => [output, call]));

/**
 * A call that was never answered gets an output that says so; an output without its call before it becomes words of the user.
 * Calls that a host has told otherwise become texts.
 */
export const fitCalls: ResponsesStep = (call, { pairedCalls }) => {
  const items = itemsOf(call);
  const written = items.map(callAsText);
  const spoken = pairedCalls ? paired(written) : written;
  const isSame = spoken.length === items.length && spoken.every((item, at) => item === items[at]);
  return isSame ? call : withMembers(call, { input: spoken });
};

function paired(items: readonly unknown[]): readonly unknown[] {
  const unanswered = new Set<unknown>();
  const orphans = new Set<unknown>();
  const open = new Map([...OUTPUTS.keys()].map((type) => [type, new OpenCalls<unknown>()]));
  for (const item of items) {
    if (!isObject(item)) continue;
    const id = textOf(item.call_id);
    if (OUTPUTS.has(item.type) && id !== undefined) {
      unanswered.add(item);
      open.get(item.type)?.add([[id, item]]);
    }
    if (!CALLS.has(item.type)) continue;
    const answered = id === undefined ? undefined : open.get(CALLS.get(item.type))?.take(id);
    if (answered === undefined) orphans.add(item);
    else unanswered.delete(answered);
  }
  return unanswered.size + orphans.size === 0
    ? items
    : items.flatMap((item) => {
        if (orphans.has(item)) return [spoken(item as JsonObject)];
        return unanswered.has(item) ? [item, answerOf(item as JsonObject)] : [item];
      });
}

function answerOf({ type, call_id }: JsonObject): JsonObject {
  return { type: OUTPUTS.get(type), call_id, output: NO_RESULT };
}

function spoken({ call_id, output }: JsonObject): JsonObject {
  const heading = orphanHeading(textOf(call_id) ?? '');
  const parts = typeof output === 'string' ? [textPart(output)] : elements(output);
  return { type: 'message', role: 'user', content: [textPart(heading), ...parts] };
}

function textPart(text: string): JsonObject {
  return { type: 'input_text', text };
}
