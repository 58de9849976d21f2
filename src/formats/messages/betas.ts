import type { JsonObject } from '../chat/types.js';

/** Members that belong to a beta feature: the API refuses them in requests that do not name it. */
const MEMBERS: ReadonlyMap<string, string> = new Map([
  ['compact-2026-01-12', 'compaction'],
  ['context-management-2025-06-27', 'context_management'],
  ['fast-mode-2026-02-01', 'speed'],
  ['mcp-client-2025-04-04', 'mcp_servers'],
  ['mcp-client-2025-11-20', 'mcp_servers'],
]);

/** The body without the members of beta features that the request does not name. */
export function withoutBetaMembers(body: JsonObject, betas: readonly string[]): JsonObject {
  const members = betas.flatMap((beta) => MEMBERS.get(beta) ?? []);
  if (!members.some((name) => body[name] !== undefined)) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !members.includes(name)));
}
