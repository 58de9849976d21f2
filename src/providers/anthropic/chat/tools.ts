/** Translates `tools`, `tool_choice` and `parallel_tool_calls` to Anthropic's terms. */

import { distinctTexts } from '../../../base/text.js';
import type { ChatBody, JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../../../formats/json.js';
import { withAllowedTools } from '../../common/allowed-tools.js';
import type { ModelTraits } from '../host/model.js';
import { cacheControlOf } from './block.js';
import type { Turn } from './conversation.js';
import { webSearchTool } from './host-members.js';
import { mapIn, supportedSchema } from './schema.js';

/**
 * The members `tools` and `tool_choice`; empty if there are no tools. A conversation that used tools must declare them,
 * even if the request no longer has any.
 */
export function toolMembers(request: ChatBody, turns: readonly Turn[], traits: ModelTraits): JsonObject {
  const body = withAllowedTools(request);
  const given = elements(body.tools).flatMap((tool) => (isObject(tool) ? toolOf(tool, traits) : []));
  const tools = [...given, ...webSearchTool(body)];
  if (tools.length > 0) {
    const tool_choice = choiceOf(body);
    return { tools, ...(tool_choice !== undefined && { tool_choice }) };
  }
  const used = usedTools(turns);
  return used.length === 0 ? {} : { tools: used, tool_choice: { type: 'none' } };
}

/** Whether the model must call a tool. */
export function isForced({ tool_choice }: JsonObject): boolean {
  const { type } = members(tool_choice);
  return type === 'any' || type === 'tool';
}

/** The provider's own tools are passed on as they are. */
function toolOf(tool: JsonObject, { takesSchemas }: ModelTraits): JsonObject {
  if (!isObject(tool.function)) return tool;
  const { name, description, parameters, strict } = tool.function;
  const descriptionText = textOf(description);
  const input_schema = { ...(isObject(parameters) ? parameters : { properties: {} }), type: 'object' };
  // A tool that is not strict may have maps.
  const isStrict = strict === true && takesSchemas && mapIn(input_schema) === undefined;
  return {
    name,
    ...(descriptionText !== undefined && { description: descriptionText }),
    ...(isStrict ? { input_schema: supportedSchema(input_schema), strict } : { input_schema }),
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
  const names = blocks.flatMap(({ type, name }) => (type === 'tool_use' ? (textOf(name) ?? []) : []));
  return distinctTexts(names).map((name) => ({ name, input_schema: { type: 'object', properties: {} } }));
}
