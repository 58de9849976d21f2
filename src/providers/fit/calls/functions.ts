/** Functions, which OpenAI's API had before tools, as tools. */
import type { ChatBody, ChatMessage, ChatTool } from '../../../formats/chat/types.js';
import { elements, isObject, textOf } from '../../../formats/json.js';
import { mapped, type Step, withBody, without } from '../step.js';

export const fitFunctions: Step = (call, { functions }) => {
  if (functions) return call;
  const { body } = call;
  const messages = asToolMessages(body.messages);
  const isOlder = body.functions !== undefined || body.function_call !== undefined;
  if (!isOlder) return withBody(call, { messages });
  call.onAdapted?.('functions', 'changed');
  return without(withBody(call, { messages, ...asTools(body) }), ['functions', 'function_call']);
};

function asTools({ tools, tool_choice, functions, function_call }: ChatBody): Partial<ChatBody> {
  const given = elements(functions)
    .filter(isObject)
    .map((described): ChatTool => ({ type: 'function', function: described }));
  const choice = isObject(function_call) ? { type: 'function', function: function_call } : function_call;
  return {
    ...(given.length > 0 && { tools: [...elements(tools), ...given] as ChatTool[] }),
    ...(tool_choice === undefined && choice !== undefined && choice !== null && { tool_choice: choice }),
  };
}

/** A result of a function is one of the latest call of its name. */
function asToolMessages(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const ids = new Map<string, string>();
  return mapped(messages, (message, at) => {
    const { function_call, ...rest } = message;
    if (message.role === 'function') {
      const id = ids.get(textOf(message.name) ?? '') ?? `call_function_${at}`;
      return { ...rest, role: 'tool', tool_call_id: id };
    }
    if (!isObject(function_call)) return message;
    const id = `call_function_${at}`;
    ids.set(textOf(function_call.name) ?? '', id);
    const called = { id, type: 'function', function: function_call };
    return { ...rest, tool_calls: [...(message.tool_calls ?? []), called] };
  });
}
