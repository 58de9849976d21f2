import type { ChatBody, ChatTool, JsonObject } from '../../../../formats/chat/types.js';
import { elements, members, textOf } from '../../../../formats/json.js';
import { hostTool, webSearchTool } from './host-members.js';
import { untranslatable } from './untranslatable.js';

/** The members `tools` and `toolConfig`; empty if there are no tools. */
export function toolsOf(body: ChatBody): JsonObject {
  const native = elements(body.tools).flatMap((tool) => hostTool(members(tool)) ?? []);
  const functions = (body.tools ?? []).filter((tool) => hostTool(tool) === undefined);
  const tools = [
    ...(functions.length === 0 ? [] : [{ functionDeclarations: functions.map(declarationOf) }]),
    ...native,
    ...webSearchTool(body),
  ];
  if (tools.length === 0) return {};
  const calling = functions.length === 0 ? undefined : callingOf(body.tool_choice);
  return { tools, ...(calling !== undefined && { toolConfig: { functionCallingConfig: calling } }) };
}

function declarationOf({ type, function: declared }: ChatTool): JsonObject {
  if (type !== 'function') throw untranslatable(`tool of type ${JSON.stringify(type)}`);
  const { name, description, parameters } = declared ?? {};
  return {
    name,
    ...(textOf(description) !== undefined && { description }),
    ...(parameters !== undefined && parameters !== null && { parametersJsonSchema: parameters }),
  };
}

const MODES: ReadonlyMap<unknown, string> = new Map([
  ['auto', 'AUTO'],
  ['none', 'NONE'],
  ['required', 'ANY'],
  ['any', 'ANY'],
]);

function callingOf(choice: unknown): JsonObject | undefined {
  if (choice === undefined || choice === null) return undefined;
  const mode = MODES.get(choice);
  if (mode !== undefined) return { mode };
  const { type, function: named, allowed_tools } = members(choice);
  if (type === 'function') return { mode: 'ANY', allowedFunctionNames: [members(named).name] };
  if (type === 'allowed_tools') return allowedOf(members(allowed_tools));
  throw untranslatable(`tool_choice of ${JSON.stringify(choice)}`);
}

/** `VALIDATED` lets the model decide whether to call one of the named tools. `AUTO` does not accept names. */
function allowedOf({ mode, tools }: JsonObject): JsonObject {
  const names = elements(tools).map((tool) => members(members(tool).function).name);
  return { mode: mode === 'required' ? 'ANY' : 'VALIDATED', allowedFunctionNames: names };
}
