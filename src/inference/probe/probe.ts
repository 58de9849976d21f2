/** Probes a provider with a real credential: checks the things that its adapter relies on. */
import { elapsedMs } from '../../base/clock.js';
import type { Model } from '../../catalog/types.js';
import type { Attempt } from '../../routing/types.js';
import { Deadlines } from '../attempts/deadlines.js';
import { makeAttempt } from '../attempts/make-attempt.js';
import { sameTimeouts } from '../attempts/request-timeouts.js';
import { failureOf, type RunnerDependencies } from '../attempts/runner.js';
import {
  normalizedOf,
  type UpstreamAdapter,
  type UpstreamCall,
  type UpstreamEvent,
} from '../ports/adapter.js';
import { explained, type UpstreamFailure } from '../ports/failure.js';
import { PROBE_CALLS, type ProbeAnswer, type ProbeCall } from './calls.js';

/** The result of one call. It contains nothing secret, since adapters redact credentials. */
export interface Probed {
  readonly call: string;
  /** `skipped`: according to the catalogue the model can't do it. */
  readonly result: 'agrees' | 'differs' | 'failed' | 'skipped';
  /** HTTP status; null if none came, or if it does not matter. */
  readonly status: number | null;
  readonly found: string;
  readonly latencyMs: number;
}

export type ProbeDependencies = Pick<
  RunnerDependencies,
  'adapters' | 'openCredential' | 'openHeaders' | 'clock'
>;

/** Timeouts of one call. Reasoning takes a while. */
const TIMEOUTS = sameTimeouts(60_000);

/** Makes all calls, one after the other. Nothing is recorded, charged, adapted or reported to the circuit breaker. */
export async function probe(
  dependencies: ProbeDependencies,
  attempt: Attempt,
  model: Model,
): Promise<readonly Probed[]> {
  const results: Probed[] = [];
  for (const call of PROBE_CALLS) results.push(await probeCall(dependencies, attempt, model, call));
  return results;
}

async function probeCall(
  dependencies: ProbeDependencies,
  attempt: Attempt,
  model: Model,
  call: ProbeCall,
): Promise<Probed> {
  const startedAt = dependencies.clock.now();
  const result = (rest: Pick<Probed, 'result' | 'status' | 'found'>): Probed => ({
    call: call.name,
    ...rest,
    latencyMs: elapsedMs(startedAt, dependencies.clock.now()),
  });
  if (call.isFor?.(model, attempt.endpoint) === false) {
    return result({ result: 'skipped', status: null, found: 'not a capability of the model' });
  }
  const client = new AbortController();
  const deadlines = new Deadlines(client.signal, TIMEOUTS, undefined, call.isStreamed === true);
  try {
    const answer = await makeAttempt(
      { dependencies, accountId: OPERATOR, deadlines, sent: { format: 'chat', chat: call.body } },
      { attempt: endpointFor(attempt, call), mayWait: true },
      (adapter, upstream) => ask(adapter, upstream, call),
    );
    if (call.isRefused === true) return result({ result: 'differs', status: 200, found: 'it was answered' });
    const difference = call.differs?.(answer);
    const found = difference ?? 'as expected';
    return result({ result: difference === undefined ? 'agrees' : 'differs', status: 200, found });
  } catch (thrown) {
    const failure = failureOf(thrown, deadlines);
    const isExpected = call.isRefused === true && failure.kind === 'invalid_request';
    const { status } = failure;
    return result({ result: isExpected ? 'agrees' : 'failed', status, found: describe(failure) });
  } finally {
    deadlines.abandon();
    deadlines.end();
  }
}

/** The calls are made for no account. */
const OPERATOR = '';

function endpointFor(attempt: Attempt, { model }: ProbeCall): Attempt {
  if (model === undefined) return attempt;
  return { ...attempt, endpoint: { ...attempt.endpoint, upstreamModelId: model } };
}

function describe(failure: UpstreamFailure): string {
  const { kind, error, network } = failure;
  const advice = network?.advice ?? null;
  return `${error ?? kind}: ${explained(failure)}${advice === null ? '' : `; ${advice}`}`;
}

async function ask(adapter: UpstreamAdapter, call: UpstreamCall, probed: ProbeCall): Promise<ProbeAnswer> {
  if (probed.isStreamed === true) return read(adapter.stream(call), probed.isCancelled === true);
  const { choices, usage } = normalizedOf(await adapter.complete(call));
  const [choice] = choices;
  return {
    text: choice?.message.content ?? '',
    finishReason: choice?.finish_reason ?? null,
    toolCalls: (choice?.message.tool_calls ?? []).map(({ function: called }) => ({
      name: called?.name ?? '',
      arguments: called?.arguments ?? '',
    })),
    hasUsage: (usage.promptTokens ?? 0) > 0 && usage.completionTokens !== undefined,
    isReasoned: Boolean(choice?.message.reasoning) || (usage.reasoningTokens ?? 0) > 0,
  };
}

/** Ending the iteration releases the connection, as it does when a client leaves. */
async function read(events: AsyncIterable<UpstreamEvent>, isCancelled: boolean): Promise<ProbeAnswer> {
  const answer = { text: '', finishReason: null as string | null, hasUsage: false, isReasoned: false };
  const toolCalls: { name: string; arguments: string }[] = [];
  for await (const event of events) {
    if (event.type === 'finish') answer.finishReason = event.reason;
    if (event.type === 'usage') {
      answer.hasUsage ||= (event.usage.promptTokens ?? 0) > 0;
      answer.isReasoned ||= (event.usage.reasoningTokens ?? 0) > 0;
    }
    if (event.type !== 'delta') continue;
    answer.text += event.delta.content ?? '';
    answer.isReasoned ||= Boolean(event.delta.reasoning);
    for (const { index = 0, function: called } of event.delta.tool_calls ?? []) {
      toolCalls[index] ??= { name: '', arguments: '' };
      toolCalls[index].name += called?.name ?? '';
      toolCalls[index].arguments += called?.arguments ?? '';
    }
    if (isCancelled && answer.text !== '') break;
  }
  return { ...answer, toolCalls };
}
