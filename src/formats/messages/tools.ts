/** Translates `tools` and `tool_choice` to a chat's. */
import type { ChatTool, JsonObject } from '../chat/types.js';
import { elements, isObject, members, textOf } from '../json.js';
import type { Findings } from '../reading/findings.js';
import { isStrict } from './output-config.js';
import type { ToolNames } from './tool-names.js';
import type { MessagesBody } from './types.js';

/** The members `tools`, `tool_choice` and `parallel_tool_calls`; empty if there are no tools. */
export function chatToolMembers(body: MessagesBody, names: ToolNames, findings: Findings): JsonObject {
  const tools = elements(body.tools).flatMap((tool, position) =>
    toolOf(members(tool), `tools[${position}]`, names, findings),
  );
  return tools.length === 0 ? {} : { tools, ...choiceOf(members(body.tool_choice), names) };
}

const READ: ReadonlySet<string> = new Set([
  'type',
  'name',
  'description',
  'input_schema',
  'strict',
  'cache_control',
]);

/** The tool that finds tools with deferred definitions. A chat has all definitions from the start. */
const TOOL_SEARCH = /^tool_search_tool_/;

function toolOf(tool: JsonObject, field: string, names: ToolNames, findings: Findings): ChatTool[] {
  const type = textOf(tool.type) ?? 'custom';
  if (TOOL_SEARCH.test(type)) {
    findings.omit(type);
    return [];
  }
  if (type !== 'custom') {
    findings.demand(type);
    return [];
  }
  const name = textOf(tool.name);
  if (name === undefined) {
    findings.refuse(`${field}.name`, 'required', 'must name the tool');
    return [];
  }
  for (const member of Object.keys(tool)) if (!READ.has(member)) findings.omit(member);
  return [customTool(tool, names.shorten(name))];
}

export function customTool(tool: JsonObject, name: string): ChatTool {
  const { description, input_schema, strict, cache_control } = tool;
  const parameters = isObject(input_schema) ? input_schema : { type: 'object', properties: {} };
  return {
    type: 'function',
    function: {
      name,
      ...(textOf(description) !== undefined && { description }),
      parameters,
      ...(strict === true && isStrict(parameters) && { strict }),
    },
    ...(isObject(cache_control) && { cache_control }),
  };
}

/** `tool_choice` and `parallel_tool_calls` of the chat; empty for a choice that is none of Messages. */
export function choiceOf(choice: JsonObject, names: Pick<ToolNames, 'shorten'>): JsonObject {
  const tool_choice = namedChoice(choice, names);
  const isSerial = choice.disable_parallel_tool_use === true;
  return {
    ...(tool_choice !== undefined && { tool_choice }),
    ...(isSerial && { parallel_tool_calls: false }),
  };
}

function namedChoice({ type, name }: JsonObject, names: Pick<ToolNames, 'shorten'>): unknown {
  switch (type) {
    case 'auto':
    case 'none':
      return type;
    case 'any':
      return 'required';
    case 'tool':
      return { type: 'function', function: { name: names.shorten(textOf(name) ?? '') } };
    default:
      return undefined;
  }
}
