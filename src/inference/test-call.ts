/** The call that a key is tried out with: made as an attempt is, without a plan, a charge or a record (interface section 4). */
import { elapsedMs } from '../base/clock.js';
import { Problem } from '../base/problem.js';
import type { TestCall } from '../byok/trial/test-key.js';
import type { TestFailure, TestOutcome, TestTarget } from '../byok/trial/test-verdict.js';
import { type ByokKey, sectionOf } from '../byok/types.js';
import type { Endpoint } from '../catalog/types.js';
import type { ChatBody } from '../formats/chat/types.js';
import { regionsCalledWith, singleRegion } from '../routing/plan/model-context.js';
import type { Attempt } from '../routing/types.js';
import { Deadlines } from './attempts/deadlines.js';
import type { UpstreamFailure } from './attempts/failure.js';
import { begin, failureOf, type RunnerDependencies, statusOf } from './attempts/runner.js';

/** How long a provider may take to say one word. */
const TEST_TIMEOUT_MS = 15_000;

/** What a test call is made with. */
export type TestCallDependencies = Pick<RunnerDependencies, 'adapters' | 'openCredential' | 'clock'>;

/** A test call that takes at most `timeoutMs`. The breaker hears nothing of it. */
export function createTestCall(dependencies: TestCallDependencies, timeoutMs = TEST_TIMEOUT_MS): TestCall {
  return async (target, signal) => {
    const deadlines = new Deadlines(signal, timeoutsOf(timeoutMs), undefined);
    const startedAt = dependencies.clock.now();
    const outcome = (failure: UpstreamFailure | null): TestOutcome => ({
      status: failure === null ? 200 : statusOf(failure, deadlines),
      latencyMs: elapsedMs(startedAt, dependencies.clock.now()),
      failure: failure === null ? null : told(failure),
    });
    try {
      await begin(
        { dependencies, deadlines, body: bodyFor(target.endpoint) },
        attemptOf(target),
        (adapter, call) => adapter.complete(call),
      );
      return outcome(null);
    } catch (thrown) {
      return outcome(failureOf(thrown, deadlines));
    } finally {
      deadlines.abandon();
      deadlines.end();
    }
  };
}

function told({ kind, error, message }: UpstreamFailure): TestFailure {
  if (kind === 'cancelled') throw new Problem('client_closed', message);
  return { kind, error, message };
}

function attemptOf({ provider, endpoint, key, credential }: TestTarget & { readonly key: ByokKey }): Attempt {
  const region = singleRegion(regionsCalledWith(credential)(endpoint, provider));
  return {
    ...{ provider, endpoint, key, region, section: sectionOf(key) },
    health: { state: 'ok' },
    modelReasoning: null,
  };
}

/** Newer models of OpenAI refuse `max_tokens` where they are at home; elsewhere many know nothing else. */
function bodyFor({ modelId, provider }: Endpoint): ChatBody {
  const isAtHome = modelId.startsWith('openai/') && ['openai', 'azure'].includes(provider);
  return {
    messages: [{ role: 'user', content: 'Hi' }],
    ...(isAtHome ? { max_completion_tokens: 1 } : { max_tokens: 1 }),
  };
}

function timeoutsOf(milliseconds: number) {
  return {
    firstByteMs: milliseconds,
    firstTokenMs: milliseconds,
    idleMs: milliseconds,
    totalMs: milliseconds,
  };
}
