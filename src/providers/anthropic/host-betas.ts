/**
 * Beta features of the Messages API at hosts other than Anthropic, where some are not there and some have another name:
 * `docs/messages.md#beta-features`. One that no row names is sent; a refusal is learned from.
 */
import type { JsonObject } from '../../formats/chat/types.js';
import { withoutBetaMembers } from '../../formats/messages/betas.js';
import type { NativeForm } from '../../inference/ports/adapter.js';

interface HostBetas {
  readonly absent: ReadonlySet<string>;
  readonly renamed: ReadonlyMap<string, string>;
}

const NOWHERE_ELSE = [
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

const TOOL_SEARCH: ReadonlyMap<string, string> = new Map([
  ['advanced-tool-use-2025-11-20', 'tool-search-tool-2025-10-19'],
]);

const HOSTS = {
  'amazon-bedrock': {
    absent: new Set([...NOWHERE_ELSE, 'per-turn-control-2026-07-01', 'web-search-2025-03-05']),
    renamed: TOOL_SEARCH,
  },
  'google-vertex': {
    absent: new Set([...NOWHERE_ELSE, 'effort-2025-11-24', 'fine-grained-tool-streaming-2025-05-14']),
    renamed: TOOL_SEARCH,
  },
} satisfies Record<string, HostBetas>;

/** A native request as the host takes it. */
export interface HostRequest {
  readonly body: JsonObject;
  readonly betas: readonly string[];
}

export function requestAtHost(
  host: keyof typeof HOSTS,
  { body }: NativeForm,
  betas: readonly string[] = [],
): HostRequest {
  const { absent, renamed }: HostBetas = HOSTS[host];
  const known = betas.filter((beta) => !absent.has(beta)).map((beta) => renamed.get(beta) ?? beta);
  const left = betas.filter((beta) => absent.has(beta));
  return { body: withoutBetaMembers(body, left), betas: [...new Set(known)] };
}
