/**
 * Runs a plan: one attempt after the other until one has content. Each attempt is made at most once, adds exactly one
 * provider response to the record and reports its outcome to the circuit breaker once. See
 * `docs/routing.md#running-the-plan-fallback`.
 */
import { type Clock, elapsedMs } from '../../base/clock.js';
import { laneOf } from '../../catalog/formats.js';
import type { AdapterName } from '../../catalog/types.js';
import type { ChatBody } from '../../formats/chat/types.js';
import type { Outcome } from '../../routing/health/circuit.js';
import type { Attempt } from '../../routing/types.js';
import type { NativeRequest } from '../inference-request.js';
import { reasoningOf } from '../reasoning/reasoning.js';
import type { ProviderResponse } from '../settlement/generation.js';
import { maxAnswerTokens } from '../settlement/usage.js';
import type { Adaptations } from './adaptation.js';
import type { UpstreamAdapter, UpstreamCall } from './adapter.js';
import { withinLimitOf } from './answer-limit.js';
import { inCurrentOrder, restingUntil } from './attempt-order.js';
import { type CircuitSink, outcomeOf } from './circuit-sink.js';
import { CLIENT_GONE, type Deadlines } from './deadlines.js';
import { UpstreamFailure } from './failure.js';
import { blamedOnObject } from './object-refusal.js';
import { type AttemptHistory, allAttemptsFailed, allResting, finalProblem } from './problems.js';
import { pathsOfClient, pricedCall } from './shared-capacity.js';

export interface RunnerDependencies {
  readonly adapters: ReadonlyMap<AdapterName, UpstreamAdapter>;
  /** The credential of the attempt in its adapter's form. A rejection fails the attempt. */
  openCredential(attempt: Attempt): Promise<unknown>;
  readonly circuit: CircuitSink;
  readonly adaptations: Adaptations;
  readonly clock: Clock;
}

/** What the attempts of one request share. */
export interface AttemptContext extends AttemptHistory {
  readonly dependencies: RunnerDependencies;
  readonly deadlines: Deadlines;
  /** The request without the gateway's own members but `model`, which each attempt replaces. */
  readonly body: ChatBody;
  readonly native?: NativeRequest;
  readonly betas?: readonly string[];
  /** Whether calls may be adapted to what a provider refuses of them. */
  readonly mayAdapt: boolean;
  /** One for each attempt that has ended. */
  readonly responses: ProviderResponse[];
  /** Paths of what attempts over shared capacity are made without, where there is something. */
  readonly leftOut: Map<Attempt, readonly string[]>;
}

/** Calls the provider up to its first content; rejects when there is none. */
export type Exchange<T> = (adapter: UpstreamAdapter, call: UpstreamCall, attempt: Attempt) => Promise<T>;

/** An attempt that had content, and what its exchange returned. */
export interface SuccessfulAttempt<T> {
  readonly attempt: Attempt;
  readonly result: T;
}

/**
 * Returns the first attempt whose exchange succeeds. Its response is added to `context.responses`; its outcome is not
 * reported yet. Throws a Problem: `client_closed`, `content_filter`, or one of `allAttemptsFailed`.
 */
export async function runAttempts<T>(
  context: AttemptContext,
  attempts: readonly Attempt[],
  exchange: Exchange<T>,
): Promise<SuccessfulAttempt<T>> {
  const failures: UpstreamFailure[] = [];
  const resting = restingUntil(attempts, context.dependencies);
  if (resting !== null) throw allResting(resting - context.dependencies.clock.now(), context);
  for (const { attempt, permit } of inCurrentOrder(attempts, context.dependencies)) {
    if (context.deadlines.isOver) break;
    const startedAt = context.dependencies.clock.now();
    const adapted = new Set<string>();
    const respond = (status: number | null, error: ProviderResponse['error']) => {
      const leftOut = context.leftOut.get(attempt) ?? [];
      addResponse(context, attempt, startedAt, { status, error, adapted: [...leftOut, ...adapted] });
    };
    try {
      const result = await makeAdapted(context, attempt, exchange, adapted);
      permit?.end(true);
      respond(200, null);
      return { attempt, result };
    } catch (thrown) {
      const failure = blamedOnRequest(failureOf(thrown, context.deadlines), context, attempt);
      respond(statusOf(failure, context.deadlines), failure.error);
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

/** The failure, or the request's own where it is about an object that the attempt's form of it names. */
function blamedOnRequest(
  failure: UpstreamFailure,
  { body, native }: AttemptContext,
  attempt: Attempt,
): UpstreamFailure {
  return blamedOnObject(failure, isNativeAt(attempt, native) ? { body, native } : { body });
}

/** Whether the attempt sends the request as it came. */
function isNativeAt({ endpoint, provider }: Attempt, native: NativeRequest | undefined): boolean {
  return native !== undefined && laneOf(native.format, endpoint, provider) === 'native';
}

/** Makes one attempt, adapted where the request allows it; adds to `adapted` what was changed. */
function makeAdapted<T>(
  context: AttemptContext,
  attempt: Attempt,
  exchange: Exchange<T>,
  adapted: Set<string>,
): Promise<T> {
  if (!context.mayAdapt) return makeAttempt(context, attempt, exchange);
  const { dependencies, deadlines } = context;
  return dependencies.adaptations.run(attempt, {
    make: (change) =>
      makeAttempt(context, attempt, (adapter, call) => exchange(adapter, change(call), attempt)),
    failureOf: (thrown) => failureOf(thrown, deadlines),
    adapted,
  });
}

/** What a single attempt needs. */
interface AttemptSetup {
  readonly dependencies: Pick<RunnerDependencies, 'adapters' | 'openCredential'>;
  readonly deadlines: Deadlines;
  readonly body: ChatBody;
  readonly native?: NativeRequest;
  readonly betas?: readonly string[];
  readonly leftOut?: AttemptContext['leftOut'];
}

/** Makes one attempt. May reject with anything; `failureOf` turns that into an `UpstreamFailure`. */
export async function makeAttempt<T>(
  setup: AttemptSetup,
  attempt: Attempt,
  exchange: Exchange<T>,
): Promise<T> {
  const { dependencies, deadlines, body, native, betas } = setup;
  const { endpoint, provider, region } = attempt;
  const signal = deadlines.begin();
  const credential = await dependencies.openCredential(attempt).catch(throwCredentialFailure);
  signal.throwIfAborted();
  const adapter = dependencies.adapters.get(provider.adapter);
  if (adapter === undefined) throw missingAdapter(provider);
  const isNative = isNativeAt(attempt, native);
  const chat = native === undefined || isNative ? body : withinLimitOf(body, endpoint);
  const call: UpstreamCall = {
    endpoint,
    provider,
    region,
    credential,
    body: { ...chat, model: endpoint.upstreamModelId },
    reasoning: reasoningOf(chat, attempt, maxAnswerTokens(chat, endpoint)),
    ...(isNative && { native }),
    ...(betas !== undefined && { betas }),
    signal,
    onFirstByte: () => {
      if (!signal.aborted) deadlines.firstByte();
    },
    onBytes: () => deadlines.bytes(),
  };
  return exchange(adapter, attempt.key === null ? withPriceAlone(call, setup, attempt) : call, attempt);
}

/** The call without what has no price over shared capacity, which is remembered for the record. */
function withPriceAlone(
  call: UpstreamCall,
  { native, leftOut: told }: AttemptSetup,
  attempt: Attempt,
): UpstreamCall {
  const { call: priced, leftOut } = pricedCall(call);
  if (leftOut.length > 0) {
    const isRead = native !== undefined && call.native === undefined;
    told?.set(attempt, isRead ? pathsOfClient(leftOut, native) : leftOut);
  }
  return priced;
}

/** What ended an attempt. The gateway's own abort takes precedence over the error that the adapter made of it. */
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

/** The HTTP status of a failed attempt: the failure's own, else 200 when the answer had begun, else null. */
export function statusOf(failure: UpstreamFailure, deadlines: Deadlines): number | null {
  return failure.status ?? (deadlines.hasAnswer ? 200 : null);
}

/** Records in the last response that its answer broke off after the first content. */
export function amendResponse({ responses, deadlines }: AttemptContext, failure: UpstreamFailure): void {
  const response = responses.pop();
  if (response === undefined) return;
  responses.push({ ...response, status: statusOf(failure, deadlines), error: failure.error });
}

/** Reports to the circuit breaker an attempt that was complete. */
export function reportSuccess(context: AttemptContext, attempt: Attempt): void {
  report(context, attempt, { kind: 'success' });
}

/** Reports a failure to the circuit breaker, unless it is not to be penalised. */
export function reportFailure(context: AttemptContext, attempt: Attempt, failure: UpstreamFailure): void {
  const outcome = outcomeOf(failure);
  if (outcome !== undefined) report(context, attempt, outcome);
}

function report({ dependencies }: AttemptContext, { endpoint, key }: Attempt, outcome: Outcome): void {
  dependencies.circuit.record(endpoint.id, key?.id ?? null, outcome, dependencies.clock.now());
}

function addResponse(
  { dependencies, responses }: AttemptContext,
  { provider, endpoint, key }: Attempt,
  startedAt: number,
  { status, error, adapted }: Pick<ProviderResponse, 'status' | 'error'> & { adapted: readonly string[] },
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
    adapted: adapted.length === 0 ? null : adapted,
  });
}

function throwCredentialFailure(cause: unknown): never {
  const message = 'The stored credential could not be opened';
  throw new UpstreamFailure(message, { kind: 'auth', error: 'credential', cause });
}

function missingAdapter({ slug, adapter }: Attempt['provider']): UpstreamFailure {
  const message = `This gateway does not speak the protocol of ${slug} (${adapter}) yet`;
  return new UpstreamFailure(message, { kind: 'upstream_error', error: 'internal', isPenalised: false });
}
