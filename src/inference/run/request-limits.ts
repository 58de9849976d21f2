/** Which limits and budgets apply to a request: those of its caller, and last that of its run. */
import type { LimitedCaller } from '../../accounts/policy/caller-policies.js';
import type { SpendLimit } from '../../ledger/limits.js';
import { type NamedRun, type RunStore, runLimit, runLimitNow } from '../../ledger/runs.js';
import type { Attribution } from '../ports/attribution.js';

/** What limits depend on. */
export interface LimitedRequest {
  readonly caller: LimitedCaller;
  readonly attribution: Pick<Attribution, 'run' | 'endUser'>;
}

/** Instants are Unix milliseconds. */
export interface RequestLimits {
  /** All but that of the run. */
  ofCaller(request: LimitedRequest): Promise<readonly SpendLimit[]>;
  /** Begins no run. Throws `run_limit_raised`. */
  ofRequest(request: LimitedRequest, at: number): Promise<readonly SpendLimit[]>;
  /** As `ofRequest`, without judging what the request says: a limit that it would raise stays as it is. */
  inForce(request: LimitedRequest, at: number): Promise<readonly SpendLimit[]>;
  /** Begins the run, or sets or lowers its limit. Throws `run_limit_raised` and `too_many_runs`. */
  open(request: LimitedRequest, run: NamedRun, at: number): Promise<OpenedRun>;
}

/** A run that a request is a part of, and all limits of the request. */
export interface OpenedRun {
  readonly id: string;
  readonly limits: readonly SpendLimit[];
}

export function createRequestLimits(
  limitsOf: (caller: LimitedCaller, endUser: string | null) => Promise<readonly SpendLimit[]>,
  runs: Pick<RunStore, 'find' | 'open'>,
): RequestLimits {
  const ofCaller: RequestLimits['ofCaller'] = ({ caller, attribution }) =>
    limitsOf(caller, attribution.endUser);
  const withRun = async (request: LimitedRequest, at: number, limitOf: typeof runLimit) => {
    const limits = await ofCaller(request);
    const { run } = request.attribution;
    if (run === null) return limits;
    return added(limits, limitOf(run, await runs.find(request.caller.apiKeyHash, run.name, at)));
  };
  return {
    ofCaller,
    ofRequest: (request, at) => withRun(request, at, runLimit),
    inForce: (request, at) => withRun(request, at, runLimitNow),
    async open(request, run, at) {
      const opened = await runs.open(request.caller, run, at);
      return { id: opened.id, limits: added(await ofCaller(request), runLimit(run, opened)) };
    },
  };
}

function added(limits: readonly SpendLimit[], limit: SpendLimit | null): readonly SpendLimit[] {
  return limit === null ? limits : [...limits, limit];
}
