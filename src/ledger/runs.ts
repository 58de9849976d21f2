/** Runs: names that an API key gives to what belongs together, each with a limit of its own. See `docs/money.md#runs`. */
import { DAY_MS } from '../base/clock.js';
import { formatNano, type NanoUsd, nanoToUsd } from '../base/money.js';
import { Problem } from '../base/problem.js';
import type { SpendLimit } from './limits.js';
import { type Keyholder, subjects } from './payer.js';

/** A run of the API key, by its client's name. */
export interface NamedRun {
  readonly name: string;
  /** What the request says that the run may spend in all; null = nothing. */
  readonly limitNanoUsd: NanoUsd | null;
}

/** A run whose last request was less than `RUN_LIFE_MS` ago. */
export interface LivingRun {
  readonly id: string;
  /** null = none. */
  readonly limitNanoUsd: NanoUsd | null;
}

/** A run as it is listed. Instants are Unix milliseconds. */
export interface ListedRun extends LivingRun {
  readonly name: string;
  readonly apiKeyHash: string;
  readonly workspaceId: string;
  /** Those that were admitted and have ended. */
  readonly requests: number;
  /** Charged to credits. */
  readonly usageNanoUsd: NanoUsd;
  /** List price of BYOK usage. */
  readonly byokUsageNanoUsd: NanoUsd;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** null = all. `from` is inclusive, `to` exclusive, both of the last request. */
export interface RunFilter {
  readonly apiKeyHashes: readonly string[];
  readonly from: number | null;
  readonly to: number | null;
}

export interface RunPage {
  readonly runs: readonly ListedRun[];
  readonly totalCount: number;
  readonly isTotalExact: boolean;
}

export interface RunStore {
  /** Changes nothing. undefined = a request at this instant would begin a new run. */
  find(apiKeyHash: string, name: string, at: number): Promise<LivingRun | undefined>;
  /**
   * Begins the run, or sets or lowers its limit, or finds it as it is. Of several at once, in any processes, the lowest limit
   * holds. Throws `run_limit_raised` and `too_many_runs`; then nothing has changed.
   */
  open(holder: Keyholder, named: NamedRun, at: number): Promise<LivingRun>;
  /** By the last request, newest first, then by id. */
  list(
    accountId: string,
    filter: RunFilter,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<RunPage>;
}

/** How long a run is kept after its last request. */
export const RUN_LIFE_MS = 30 * DAY_MS;

/** Living runs with a limit of one API key. */
export const MAX_LIMITED_RUNS = 10_000;

/** The limit that holds for a request of the run, which may begin it; null = none. Throws `run_limit_raised`. */
export function runLimit(named: NamedRun, run: LivingRun | undefined): SpendLimit | null {
  const known = run?.limitNanoUsd ?? null;
  const limitNanoUsd = named.limitNanoUsd ?? known;
  if (known !== null && limitNanoUsd !== null && limitNanoUsd > known) throw limitRaised(named, known);
  if (limitNanoUsd === null) return null;
  const id = run?.id ?? NOT_BEGUN;
  return {
    kind: 'run',
    subject: subjects.run(id),
    interval: null,
    includeByok: true,
    limitNanoUsd,
    id,
    name: named.name,
    title: null,
  };
}

/** As `runLimit`, without judging what the request says: a limit that would be raised stays as it is. */
export function runLimitNow(named: NamedRun, run: LivingRun | undefined): SpendLimit | null {
  const known = run?.limitNanoUsd ?? null;
  const isRaised = known !== null && named.limitNanoUsd !== null && named.limitNanoUsd > known;
  return runLimit(isRaised ? { name: named.name, limitNanoUsd: known } : named, run);
}

/** In the place of an identifier; nothing is ever charged to it. */
const NOT_BEGUN = '';

function limitRaised({ name, limitNanoUsd }: NamedRun, known: NanoUsd): Problem {
  const asked = formatNano(limitNanoUsd ?? 0n);
  return new Problem(
    'run_limit_raised',
    `The run ${JSON.stringify(name)} may spend ${formatNano(known)} USD in all, which can be lowered and not raised to ${asked}: ` +
      'send X-Byway-Run-Limit-Usd with at most that, or without it, or name another run in X-Byway-Run',
    { metadata: { name, limit_usd: nanoToUsd(known) } },
  );
}

export function tooManyRuns(): Problem {
  return new Problem(
    'too_many_runs',
    `The API key has ${MAX_LIMITED_RUNS} runs with a limit: use the name of one of them, or wait until one has had no request for 30 days`,
  );
}
