import { estimatePromptTokens } from '../../routing/estimate/prompt-tokens.js';
import type { AdmissionDependencies } from '../admission.js';
import { Deadlines, type Timeouts } from '../attempts/deadlines.js';
import { failureOf, makeAttempt, type RunnerDependencies } from '../attempts/runner.js';
import type { InferenceRequest } from '../inference-request.js';

export interface CountDependencies extends Pick<RunnerDependencies, 'adapters' | 'openCredential' | 'clock'> {
  readonly route: AdmissionDependencies['route'];
  readonly timeouts: Timeouts;
}

/** The tokens of the request's prompt. Throws the Problems of routing, and `client_closed`. */
export type CountTokens = (request: InferenceRequest) => Promise<number>;

/** Counting costs nothing, whatever the account has. */
const FUNDS = { hasCredits: true, hasByokAllowance: true };

/** A count that takes longer than an estimate is worth. */
const COUNT_TIMEOUT_MS = 10_000;

/** The provider counts where the first attempt would be native; where it can't, the count is estimated. */
export function createCountTokens(dependencies: CountDependencies): CountTokens {
  return async (request) => {
    const { body, native, signal } = request;
    const { route, clock, timeouts } = dependencies;
    const { low: promptTokensLow, likely: estimate } = estimatePromptTokens(body);
    const { attempts } = await route(request, FUNDS, { promptTokensLow, cost: null, at: clock.now() });
    const [attempt] = attempts;
    if (attempt === undefined || native === undefined) return estimate;
    const limits = { ...timeouts, totalMs: Math.min(timeouts.totalMs, COUNT_TIMEOUT_MS) };
    const deadlines = new Deadlines(signal, limits, undefined, false);
    try {
      return await makeAttempt({ ...request, dependencies, deadlines }, attempt, async (adapter, call) =>
        call.native === undefined ? estimate : ((await adapter.countTokens?.(call)) ?? estimate),
      );
    } catch (thrown) {
      if (failureOf(thrown, deadlines).kind === 'cancelled') throw thrown;
      return estimate;
    } finally {
      deadlines.abandon();
      deadlines.end();
    }
  };
}
