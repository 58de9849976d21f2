/** Tools, and the choice among them. Their members stand beside the type, not in an object of its name. */
import type { ChatBody, JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject, members } from '../../../formats/json.js';

/** `tools` and `tool_choice`; empty without tools. Tools of the host's own are passed as they are. */
export function toolMembers({ tools, tool_choice }: ChatBody, own: readonly JsonObject[]): JsonObject {
  const given = [...elements(tools).filter(isObject).map(toolOf), ...own];
  if (given.length === 0) return Array.isArray(tools) ? { tools: given } : {};
  const choice = isObject(tool_choice) ? choiceOf(tool_choice) : (tool_choice ?? undefined);
  return {
    tools: given,
    ...(choice !== undefined && { tool_choice: choice === 'any' ? 'required' : choice }),
  };
}

function toolOf(tool: JsonObject): JsonObject {
  if (isObject(tool.function)) return functionTool(tool.function);
  if (tool.type !== 'custom' || !isObject(tool.custom)) return tool;
  const { name, description, format } = tool.custom;
  return {
    type: 'custom',
    name,
    ...(description !== undefined && { description }),
    ...(isObject(format) && { format: formatOf(format) }),
  };
}

/** The API is strict where nothing is said, and chats are not. */
function functionTool({ name, description, parameters, strict }: JsonObject): JsonObject {
  return {
    type: 'function',
    name,
    ...(description !== undefined && { description }),
    parameters: isObject(parameters) ? parameters : { type: 'object', properties: {} },
    strict: strict === true,
  };
}

function formatOf({ type, grammar, ...rest }: JsonObject): JsonObject {
  return { type, ...rest, ...members(grammar) };
}

function choiceOf(choice: JsonObject): JsonObject {
  const { type, allowed_tools } = choice;
  if (type === 'allowed_tools') {
    const { mode, tools } = members(allowed_tools ?? choice);
    return { type, mode: mode ?? 'auto', tools: elements(tools).map((tool) => choiceOf(members(tool))) };
  }
  const named = choice.function ?? choice.custom;
  if (!isObject(named)) return choice;
  return { type: isObject(choice.custom) ? 'custom' : 'function', name: named.name };
}
