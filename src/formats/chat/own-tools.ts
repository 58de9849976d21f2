/** Tools of a host's own, such as a search, beside functions. */
import type { ChatContract } from '../../catalog/chat-contract.js';
import { elements, isObject, type JsonObject, members } from '../json.js';
import type { Untaken } from './untaken.js';

const RULE = 'functions or tools of its own for this model, not both';

/** What a host does not take that has only one of them; without either the answer would be to another question. */
export function untakenOwnTools(
  { tools, functions, web_search_options }: JsonObject,
  { ownToolsBesideFunctions }: Pick<ChatContract, 'ownToolsBesideFunctions'>,
): Untaken | undefined {
  const given = elements(tools);
  const hasFunctions = !given.every(isOwn) || elements(functions).length > 0;
  if (ownToolsBesideFunctions || !hasFunctions) return undefined;
  const own = given.findIndex(isOwn);
  if (own !== -1) return { field: `tools[${own}]`, rule: RULE };
  return isObject(web_search_options) ? { field: 'web_search_options', rule: RULE } : undefined;
}

function isOwn(tool: unknown): boolean {
  return !isObject(members(tool).function);
}
