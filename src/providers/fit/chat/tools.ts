/** Tools, and the choice among them. */

import { exactJson } from '../../../base/json/json-body.js';
import type { ChatContract } from '../../../catalog/chat-contract.js';
import { untakenOwnTools } from '../../../formats/chat/own-tools.js';
import type { ChatBody, ChatTool, JsonObject } from '../../../formats/chat/types.js';
import { isObject, members, textOf } from '../../../formats/json.js';
import { withAllowedTools } from '../../common/allowed-tools.js';
import { fittedSchema } from '../schema/schemas.js';
import { canBeStrict } from '../schema/strict.js';
import { type ChatCall, mapped, refused, type Step, withBody, without } from '../step.js';
import { describedWithin } from './descriptions.js';

export const fitTools: Step = (call, contract) => {
  const { tools } = call.body;
  if (!Array.isArray(tools)) return withoutChoice(call, contract);
  if (tools.length === 0) return contract.emptyTools ? call : withoutTools(call);
  const { maxTools } = contract;
  const untaken = untakenOwnTools(call.body, contract);
  if (untaken !== undefined) throw refused(call, untaken.field, untaken.rule);
  if (maxTools !== null && tools.length > maxTools) throw refused(call, 'tools', `at most ${maxTools}`);
  const fitted = mapped(tools as readonly ChatTool[], (tool, at) =>
    describedWithin(fittedTool(tool, contract, call, at), contract, () =>
      call.onAdapted?.(`tools[${at}].function.description`, 'changed'),
    ),
  );
  return withTakenChoice(withBody(call, { tools: alike(fitted, contract, call) }), contract);
};

/** Where tools must be alike, one that can't be strict lets none be so. */
function alike(
  tools: readonly ChatTool[],
  { alikeTools }: ChatContract,
  call: ChatCall,
): readonly ChatTool[] {
  const strict = tools.filter((tool) => members(tool.function).strict === true);
  if (!alikeTools || strict.length === 0 || strict.length === tools.length) return tools;
  return tools.map((tool, at) => {
    if (!strict.includes(tool)) return tool;
    call.onAdapted?.(`tools[${at}].function.strict`, 'left_out');
    const { strict: _, ...described } = members(tool.function);
    return { ...tool, function: described };
  });
}

/** Among no tools there is nothing to choose. */
function withoutChoice(call: ChatCall, { emptyTools }: ChatContract): ChatCall {
  const { tool_choice, parallel_tool_calls } = call.body;
  if (emptyTools || (tool_choice === undefined && parallel_tool_calls === undefined)) return call;
  return withoutTools(call);
}

function withoutTools(call: ChatCall): ChatCall {
  return without(call, ['tools', 'tool_choice', 'parallel_tool_calls']);
}

function fittedTool(tool: ChatTool, contract: ChatContract, call: ChatCall, at: number): ChatTool {
  const described = tool.function;
  if (!isObject(described)) return tool;
  const { parameters } = described;
  const isNeeded = parameters !== undefined || contract.parametersNeeded;
  const { schema, isWider } = isNeeded
    ? fittedSchema(parameters, contract)
    : { schema: undefined, isWider: false };
  const isSame = schema === undefined || schema === parameters;
  const isHeld =
    contract.strictTools && !isWider && (described.strict !== true || canBeStrict(schema, contract));
  const isRelaxed = described.strict !== undefined && !isHeld;
  if (isSame && !isRelaxed) return tool;
  if (isWider) call.onAdapted?.(`tools[${at}].function.parameters`, 'changed');
  if (isRelaxed && described.strict === true) call.onAdapted?.(`tools[${at}].function.strict`, 'left_out');
  const { strict, ...rest } = described;
  return {
    ...tool,
    function: {
      ...(isRelaxed ? rest : described),
      ...(!isSame && { parameters: schema }),
      ...(isWider && { description: withOriginal(textOf(described.description), parameters) }),
    },
  };
}

/** The model reads what the schema could not say. */
export function withOriginal(description: string | undefined, schema: unknown): string {
  const original = `Its arguments follow this JSON schema: ${exactJson(schema)}`;
  return description === undefined ? original : `${description}\n\n${original}`;
}

/** A choice that the host has not becomes the nearest that it has. */
function withTakenChoice(given: ChatCall, contract: ChatContract): ChatCall {
  const { toolChoices, knownChoices } = contract;
  const call = knownChoices ? withKnownChoice(given) : given;
  const kind = kindOf(call.body.tool_choice);
  if (kind === undefined || toolChoices.includes(kind)) return call;
  if (kind === 'allowed') {
    const { tools, tool_choice } = withAllowedTools(call.body);
    const allowed = withBody(call, { ...(tools !== undefined && { tools }), tool_choice });
    return withTakenChoice(allowed, contract);
  }
  if (kind === 'none') return withoutTools(call);
  call.onAdapted?.('tool_choice', 'changed');
  const isOnly = kind === 'function' && toolChoices.includes('required');
  return isOnly ? withBody(call, onlyTool(call.body)) : withBody(call, { tool_choice: 'auto' });
}

/** A tool that is not there can't be chosen. */
function withKnownChoice(call: ChatCall): ChatCall {
  const { tools = [], tool_choice } = call.body;
  const { name } = members(members(tool_choice).function);
  if (name === undefined || tools.some((tool: JsonObject) => members(tool.function).name === name))
    return call;
  call.onAdapted?.('tool_choice', 'changed');
  return withBody(call, { tool_choice: 'auto' });
}

type ToolChoice = ChatContract['toolChoices'][number];

const WORDS: ReadonlyMap<unknown, ToolChoice> = new Map<unknown, ToolChoice>([
  ['none', 'none'],
  ['auto', 'auto'],
  ['required', 'required'],
  ['any', 'required'],
]);

function kindOf(choice: unknown): ToolChoice | undefined {
  if (!isObject(choice)) return WORDS.get(choice);
  return choice.type === 'allowed_tools' ? 'allowed' : 'function';
}

/** Whether the model has to call a tool. */
export function isForced({ tool_choice, tools }: ChatBody): boolean {
  const kind = kindOf(tool_choice);
  return tools !== undefined && (kind === 'required' || kind === 'function');
}

/** The tool that is chosen is the only one that may be called. */
function onlyTool({ tools = [], tool_choice }: ChatBody): Partial<ChatBody> {
  const name = members(members(tool_choice).function).name;
  const chosen = tools.filter((tool: JsonObject) => members(tool.function).name === name);
  return chosen.length === 0 ? { tool_choice: 'required' } : { tools: chosen, tool_choice: 'required' };
}
