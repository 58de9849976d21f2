/**
 * Beta features of the Messages API at hosts other than Anthropic, which lack some and have other names for some:
 * `docs/messages.md#beta-features`. A feature that is in no table is sent where a refusal names it; then that is learned.
 */
import type { JsonObject } from '../../../formats/chat/types.js';
import { elements, members, textOf } from '../../../formats/json.js';
import { withoutBetaMembers } from '../../../formats/messages/betas.js';

export interface HostBetas {
  readonly absent: Pick<ReadonlySet<string>, 'has'>;
  /** Of the absent ones, those whose members it takes without. */
  readonly unnamed?: Pick<ReadonlySet<string>, 'has'>;
  readonly renamed: ReadonlyMap<string, string>;
  /** Features that tools need there, by how the tools' types begin. */
  readonly ofTools: readonly (readonly [beginning: string, beta: string])[];
}

/** Features that only Anthropic itself has. */
export const NOWHERE_ELSE = [
  'advisor-tool-2026-03-01',
  'claude-code-20250219',
  'code-execution-2025-08-25',
  'fast-mode-2026-02-01',
  'files-api-2025-04-14',
  'mcp-client-2025-04-04',
  'mcp-client-2025-11-20',
  'mid-conversation-system-2026-04-07',
  'prompt-caching-scope-2026-01-05',
  'skills-2025-10-02',
  'structured-outputs-2025-11-13',
  'web-fetch-2025-09-10',
];

/** The names that hosts have for the tool search. */
export const TOOL_SEARCH: ReadonlyMap<string, string> = new Map([
  ['advanced-tool-use-2025-11-20', 'tool-search-tool-2025-10-19'],
]);

/** What tools need at hosts that know their types by these features alone. */
export const OF_TOOLS: HostBetas['ofTools'] = [
  ['computer_20241022', 'computer-use-2024-10-22'],
  ['computer_20250124', 'computer-use-2025-01-24'],
  ['computer_20251124', 'computer-use-2025-11-24'],
  ['tool_search_tool_', 'tool-search-tool-2025-10-19'],
];

/** A native request in the form that the host accepts. */
interface HostRequest {
  readonly body: JsonObject;
  readonly betas: readonly string[];
}

export function requestAtHost(host: HostBetas, body: JsonObject, betas: readonly string[]): HostRequest {
  const left = betas.filter((beta) => host.absent.has(beta) && !host.unnamed?.has(beta));
  return { body: withoutBetaMembers(body, left), betas: betasAtHost(host, betas, body) };
}

/** The features that the host has and the request asks for, by the host's names. */
export function betasAtHost(
  { absent, renamed, ofTools }: HostBetas,
  betas: readonly string[],
  { tools }: JsonObject,
): readonly string[] {
  const needed = elements(tools).flatMap((tool) => {
    const type = textOf(members(tool).type) ?? '';
    return ofTools.flatMap(([beginning, beta]) => (type.startsWith(beginning) ? [beta] : []));
  });
  if (betas.length + needed.length === 0) return betas;
  const known = betas.filter((beta) => !absent.has(beta)).map((beta) => renamed.get(beta) ?? beta);
  return [...new Set([...known, ...needed])];
}
