/** Counts the tokens of prompts: `docs/messages.md#counting-tokens`. */
import { Problem } from '../../base/problem.js';
import type { Timeouts } from '../../base/timeouts.js';
import type { AvailableFunds } from '../../ledger/admission.js';
import type { Attempt } from '../../routing/types.js';
import { unlessRepeated } from '../attempts/caller-text.js';
import { Deadlines } from '../attempts/deadlines.js';
import { makeAttempt, sentFormat } from '../attempts/make-attempt.js';
import { failureOf, type RunnerDependencies } from '../attempts/runner.js';
import type { InferenceRequest } from '../ports/inference-request.js';
import type { AdmissionDependencies } from '../run/admission.js';
import { CallRateLimiter } from './call-rate-limiter.js';

export interface CountDependencies
  extends Pick<RunnerDependencies, 'adapters' | 'openCredential' | 'openHeaders' | 'clock' | 'watch'> {
  readonly route: AdmissionDependencies['route'];
  availableFunds(accountId: string): Promise<AvailableFunds>;
  /** Whether a limit or budget would refuse the request. */
  isLimitSpent(request: InferenceRequest): Promise<boolean>;
  readonly timeouts: Timeouts;
  /** Called for each count. */
  counted(by: PromptCountedBy): void;
}

/** Who counted: the provider, over shared capacity or with the caller's own key; or the gateway, by an estimate. */
export type PromptCountedBy = 'shared' | 'byok' | 'estimate';

/** Resolves to the tokens of the request's prompt. Throws the Problems of routing, and `client_closed`. */
export type CountTokens = (request: InferenceRequest) => Promise<number>;

/** A count that takes longer is not worth it: then the estimate is used. */
const COUNT_TIMEOUT_MS = 10_000;

/** Counts over shared capacity per key. They are free for the caller, but use up the operator's rate limits. */
const SHARED_COUNTS_PER_MINUTE = 60;

/** The same for all keys of an account, which can make as many keys as it likes. */
const SHARED_COUNTS_PER_MINUTE_OF_ACCOUNT = 600;

/**
 * The provider counts if the first attempt would be native. The count is estimated if the provider can't count, if the
 * account could not send the request itself, and if the key or its account has used up its counts over shared capacity.
 */
export function createCountTokens(dependencies: CountDependencies): CountTokens {
  const ofKeys = new CallRateLimiter(SHARED_COUNTS_PER_MINUTE);
  const ofAccounts = new CallRateLimiter(SHARED_COUNTS_PER_MINUTE_OF_ACCOUNT);
  const mayCall = ({ key }: Attempt, { caller: { apiKeyHash, accountId } }: InferenceRequest) => {
    const now = dependencies.clock.now();
    return key !== null || (ofKeys.take(apiKeyHash, now) && ofAccounts.take(accountId, now));
  };
  return async (request) => {
    const { sent, facts } = request;
    const attempt = await firstAttempt(dependencies, request, facts.promptTokensLow());
    const isCounted =
      attempt !== undefined &&
      sent.format !== 'chat' &&
      sentFormat(attempt, sent) === sent.format &&
      mayCall(attempt, request);
    const count = isCounted ? await countAt(dependencies, request, attempt) : undefined;
    dependencies.counted(count === undefined ? 'estimate' : attempt?.key ? 'byok' : 'shared');
    return count ?? facts.promptTokens();
  };
}

/** The first attempt that the request itself would make; undefined if the account could not pay for any. */
async function firstAttempt(
  { route, availableFunds, isLimitSpent, clock }: CountDependencies,
  request: InferenceRequest,
  promptTokensLow: number,
): Promise<Attempt | undefined> {
  const funds = await availableFunds(request.caller.accountId);
  try {
    const { attempts } = await route(request, funds, { promptTokensLow, cost: null, at: clock.now() });
    return (await isLimitSpent(request)) ? undefined : attempts[0];
  } catch (thrown) {
    if (thrown instanceof Problem && thrown.reason === 'insufficient_credits') return undefined;
    throw thrown;
  }
}

/** The provider's count; undefined if it gives none. */
async function countAt(
  dependencies: CountDependencies,
  request: InferenceRequest,
  attempt: Attempt,
): Promise<number | undefined> {
  const { timeouts } = dependencies;
  const limits = { ...timeouts, totalMs: Math.min(timeouts.totalMs, COUNT_TIMEOUT_MS) };
  const deadlines = new Deadlines(request.signal, limits, undefined, false);
  try {
    const setup = { ...request, dependencies, accountId: request.caller.accountId, deadlines };
    return await makeAttempt(setup, { attempt, mayWait: false }, async (adapter, call) =>
      adapter.countTokens?.(call),
    );
  } catch (thrown) {
    if (deadlines.interruption !== undefined) throw thrown;
    dependencies.watch?.failed(attempt, unlessRepeated(failureOf(thrown, deadlines), request));
    return undefined;
  } finally {
    deadlines.abandon();
    deadlines.end();
  }
}
