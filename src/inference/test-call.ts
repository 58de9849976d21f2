/** Tests a BYOK key with a minimal request. It is made like an attempt, but without a plan, a charge or a record. */
import { elapsedMs } from '../base/clock.js';
import { Problem, shuttingDown } from '../base/problem.js';
import type { TestCall } from '../byok/trial/test-key.js';
import type { TestFailure, TestOutcome, TestTarget } from '../byok/trial/test-verdict.js';
import { type ByokKey, sectionOf } from '../byok/types.js';
import { takesChats } from '../catalog/formats.js';
import { readCompletion } from '../formats/completions/reader.js';
import { regionsCalledWith, singleRegion } from '../routing/plan/model-context.js';
import type { Attempt } from '../routing/types.js';
import { Deadlines } from './attempts/deadlines.js';
import { makeAttempt } from './attempts/make-attempt.js';
import { unsentProblem } from './attempts/problems.js';
import { sameTimeouts } from './attempts/request-timeouts.js';
import { failureOf, type RunnerDependencies, statusOf } from './attempts/runner.js';
import { explained, isUnsent, type UpstreamFailure } from './ports/failure.js';
import type { SentRequest } from './ports/inference-request.js';

export type TestCallDependencies = Pick<
  RunnerDependencies,
  'adapters' | 'openCredential' | 'openHeaders' | 'clock' | 'watch'
>;

const TEST_TIMEOUT_MS = 15_000;

/**
 * Its outcome is not reported to the circuit breaker. Throws `client_closed` if the client left, and `rate_limited` if
 * too much of the account is in flight at the host.
 */
export function createTestCall(dependencies: TestCallDependencies, timeoutMs = TEST_TIMEOUT_MS): TestCall {
  return async (target, signal) => {
    const deadlines = new Deadlines(signal, sameTimeouts(timeoutMs), undefined, false);
    const startedAt = dependencies.clock.now();
    const outcome = (failure: UpstreamFailure | null): TestOutcome => ({
      status: failure === null ? 200 : statusOf(failure, deadlines),
      latencyMs: elapsedMs(startedAt, dependencies.clock.now()),
      failure: failure === null ? null : testFailureOf(failure),
    });
    const attempt = attemptOf(target);
    try {
      const { accountId } = target.key;
      const sent = takesChats(attempt.endpoint, attempt.provider) ? CHAT : TEXT;
      await makeAttempt(
        { dependencies, accountId, deadlines, sent },
        { attempt, mayWait: true },
        (adapter, call) => adapter.complete(call),
      );
      dependencies.watch?.served(attempt);
      return outcome(null);
    } catch (thrown) {
      if (isUnsent(thrown)) throw unsentProblem([thrown]);
      const failure = failureOf(thrown, deadlines);
      dependencies.watch?.failed(attempt, failure);
      return outcome(failure);
    } finally {
      deadlines.abandon();
      deadlines.end();
    }
  };
}

/** Adapters translate it into each host's spelling. */
const CHAT: SentRequest = {
  format: 'chat',
  chat: { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 },
};

/** For endpoints that take nothing else. */
const TEXT: SentRequest = readCompletion({ prompt: 'Hi', max_tokens: 1 });

function testFailureOf(failure: UpstreamFailure): TestFailure {
  const { kind, error, network } = failure;
  if (kind === 'cancelled') throw new Problem('client_closed', failure.message);
  if (kind === 'shut_down') throw shuttingDown();
  return { kind, error, message: explained(failure), advice: network?.advice ?? null };
}

function attemptOf({ provider, endpoint, key, credential }: TestTarget & { readonly key: ByokKey }): Attempt {
  return {
    endpoint,
    provider,
    modelReasoning: null,
    key,
    section: sectionOf(key),
    region: singleRegion(regionsCalledWith(credential)(endpoint, provider)),
    health: { state: 'ok' },
  };
}
