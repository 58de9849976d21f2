/** Names of functions and of custom tools in the form that the host takes, wherever they stand. */
import { textKey } from '../../base/text.js';
import type { ChatContract } from '../../catalog/chat-contract.js';
import type { JsonObject } from '../../formats/chat/types.js';
import { elements, isObject, members } from '../../formats/json.js';
import { AS_GIVEN, nameRuleOf, type RenamedTools, renamedAs } from '../fit/chat/tool-names.js';
import { mapped } from '../fit/step.js';
import { itemsOf, type ResponsesCall, withMembers } from './step.js';

/** The request with such names, and what they were. */
export function fitResponsesNames(
  call: ResponsesCall,
  contract: ChatContract,
): { readonly call: ResponsesCall; readonly names: RenamedTools } {
  const rule = nameRuleOf(contract);
  const given = new Set(namesIn(call));
  const sent = rule === undefined ? NONE : renamedAs(given, rule);
  if (sent.size === 0) return { call, names: AS_GIVEN };
  const fitted = (name: string) => sent.get(textKey(name)) ?? name;
  const strangers = namesIn(call).filter((name) => sent.has(textKey(name)));
  return {
    call: withMembers(call, renamed(call, fitted)),
    names: new Map(strangers.map((name) => [fitted(name), name])),
  };
}

const NONE: ReadonlyMap<string, string> = new Map();

const NAMED: ReadonlySet<unknown> = new Set(['function', 'custom', 'function_call', 'custom_tool_call']);

/** Tools, choices and calls whose name is that of a tool of the client's; those in a namespace are named within it. */
function isNamed(owner: unknown): owner is JsonObject & { readonly name: string } {
  return (
    isObject(owner) &&
    NAMED.has(owner.type) &&
    typeof owner.name === 'string' &&
    owner.namespace === undefined
  );
}

function namesIn(call: ResponsesCall): string[] {
  const { tools, tool_choice } = call.body;
  const owners = [...elements(tools), tool_choice, ...elements(members(tool_choice).tools), ...itemsOf(call)];
  return owners.filter(isNamed).map(({ name }) => name);
}

function renamed(call: ResponsesCall, fitted: (name: string) => string): JsonObject {
  const { tools, tool_choice } = call.body;
  const called = (owner: unknown): unknown =>
    isNamed(owner) && fitted(owner.name) !== owner.name ? { ...owner, name: fitted(owner.name) } : owner;
  return {
    ...(Array.isArray(tools) && { tools: mapped(tools, called) }),
    ...(isObject(tool_choice) && { tool_choice: choiceCalled(tool_choice, called) }),
    ...(Array.isArray(call.body.input) && { input: mapped(itemsOf(call), called) }),
  };
}

function choiceCalled(choice: JsonObject, called: (owner: unknown) => unknown): unknown {
  return Array.isArray(choice.tools) ? { ...choice, tools: mapped(choice.tools, called) } : called(choice);
}
