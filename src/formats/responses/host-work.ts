/** What a Responses request asks its host to do on its own: `docs/money.md#work-of-the-host`. */
import { type HostWork, hostWorkOf, isUses, REFUSED_USE } from '../host-work.js';
import { elements, isObject, type JsonObject, members } from '../json.js';

/** The member that limits the uses of all tools that the host runs. */
const MAX_USES = 'max_tool_calls';

/** Tools that `tool_choice` does not force are left out where they can't be used: clients send them to every model. */
export function workOfResponses(body: JsonObject): readonly HostWork[] {
  const work = [...hostWorkOf(body), ...workOfItems(body.input)].filter((one) => !isRunByClient(one, body));
  const isAll = work.length > 0 && work.length === elements(body.tools).length;
  return work.map((one) => (one.path.includes('tools[') ? toolWork(one, body, isAll) : one));
}

function workOfItems(input: unknown): readonly HostWork[] {
  return elements(input).flatMap((item, position) => {
    const { type, tools } = members(item);
    if (type !== 'additional_tools') return [];
    return hostWorkOf({ tools }).map((one) => ({ ...one, path: `input[${position}].${one.path}` }));
  });
}

/** Some types of tools are run by either. */
function isRunByClient({ path, type }: HostWork, { tools }: JsonObject): boolean {
  const position = /^tools\[(\d+)\]$/.exec(path)?.[1];
  const tool = members(elements(tools)[Number(position)]);
  if (type === 'tool_search') return tool.execution === 'client';
  if (type !== 'shell') return false;
  return tool.environment === undefined || members(tool.environment).type === 'local';
}

/** `isAll`: whether the request has no other tools. */
function toolWork(one: HostWork, body: JsonObject, isAll: boolean): HostWork {
  const said = body[MAX_USES];
  const isLimited = one.maxUses === null && isUses(said);
  return {
    ...one,
    ...(isLimited && { maxUses: said, maxTurns: one.maxTurns ?? said + REFUSED_USE }),
    boundedBy: one.boundedBy ?? MAX_USES,
    isOptional: !isForced(one.type, body.tool_choice, isAll),
  };
}

function isForced(type: string, choice: unknown, isAll: boolean): boolean {
  if (choice === 'required') return isAll;
  if (!isObject(choice)) return false;
  if (choice.type !== 'allowed_tools') return choice.type === type;
  return choice.mode === 'required' && elements(choice.tools).some((tool) => members(tool).type === type);
}
