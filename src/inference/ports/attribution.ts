/** Within which run, for whom and by which agent a request is made, as its headers and its body say. */
import type { NamedRun } from '../../ledger/runs.js';

export interface Attribution {
  readonly run: NamedRun | null;
  readonly endUser: string | null;
  readonly agentId: string | null;
  readonly parentAgentId: string | null;
}

export const UNATTRIBUTED: Attribution = { run: null, endUser: null, agentId: null, parentAgentId: null };
