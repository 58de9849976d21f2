/** Tools and how they are to be used, in Anthropic's words. */
import type { ChatBody, JsonObject } from '../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../http/json.js';
import { cacheControlOf } from './block.js';
import type { Turn } from './conversation.js';
import type { ModelTraits } from './model.js';

/**
 * The members `tools` and `tool_choice`; none without tools. A conversation in which tools were used needs them named,
 * also where the model is to use none any more.
 */
export function toolMembers(body: ChatBody, turns: readonly Turn[], traits: ModelTraits): JsonObject {
  const tools = elements(body.tools).flatMap((tool) => (isObject(tool) ? toolOf(tool, traits) : []));
  if (tools.length > 0) {
    const tool_choice = choiceOf(body);
    return { tools, ...(tool_choice !== undefined && { tool_choice }) };
  }
  const used = usedTools(turns);
  return used.length === 0 ? {} : { tools: used, tool_choice: { type: 'none' } };
}

/** Whether the choice leaves the model no way but to call a tool. */
export function isForced({ tool_choice }: JsonObject): boolean {
  const { type } = members(tool_choice);
  return type === 'any' || type === 'tool';
}

/** Tools of the provider's own go out as they are. */
function toolOf(tool: JsonObject, { takesSchemas }: ModelTraits): JsonObject {
  if (!isObject(tool.function)) return tool;
  const { name, description, parameters, strict } = tool.function;
  const descriptionText = textOf(description);
  return {
    name,
    ...(descriptionText !== undefined && { description: descriptionText }),
    input_schema: { ...(isObject(parameters) ? parameters : { properties: {} }), type: 'object' },
    ...(strict === true && takesSchemas && { strict }),
    ...cacheControlOf(tool.function),
    ...cacheControlOf(tool),
  };
}

function choiceOf({ tool_choice, parallel_tool_calls }: ChatBody): JsonObject | undefined {
  const choice =
    typeof tool_choice === 'string' ? NAMED_CHOICES.get(tool_choice) : functionChoice(tool_choice);
  if (parallel_tool_calls !== false || choice?.type === 'none') return choice;
  return { ...(choice ?? { type: 'auto' }), disable_parallel_tool_use: true };
}

const NAMED_CHOICES: ReadonlyMap<string, JsonObject> = new Map([
  ['auto', { type: 'auto' }],
  ['none', { type: 'none' }],
  ['required', { type: 'any' }],
]);

function functionChoice(choice: unknown): JsonObject | undefined {
  const name = textOf(members(members(choice).function).name);
  return name === undefined ? undefined : { type: 'tool', name };
}

function usedTools(turns: readonly Turn[]): JsonObject[] {
  const blocks = turns.flatMap(({ content }) => content);
  const names = blocks.flatMap(({ type, name }) => (type === 'tool_use' ? [name] : []));
  return [...new Set(names)].map((name) => ({ name, input_schema: { type: 'object', properties: {} } }));
}
