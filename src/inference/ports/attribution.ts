/** For whom a request spends within its API key, as its headers and its body say. */
import type { NamedRun } from '../../ledger/runs.js';

export interface Spender {
  readonly run: NamedRun | null;
  readonly endUser: string | null;
  readonly agentId: string | null;
  readonly parentAgentId: string | null;
}

export const NO_SPENDER: Spender = { run: null, endUser: null, agentId: null, parentAgentId: null };
