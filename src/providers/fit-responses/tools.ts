/** Tools, the choice among them, and schemas of arguments and of answers. */
import type { ChatContract } from '../../catalog/chat-contract.js';
import type { ResponsesContract } from '../../catalog/responses-contract.js';
import type { ChatTool, JsonObject } from '../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../../formats/json.js';
import { fitAnswerFormat } from '../fit/chat/answer-format.js';
import { fitTools } from '../fit/chat/tools.js';
import { type ChatCall, mapped } from '../fit/step.js';
import {
  changed,
  itemsOf,
  type ResponsesCall,
  type ResponsesStep,
  withMembers,
  withoutMembers,
} from './step.js';

export const fitResponsesTools: ResponsesStep = (call, contract) =>
  withFittedFormat(withFittedTools(withKnownChoice(withKnownTools(call, contract)), contract), contract);

/** Tools of types that the host has not are left out, as they are where nobody can run them. */
function withKnownTools(call: ResponsesCall, { toolTypes }: ResponsesContract): ResponsesCall {
  const given = elements(call.body.tools);
  if (toolTypes === null) return call;
  const tools = given.filter((tool, at) => {
    const isKnown = toolTypes.has(String(members(tool).type));
    if (!isKnown) call.onAdapted?.(`tools[${at}]`, 'left_out');
    return isKnown;
  });
  return tools.length === given.length ? call : withMembers(call, { tools });
}

/** Among no tools there is nothing to choose, and a function that is not there can't be chosen. */
function withKnownChoice(call: ResponsesCall): ResponsesCall {
  const { tools, tool_choice } = call.body;
  const isEmpty = Array.isArray(tools) && tools.length === 0;
  if (tools === undefined || tools === null || isEmpty) {
    const isForced = isObject(tool_choice) || tool_choice === 'required';
    if (isForced) return withMembers(withoutMembers(call, ['tool_choice']), NO_TOOLS);
    return withMembers(call, NO_TOOLS);
  }
  const { type, name } = members(tool_choice);
  if (type !== 'function' && type !== 'custom') return call;
  const isThere = elements(tools).some((tool) => members(tool).type === type && members(tool).name === name);
  if (isThere) return call;
  call.onAdapted?.('tool_choice', 'changed');
  return withMembers(call, { tool_choice: 'auto' });
}

const NO_TOOLS: JsonObject = { tools: undefined, tool_choice: undefined, parallel_tool_calls: undefined };

/** Functions are what they are in a chat, but for where their members stand, and for those in namespaces and items. */
function withFittedTools(call: ResponsesCall, { chat }: ResponsesContract): ResponsesCall {
  const { tools, input } = call.body;
  return withMembers(call, {
    ...(Array.isArray(tools) && { tools: fittedList(tools, 'tools', call, chat) }),
    ...(Array.isArray(input) && {
      input: mapped(itemsOf(call), (item, at) =>
        isObject(item) && item.type === 'additional_tools'
          ? withFittedMembers(item, `input[${at}]`, call, chat)
          : item,
      ),
    }),
  });
}

/** `path`: that of the list. */
function fittedList(
  given: readonly unknown[],
  path: string,
  call: ResponsesCall,
  chat: ChatContract,
): readonly unknown[] {
  const list = mapped(given, (tool, index) =>
    isObject(tool) && tool.type === 'namespace'
      ? fittedNamespace(tool, `${path}[${index}]`, call, chat)
      : tool,
  );
  const at = given.flatMap((tool, index) => (members(tool).type === 'function' ? [index] : []));
  if (at.length === 0) return list;
  const functions = at.map((index) => functionIn(given[index] as JsonObject));
  const asked = inChat(call, { tools: functions }, (member) => placed(member, path, at));
  const fitted = elements(fitTools(asked, chat).body.tools) as readonly ChatTool[];
  const flat = new Map(
    at.map((index, place) => [index, flattened(given[index] as JsonObject, functions[place], fitted[place])]),
  );
  return mapped(list, (tool, index) => flat.get(index) ?? tool);
}

/** OpenAI demands a description of every namespace, and Azure one that is not empty. */
function fittedNamespace(
  namespace: JsonObject,
  path: string,
  call: ResponsesCall,
  chat: ChatContract,
): JsonObject {
  const fitted = withFittedMembers(namespace, path, call, chat);
  if (textOf(fitted.description)?.trim()) return fitted;
  call.onAdapted?.(`${path}.description`, 'changed');
  return changed(fitted, { description: `Tools of ${fitted.name}.` });
}

/** The owner of tools; how many a host takes is counted of those of the request alone. */
function withFittedMembers(
  owner: JsonObject,
  path: string,
  call: ResponsesCall,
  chat: ChatContract,
): JsonObject {
  if (!Array.isArray(owner.tools)) return owner;
  return changed(owner, {
    tools: fittedList(owner.tools, `${path}.tools`, call, { ...chat, maxTools: null }),
  });
}

function functionIn({ name, description, parameters, strict }: JsonObject): ChatTool {
  return {
    type: 'function',
    function: {
      name: String(name),
      ...(description != null && { description: String(description) }),
      ...(isObject(parameters) && { parameters }),
      ...(strict != null && { strict }),
    },
  } as ChatTool;
}

function flattened(given: JsonObject, asked: ChatTool | undefined, fitted: ChatTool | undefined): JsonObject {
  if (fitted === undefined || fitted === asked) return given;
  const before = members(asked?.function);
  const { description, parameters, strict } = members(fitted.function);
  return changed(given, {
    ...(description !== before.description && { description }),
    ...(parameters !== before.parameters && { parameters }),
    ...(strict !== before.strict && { strict: strict ?? false }),
  });
}

function withFittedFormat(call: ResponsesCall, { chat }: ResponsesContract): ResponsesCall {
  const { text } = call.body;
  const format = members(members(text).format);
  if (format.type !== 'json_schema' || !isObject(format.schema)) return call;
  const { type, ...json_schema } = format;
  const response_format = { type: 'json_schema', json_schema } as const;
  const asked = inChat(call, { response_format }, (path) =>
    path.replace(/^response_format(?:\.json_schema)?/, 'text.format'),
  );
  const fitted = members(fitAnswerFormat(asked, chat).body.response_format);
  if (fitted === response_format || fitted.type !== 'json_schema') return call;
  return withMembers(call, {
    text: { ...members(text), format: { type: 'json_schema', ...members(fitted.json_schema) } },
  });
}

/** A chat with these members, whose adaptations are told by their paths in the request. */
function inChat(
  { endpoint, provider, onAdapted }: ResponsesCall,
  body: JsonObject,
  pathOf: (path: string) => string,
): ChatCall {
  return {
    body: { messages: [], ...body },
    reasoning: null,
    endpoint,
    provider,
    ...(onAdapted && { onAdapted: (path, how) => onAdapted(pathOf(path), how) }),
  };
}

/** `tools[0].function.strict` of the functions of a list alone, as a path of the request. */
function placed(path: string, list: string, at: readonly number[]): string {
  return path.replace(
    /^tools\[(\d+)\](?:\.function)?/,
    (_, place: string) => `${list}[${at[Number(place)]}]`,
  );
}
