/** Translates `tools`, `tool_choice` and `parallel_tool_calls` to Converse's terms. */
import { distinctTexts } from '../../../base/text.js';
import type { ChatBody, JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../../../formats/json.js';
import { mapIn, supportedSchema } from '../../anthropic/chat/schema.js';
import { withAllowedTools } from '../../common/allowed-tools.js';
import { withOriginal } from '../../fit/chat/tools.js';
import { fittedInputSchema } from '../../fit-messages/schemas.js';
import { type Block, cachePoints, unsupported } from './block.js';
import type { Turn } from './conversation.js';
import type { BedrockModel } from './model.js';

export interface ToolUse {
  /** The member `toolConfig`; undefined if there are no tools. */
  readonly config?: JsonObject;
  /** Members of `additionalModelRequestFields`, for Anthropic's models. */
  readonly modelFields?: JsonObject;
  /** Added to the system prompt, if Converse has no member for it. */
  readonly instruction?: Block;
  /** Whether the model must call a tool. */
  readonly isForced: boolean;
}

/** Converse has no tool choice `none`, and refuses conversations that used tools without naming the tools. */
const NO_TOOLS: Block = { text: 'Do not call any tool in this turn: answer in words.' };

/** Throws `UpstreamFailure` `invalid_request` for a tool that is not a function. */
export function toolUseOf(request: ChatBody, turns: readonly Turn[], model: BedrockModel): ToolUse {
  const body = withAllowedTools(request);
  const given = elements(body.tools).map(members);
  const tools = (model.family === 'claude' ? once(given) : given).flatMap((tool) => toolBlocks(tool, model));
  const used = usedTools(turns);
  if (tools.length === 0 && used.length === 0) return { isForced: false };
  if (tools.length === 0 || body.tool_choice === 'none') {
    if (used.length === 0) return { isForced: false };
    return { config: { tools: tools.length > 0 ? tools : used }, instruction: NO_TOOLS, isForced: false };
  }
  const toolChoice = choiceOf(body.tool_choice);
  return {
    config: { tools, ...(toolChoice !== undefined && { toolChoice }) },
    ...onlyOneAtATime(body, model, toolChoice !== undefined),
    isForced: toolChoice !== undefined,
  };
}

/** Claude takes each name once: a tool that is given again is left out, another one of its name refused. */
function once(tools: readonly JsonObject[]): readonly JsonObject[] {
  const known = new Map<unknown, string>();
  return tools.filter((tool) => {
    const { name } = members(tool.function);
    const text = JSON.stringify(tool.function);
    const first = known.get(name);
    if (first !== undefined && first !== text)
      throw unsupported(`two different tools of the name ${String(name)}`);
    known.set(name, text);
    return first === undefined;
  });
}

function toolBlocks(tool: JsonObject, { family, traits, takesCachePointsOfTools }: BedrockModel): Block[] {
  const described = tool.function;
  if (!isObject(described)) throw unsupported(`tools of type ${textOf(tool.type) ?? 'unknown'}`);
  const { name, description, parameters, strict } = described;
  const descriptionText = textOf(description);
  const objectSchema = { ...(isObject(parameters) ? parameters : { properties: {} }), type: 'object' };
  const { schema, isWider } =
    family === 'claude' ? fittedInputSchema(objectSchema) : { schema: objectSchema, isWider: false };
  const isTaken = family === 'claude' && traits.takesSchemas;
  // A tool that is not strict may have maps.
  const isStrict = strict === true && isTaken && mapIn(schema) === undefined;
  const toolSpec = {
    name,
    ...(descriptionText !== undefined && { description: descriptionText }),
    ...(isWider && { description: withOriginal(descriptionText, parameters) }),
    inputSchema: { json: isStrict ? supportedSchema(schema) : schema },
    ...(isStrict && { strict }),
  };
  const cached = isObject(tool.cache_control) ? tool : described;
  return [{ toolSpec }, ...(takesCachePointsOfTools ? cachePoints(cached) : [])];
}

/** undefined means `auto`. */
function choiceOf(choice: unknown): JsonObject | undefined {
  if (choice === 'required') return { any: {} };
  const name = textOf(members(members(choice).function).name);
  return name === undefined ? undefined : { tool: { name } };
}

/** Only Anthropic's models accept this. The type must not be repeated next to Converse's own `toolChoice`. */
function onlyOneAtATime(
  { parallel_tool_calls }: ChatBody,
  { family }: BedrockModel,
  isChosen: boolean,
): Pick<ToolUse, 'modelFields'> {
  if (parallel_tool_calls !== false || family !== 'claude') return {};
  const tool_choice = { ...(!isChosen && { type: 'auto' }), disable_parallel_tool_use: true };
  return { modelFields: { tool_choice } };
}

/** The tools that the conversation used, by name. */
function usedTools(turns: readonly Turn[]): Block[] {
  const blocks = turns.flatMap(({ content }) => content);
  const names = blocks.flatMap(({ toolUse }) => textOf(members(toolUse).name) ?? []);
  const json = { type: 'object', properties: {} };
  return distinctTexts(names).map((name) => ({ toolSpec: { name, inputSchema: { json } } }));
}
