/** Calls in the history: with arguments that can be read, and in words for models that have no tools. */
import { textKey } from '../../../base/text.js';
import type { ChatMessage, ContentPart, ToolCall } from '../../../formats/chat/types.js';
import { elements, isObject, members, parseJson, textOf } from '../../../formats/json.js';
import { mapped, type Step, withBody, without } from '../step.js';
import { isResult } from './pairing.js';

/** Arguments of one chat that are read to see what they are; what is more is sent as it came. */
const MAX_READ_CHARACTERS = 1024 * 1024;

/** Arguments that are no JSON object or list stand in one whole, as its only member. */
export const fitArguments: Step = (call, { parsedArguments }) => {
  if (!parsedArguments) return call;
  const onChanged = () => call.onAdapted?.('messages.tool_calls', 'changed');
  let left = MAX_READ_CHARACTERS;
  const asRead = (text: string) => {
    left -= text.length;
    return left < 0 ? text : asObject(text, onChanged);
  };
  return withBody(call, {
    messages: mapped(call.body.messages, (message) => withObjects(message, asRead)),
  });
};

function withObjects(message: ChatMessage, asRead: (text: string) => string): ChatMessage {
  const { tool_calls } = message;
  if (!Array.isArray(tool_calls)) return message;
  const calls = mapped(tool_calls as readonly ToolCall[], (call) => {
    if (!isObject(call.function)) return call;
    const given = textOf(call.function.arguments) ?? '';
    const fitted = asRead(given);
    return fitted === call.function.arguments
      ? call
      : { ...call, function: { ...call.function, arguments: fitted } };
  });
  return calls === tool_calls ? message : { ...message, tool_calls: calls };
}

/** No arguments are an empty object. */
function asObject(text: string, onChanged: () => void): string {
  if (text.trim() === '' || text.trim() === 'null') return '{}';
  const value = parseJson(text);
  if (typeof value === 'object' && value !== null) return text;
  onChanged();
  return `{"arguments":${value === undefined ? JSON.stringify(text) : text.trim()}}`;
}

const ABOUT_TOOLS = ['tools', 'tool_choice', 'parallel_tool_calls'];

/** Tools are left out; what they were called with and said stays in the conversation. */
export const speakOfCalls: Step = (call, { tools }) => {
  if (tools) return call;
  if (elements(call.body.tools).length > 0) call.onAdapted?.('tools', 'left_out');
  const names = new Map<string, string>();
  const messages = mapped(call.body.messages, (message) => spoken(message, names));
  if (messages !== call.body.messages) call.onAdapted?.('messages', 'changed');
  return without(withBody(call, { messages }), ABOUT_TOOLS);
};

/** `names` are those of the called tools, by the ids of calls. */
function spoken(message: ChatMessage, names: Map<string, string>): ChatMessage {
  const { content, tool_calls, tool_call_id } = message;
  if (isResult(message)) {
    const name = names.get(textKey(tool_call_id ?? '')) ?? tool_call_id ?? '';
    return { role: 'user', content: beginning(`[Result of ${name}:]\n`, content) };
  }
  if (tool_calls === undefined) return message;
  const { tool_calls: _, ...rest } = message;
  const calls = elements(tool_calls).map((called) => words(members(called), names));
  return { ...rest, content: ending(content, calls.join('\n')) };
}

function words(called: ToolCall, names: Map<string, string>): string {
  const { name, arguments: given } = members(called.function);
  names.set(textKey(called.id ?? ''), textOf(name) ?? '');
  return `[Called ${textOf(name) ?? ''} with ${textOf(given) ?? '{}'}]`;
}

type Content = NonNullable<ChatMessage['content']> | null;

function beginning(text: string, content: ChatMessage['content']): Content {
  if (!Array.isArray(content)) return `${text}${content ?? ''}`;
  return [{ type: 'text', text }, ...(content as readonly ContentPart[])];
}

function ending(content: ChatMessage['content'], text: string): Content {
  if (text === '') return content ?? null;
  if (Array.isArray(content)) return [...(content as readonly ContentPart[]), { type: 'text', text }];
  return content ? `${content}\n\n${text}` : text;
}
