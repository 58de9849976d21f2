/** For whom a request spends within its API key, as its headers and its body say. */
import type { NanoUsd } from '../../base/money.js';

export interface Spender {
  readonly run: NamedRun | null;
  readonly endUser: string | null;
  readonly agentId: string | null;
  readonly parentAgentId: string | null;
}

/** A run of the API key, by its client's name. */
export interface NamedRun {
  readonly name: string;
  /** What the request says that the run may spend in all; null = nothing. */
  readonly limitNanoUsd: NanoUsd | null;
}

export const NO_SPENDER: Spender = { run: null, endUser: null, agentId: null, parentAgentId: null };
