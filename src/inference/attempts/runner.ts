/**
 * Runs a plan: one attempt after the other until one has content to show (spec 4.5.2, 4.5.4, interface section 6).
 * Each attempt is made at most once, leaves exactly one provider response and tells the breaker once how it went.
 */
import { type Clock, elapsedMs } from '../../base/clock.js';
import { type Metadata, Problem } from '../../base/problem.js';
import type { AdapterName } from '../../catalog/types.js';
import type { ChatBody } from '../../formats/chat/types.js';
import type { Outcome, ProbePermit } from '../../routing/health/circuit.js';
import type { Attempt } from '../../routing/types.js';
import { reasoningFor, requestedReasoning } from '../reasoning/reasoning.js';
import type { ProviderResponse } from '../settlement/generation.js';
import { answerTokens } from '../settlement/usage.js';
import type { UpstreamAdapter, UpstreamCall } from './adapter.js';
import { type CircuitSink, outcomeOf } from './circuit-sink.js';
import { CLIENT_GONE, type Deadlines } from './deadlines.js';
import { UpstreamFailure } from './failure.js';

/** What attempts need from outside. */
export interface RunnerDependencies {
  readonly adapters: ReadonlyMap<AdapterName, UpstreamAdapter>;
  /** The credential that the attempt is made with, in its adapter's form; whatever it throws fails the attempt. */
  openCredential(attempt: Attempt): Promise<unknown>;
  readonly circuit: CircuitSink;
  readonly clock: Clock;
}

/** One request's way through its plan. */
export interface AttemptContext {
  readonly generationId: string;
  readonly dependencies: RunnerDependencies;
  readonly deadlines: Deadlines;
  /** The request without the gateway's own members. */
  readonly body: ChatBody;
  /** Filled as attempts end. */
  readonly responses: ProviderResponse[];
}

/** An attempt that had content to show. */
export interface Served<T> {
  readonly attempt: Attempt;
  readonly result: T;
}

/** Brings an attempt to its first content; it rejects when there is none. */
export type Exchange<T> = (adapter: UpstreamAdapter, call: UpstreamCall) => Promise<T>;

/**
 * The first attempt whose exchange succeeds. Throws a Problem: `client_closed`, `content_filter`, or what `exhausted`
 * says. The response of the attempt that served is in `run.responses` already; its outcome is not yet reported.
 */
export async function serve<T>(
  context: AttemptContext,
  attempts: readonly Attempt[],
  exchange: Exchange<T>,
): Promise<Served<T>> {
  const failures: UpstreamFailure[] = [];
  for (const { attempt, permit } of inPlannedOrder(attempts, context.dependencies)) {
    if (context.deadlines.isOver) break;
    const startedAt = context.dependencies.clock.now();
    try {
      const result = await begin(context, attempt, exchange);
      permit?.end(true);
      addResponse(context, attempt, startedAt, 200, null);
      return { attempt, result };
    } catch (thrown) {
      const failure = failureOf(thrown, context.deadlines);
      addResponse(context, attempt, startedAt, statusOf(failure, context.deadlines), failure.error);
      context.deadlines.abandon();
      reportFailure(context, attempt, failure);
      if (failure.kind === 'cancelled' || failure.kind === 'content_filter') {
        throw finalProblem(failure, context);
      }
      failures.push(failure);
    }
  }
  throw context.deadlines.isClientGone
    ? finalProblem(CLIENT_GONE, context)
    : allAttemptsFailed(failures, context);
}

/** An attempt that is due; without a passage where it is made although the breaker would have it wait. */
interface Due {
  readonly attempt: Attempt;
  readonly permit: ProbePermit | undefined;
}

/** The attempts in their order, but last of their model what cools by now or is being probed by another request. */
function* inPlannedOrder(
  attempts: readonly Attempt[],
  { circuit, clock }: Pick<RunnerDependencies, 'circuit' | 'clock'>,
): Generator<Due> {
  const late: Attempt[] = [];
  for (const [index, attempt] of attempts.entries()) {
    const { endpoint, key } = attempt;
    const permit = circuit.enter(endpoint.id, key?.id ?? null, clock.now());
    if (permit === undefined) {
      late.push(attempt);
    } else {
      try {
        yield { attempt, permit };
      } finally {
        permit.end(false);
      }
    }
    if (attempts[index + 1]?.endpoint.modelId === endpoint.modelId) continue;
    for (const last of late.splice(0)) yield { attempt: last, permit: undefined };
  }
}

/** What ended an attempt: this side's own abort goes before whatever the adapter made of it. */
export function failureOf(thrown: unknown, deadlines: Deadlines): UpstreamFailure {
  if (deadlines.abortedWith !== undefined) return deadlines.abortedWith;
  if (thrown instanceof UpstreamFailure) return thrown;
  const message = 'The attempt failed inside the gateway';
  return new UpstreamFailure(message, {
    kind: 'upstream_error',
    error: 'internal',
    isPenalised: false,
    cause: thrown,
  });
}

/** Says in the response of the attempt that served that its answer broke off after all. */
export function amendResponse({ responses, deadlines }: AttemptContext, failure: UpstreamFailure): void {
  const served = responses.pop();
  if (served === undefined) return;
  responses.push({ ...served, status: statusOf(failure, deadlines), error: failure.error });
}

/** Tells the breaker that the attempt went well to its end. */
export function reportSuccess(context: AttemptContext, attempt: Attempt): void {
  report(context, attempt, { kind: 'success' });
}

/** Tells the breaker of a failure, unless it is not to be held against anybody. */
export function reportFailure(context: AttemptContext, attempt: Attempt, failure: UpstreamFailure): void {
  const outcome = outcomeOf(failure);
  if (outcome !== undefined) report(context, attempt, outcome);
}

/** What making one attempt needs of a run. */
interface AttemptSetup {
  readonly dependencies: Pick<RunnerDependencies, 'adapters' | 'openCredential'>;
  readonly deadlines: Deadlines;
  readonly body: ChatBody;
}

/** Makes one attempt. Rejects with whatever ends it; `failureOf` says what that was. */
export async function begin<T>(
  { dependencies, deadlines, body }: AttemptSetup,
  attempt: Attempt,
  exchange: Exchange<T>,
): Promise<T> {
  const { endpoint, provider, modelReasoning, region } = attempt;
  const signal = deadlines.begin();
  const credential = await dependencies.openCredential(attempt).catch(unreadable);
  signal.throwIfAborted();
  const adapter = dependencies.adapters.get(provider.adapter);
  if (adapter === undefined) throw notSpoken(provider);
  return exchange(adapter, {
    endpoint,
    provider,
    region,
    credential,
    body: { ...body, model: endpoint.upstreamModelId },
    reasoning: reasoningFor(requestedReasoning(body), modelReasoning, answerTokens(body, endpoint)),
    signal,
    onFirstByte: () => {
      if (!signal.aborted) deadlines.firstByte();
    },
  });
}

function notSpoken({ slug, adapter }: Attempt['provider']): UpstreamFailure {
  const message = `This gateway does not speak the protocol of ${slug} (${adapter}) yet`;
  return new UpstreamFailure(message, { kind: 'upstream_error', error: 'internal', isPenalised: false });
}

function unreadable(cause: unknown): never {
  const message = 'The stored credential could not be opened';
  throw new UpstreamFailure(message, { kind: 'auth', error: 'credential', cause });
}

/** The status of the answer that failed: what it says itself, else 200 when it had begun well. */
export function statusOf(failure: UpstreamFailure, deadlines: Deadlines): number | null {
  return failure.status ?? (deadlines.hasAnswer ? 200 : null);
}

function addResponse(
  { dependencies, responses }: AttemptContext,
  { provider, endpoint, key }: Attempt,
  startedAt: number,
  status: number | null,
  error: ProviderResponse['error'],
): void {
  responses.push({
    provider: provider.slug,
    provider_name: provider.name,
    status,
    error,
    is_byok: key !== null,
    byok_key_id: key?.id ?? null,
    endpoint: endpoint.id,
    latency_ms: elapsedMs(startedAt, dependencies.clock.now()),
  });
}

function report({ dependencies }: AttemptContext, { endpoint, key }: Attempt, outcome: Outcome): void {
  dependencies.circuit.record(endpoint.id, key?.id ?? null, outcome, dependencies.clock.now());
}

/** What was tried, and the record that tells of it. */
export interface Tried {
  readonly generationId: string;
  readonly responses: readonly ProviderResponse[];
}

/**
 * 429 with the smallest Retry-After when all attempts were rate limits; 400 with the first provider's message when all
 * refused the request as invalid; else 502. The metadata lists every attempt and names the generation record.
 */
export function allAttemptsFailed(failures: readonly UpstreamFailure[], tried: Tried): Problem {
  const metadata = attemptsMetadata(tried);
  const cause = failures.at(-1);
  if (areAll(failures, 'rate_limit')) {
    const message = 'Every provider that could serve this request is rate limiting it';
    return new Problem('upstream_rate_limited', message, {
      metadata,
      cause,
      ...smallestRetryAfter(failures),
    });
  }
  if (areAll(failures, 'invalid_request')) {
    const message = failures[0]?.message ?? '';
    return new Problem('upstream_invalid_request', message, { metadata, cause });
  }
  const last = cause === undefined ? 'no time was left for an attempt' : cause.message;
  return new Problem('upstream_failed', `No provider could serve this request: ${last}`, { metadata, cause });
}

/** A refusal that ends the plan whatever attempts are left, or the end of a client that went away. */
export function finalProblem(failure: UpstreamFailure, tried: Tried): Problem {
  const reason = failure.kind === 'cancelled' ? 'client_closed' : 'content_filter';
  return new Problem(reason, failure.message, { metadata: attemptsMetadata(tried), cause: failure });
}

/** A stream that broke after content was sent: nothing else can serve it any more. */
export function brokenStream(failure: UpstreamFailure, tried: Tried): Problem {
  return new Problem('upstream_failed', failure.message, {
    metadata: attemptsMetadata(tried),
    cause: failure,
  });
}

function attemptsMetadata({ generationId, responses }: Tried): Metadata {
  return { generation_id: generationId, provider_responses: [...responses] };
}

function areAll(failures: readonly UpstreamFailure[], kind: UpstreamFailure['kind']): boolean {
  return failures.length > 0 && failures.every((failure) => failure.kind === kind);
}

function smallestRetryAfter(failures: readonly UpstreamFailure[]): { retryAfterSeconds?: number } {
  const waits = failures.flatMap(({ retryAfterMs }) => (retryAfterMs === null ? [] : [retryAfterMs]));
  return waits.length === 0 ? {} : { retryAfterSeconds: Math.ceil(Math.min(...waits) / 1000) };
}
