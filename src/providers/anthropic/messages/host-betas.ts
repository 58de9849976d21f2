/**
 * Beta features of the Messages API at hosts other than Anthropic, where some are not there and some have another name:
 * `docs/messages.md#beta-features`. One that no table names is sent; a refusal is learned from.
 */
import type { JsonObject } from '../../../formats/chat/types.js';
import { withoutBetaMembers } from '../../../formats/messages/betas.js';

export interface HostBetas {
  readonly absent: ReadonlySet<string>;
  readonly renamed: ReadonlyMap<string, string>;
}

/** Those that only Anthropic itself has. */
export const NOWHERE_ELSE = [
  'advisor-tool-2026-03-01',
  'claude-code-20250219',
  'code-execution-2025-08-25',
  'fast-mode-2026-02-01',
  'files-api-2025-04-14',
  'mcp-client-2025-04-04',
  'mcp-client-2025-11-20',
  'prompt-caching-scope-2026-01-05',
  'skills-2025-10-02',
  'structured-outputs-2025-11-13',
  'web-fetch-2025-09-10',
];

/** What hosts call the tool search. */
export const TOOL_SEARCH: ReadonlyMap<string, string> = new Map([
  ['advanced-tool-use-2025-11-20', 'tool-search-tool-2025-10-19'],
]);

/** A native request as the host takes it. */
interface HostRequest {
  readonly body: JsonObject;
  readonly betas: readonly string[];
}

export function requestAtHost(
  { absent, renamed }: HostBetas,
  body: JsonObject,
  betas: readonly string[],
): HostRequest {
  const known = betas.filter((beta) => !absent.has(beta)).map((beta) => renamed.get(beta) ?? beta);
  const left = betas.filter((beta) => absent.has(beta));
  return { body: withoutBetaMembers(body, left), betas: [...new Set(known)] };
}
