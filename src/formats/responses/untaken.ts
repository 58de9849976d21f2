/** What of a Responses request a host does not take, and nothing can be put in its place. */
import type { ResponsesContract } from '../../catalog/responses-contract.js';
import type { Untaken } from '../chat/untaken.js';
import { elements, isObject, type JsonObject, members } from '../json.js';

type Types = Pick<ResponsesContract, 'toolTypes'>;

/** The choice that leaves the model none but tools of types that the host has not. */
export function untakenChoice(body: JsonObject, { toolTypes }: Types): readonly Untaken[] {
  if (toolTypes === null) return [];
  const forced = forcedTypes(body);
  const [first] = forced;
  if (first === undefined || forced.some((type) => toolTypes.has(type))) return [];
  return [{ field: 'tool_choice', rule: `no tools of type ${first}` }];
}

/** Types of the tools of which one must be called; none if the model need not call any. */
function forcedTypes({ tool_choice: choice, tools, input }: JsonObject): readonly string[] {
  if (choice !== 'required' && !isObject(choice)) return [];
  const given = [...toolsIn(tools), ...elements(input).flatMap((item) => toolsIn(broughtBy(item)))];
  if (choice === 'required') return given.map(typeOf);
  const { type, mode, tools: allowed } = choice;
  if (type !== 'allowed_tools') return typesOfChosen(choice, given);
  return mode === 'required' ? toolsIn(allowed).flatMap((one) => typesOfChosen(one, given)) : [];
}

function broughtBy(item: unknown): unknown {
  const { type, tools } = members(item);
  return type === 'additional_tools' ? tools : undefined;
}

/** Of the tools that are called so, in a namespace too; the choice's own where there are none. */
function typesOfChosen(choice: JsonObject, given: readonly JsonObject[]): readonly string[] {
  const found = given.filter((tool) =>
    tool.type === 'namespace'
      ? toolsIn(tool.tools).some((one) => isChosen(one, choice))
      : isChosen(tool, choice),
  );
  return (found.length === 0 ? [choice] : found).map(typeOf);
}

function isChosen(tool: JsonObject, { type, name }: JsonObject): boolean {
  return typeOf(tool) === type && (name === undefined || tool.name === name);
}

function toolsIn(tools: unknown): readonly JsonObject[] {
  return elements(tools).filter(isObject);
}

function typeOf({ type }: JsonObject): string {
  return typeof type === 'string' ? type : 'function';
}
