/** Tools, and the choice among them. */
import { exactJson } from '../../base/json/json-body.js';
import { distinctTexts } from '../../base/text.js';
import type { MessagesContract } from '../../catalog/messages-contract.js';
import type { JsonObject } from '../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../../formats/json.js';
import { untakenTool } from '../../formats/messages/untaken.js';
import { mapped, refused } from '../fit/step.js';
import { asBlocks } from './blocks.js';
import { fittedInputSchema } from './schemas.js';
import { type MessagesCall, type MessagesStep, withMembers, withoutMembers, withoutNames } from './step.js';

/** Tools of the host's own have a dated type: `ToolUnion` of the package `@anthropic-ai/sdk` 1.12. */
export function isOwn({ type }: JsonObject): boolean {
  return type === undefined || type === null || type === 'custom';
}

/** Whether the model has to call a tool. */
export function demandsCall({ tool_choice }: JsonObject): boolean {
  const { type } = members(tool_choice);
  return type === 'any' || type === 'tool';
}

export const fitMessagesTools: MessagesStep = (call, contract) => {
  const given = elements(call.body.tools);
  if (given.length === 0) return withoutTools(call);
  const fitted = mapped(given, (tool, at) => {
    if (!isObject(tool)) return tool;
    return isOwn(tool) ? fittedTool(tool, at, call, contract) : knownTool(tool, at, call, contract);
  });
  const tools = once(oneAtOnce(fitted, call), call);
  return withChoice(withMembers(call, { tools }));
};

/** A conversation with calls has tools, even if the model may call none any more. */
function withoutTools(call: MessagesCall): MessagesCall {
  const { tool_choice, messages } = call.body;
  const names = elements(messages).flatMap((message) =>
    asBlocks(members(message).role === 'assistant' ? members(message).content : undefined).flatMap((block) =>
      block.type === 'tool_use' ? [textOf(block.name) ?? ''] : [],
    ),
  );
  if (names.length === 0) return tool_choice === undefined ? call : withoutMembers(call, 'tool_choice');
  const tools = distinctTexts(names).map((name) => ({
    name,
    input_schema: { type: 'object', properties: {} },
  }));
  return withMembers(call, { tools, tool_choice: { type: 'none' } });
}

/** A tool of the host's own. Throws for one that it has not. */
function knownTool(tool: JsonObject, at: number, call: MessagesCall, contract: MessagesContract): JsonObject {
  const untaken = untakenTool(tool, contract);
  if (untaken !== undefined) throw refused(call, `tools[${at}].type`, untaken);
  return tool;
}

function fittedTool(
  tool: JsonObject,
  at: number,
  call: MessagesCall,
  contract: MessagesContract,
): JsonObject {
  const known = withKnownMembers(tool, at, call, contract);
  const { schema, isWider } = fittedInputSchema(known.input_schema);
  const isLoose = known.strict === true && (isWider || !contract.schemas || !isStrictTaken(schema));
  if (schema === known.input_schema && !isLoose) return known;
  if (isWider) call.onAdapted?.(`tools[${at}].input_schema`, 'changed');
  if (isLoose) call.onAdapted?.(`tools[${at}].strict`, 'left_out');
  return {
    ...(isLoose ? withoutNames(known, 'strict') : known),
    input_schema: schema,
    ...(isWider && {
      description: described(known, 'Its arguments follow this JSON schema', known.input_schema),
    }),
  };
}

/** What the model is told in words, since the host has no member for it. */
function described({ description }: JsonObject, what: string, value: unknown): string {
  const words = `${what}: ${exactJson(value)}`;
  const given = textOf(description);
  return given === undefined ? words : `${given}\n\n${words}`;
}

function withKnownMembers(
  tool: JsonObject,
  at: number,
  { betas, onAdapted }: MessagesCall,
  { toolMembers }: MessagesContract,
): JsonObject {
  if (toolMembers.size === 0) return tool;
  let known = tool;
  for (const [name, beta] of toolMembers) {
    const value = tool[name];
    if (!(name in tool) || (beta !== null && betas.includes(beta))) continue;
    known = withoutNames(known, name);
    onAdapted?.(`tools[${at}].${name}`, 'left_out');
    if (name === 'input_examples' && elements(value).length > 0)
      known = { ...known, description: described(known, 'Examples of its arguments', value) };
  }
  return known;
}

/** At least one tool is there from the beginning. */
function oneAtOnce(tools: readonly unknown[], call: MessagesCall): readonly unknown[] {
  if (!tools.every((tool) => members(tool).defer_loading === true)) return tools;
  call.onAdapted?.('tools[0].defer_loading', 'left_out');
  return tools.map((tool, at) => (at === 0 ? withoutNames(members(tool), 'defer_loading') : tool));
}

/** Each name once: a tool that is given again is left out, another one of its name refused. */
function once(tools: readonly unknown[], call: MessagesCall): readonly unknown[] {
  const known = new Map<unknown, unknown>();
  for (const tool of tools) known.set(members(tool).name, known.get(members(tool).name) ?? tool);
  if (known.size === tools.length) return tools;
  return tools.filter((tool, at) => {
    const first = known.get(members(tool).name);
    if (first === tool || members(tool).name === undefined) return true;
    if (!isSameTool(members(first), members(tool)))
      throw refused(call, `tools[${at}].name`, 'each name of a tool once');
    call.onAdapted?.(`tools[${at}]`, 'left_out');
    return false;
  });
}

function isSameTool(one: JsonObject, other: JsonObject): boolean {
  const bare = (tool: JsonObject) => exactJson(withoutNames(tool, 'cache_control'));
  return bare(one) === bare(other);
}

function withChoice(call: MessagesCall): MessagesCall {
  const { tool_choice, tools } = call.body;
  const { type, name } = members(tool_choice);
  if (type !== 'tool' || elements(tools).some((tool) => members(tool).name === name)) return call;
  throw refused(call, 'tool_choice', 'the name of one of the tools');
}

/** Words that strict schemas have not: https://platform.claude.com/docs/en/build-with-claude/structured-outputs */
const UNKNOWN_IF_STRICT: ReadonlySet<string> = new Set([
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern', 'maxItems', 'oneOf', 'patternProperties'],
]);

/** Whether all objects are closed, and no word is one that strict schemas have not. */
function isStrictTaken(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictTaken);
  if (!isObject(schema)) return true;
  if (schema.type === 'object' && schema.additionalProperties !== false) return false;
  return Object.entries(schema).every(
    ([word, value]) =>
      !UNKNOWN_IF_STRICT.has(word) &&
      (word === 'properties' || word === '$defs'
        ? Object.values(members(value)).every(isStrictTaken)
        : isStrictTaken(value)),
  );
}
