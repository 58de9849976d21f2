/**
 * Runs a plan: makes one attempt after the other until one has content. Each attempt is made at most once, adds exactly
 * one provider response to the record and reports its outcome to the circuit breaker once. See
 * `docs/routing.md#running-the-plan-fallback`.
 */
import { type Clock, elapsedMs } from '../../base/clock.js';
import { BodyTooLarge } from '../../base/json/json-body.js';
import type { Problem } from '../../base/problem.js';
import type { ApiHeaders } from '../../formats/api-headers.js';
import type { ContextOverflow } from '../../formats/context-overflow.js';
import type { Outcome } from '../../routing/health/failure-record.js';
import type { Attempt } from '../../routing/types.js';
import { isOfRequest, isUnsent, UpstreamFailure } from '../ports/failure.js';
import type { ProviderResponse } from '../ports/generation.js';
import { type SentRequest, sentBody } from '../ports/inference-request.js';
import type { RequestFacts } from '../ports/request-facts.js';
import type { AnswerOutput } from '../ports/stream-usage.js';
import type { Adaptations } from './adaptation.js';
import { AdaptedMembers } from './adapted-members.js';
import { AttemptMode } from './attempt-mode.js';
import { inCurrentOrder, type PassedOver, restingUntil } from './attempt-order.js';
import type { AttemptWatch } from './attempt-watch.js';
import { CallerText, unlessRepeated } from './caller-text.js';
import { type CircuitSink, candidateOf, outcomeOf } from './circuit-sink.js';
import type { Deadlines } from './deadlines.js';
import {
  type AttemptDependencies,
  type DueAttempt,
  type Exchange,
  makeAttempt,
  sentFormat,
} from './make-attempt.js';
import { blamedOnObject } from './object-refusal.js';
import { type AttemptHistory, allAttemptsFailed, allResting, finalProblem, isFinal } from './problems.js';
import type { Refusals } from './refusals.js';
import { toldFailure } from './told-failure.js';

export interface RunnerDependencies extends AttemptDependencies {
  readonly circuit: CircuitSink;
  readonly adaptations: Adaptations;
  readonly refusals: Pick<Refusals, 'overflowIn' | 'saysUnsupported'>;
  readonly watch?: AttemptWatch;
  readonly clock: Clock;
}

/** What the attempts of one request share. */
export interface AttemptContext extends AttemptHistory {
  readonly dependencies: RunnerDependencies;
  /** The account that made the request. */
  readonly accountId: string;
  readonly passedOver: PassedOver;
  /** Reserves what the attempt may cost more than is reserved; what it is refused with, if it is. */
  readonly reserve: (attempt: Attempt) => Promise<Problem | undefined>;
  readonly deadlines: Deadlines;
  /** Whether an attempt goes on when the client leaves. */
  readonly outlivesClient?: (attempt: Attempt) => boolean;
  /** Has none of the gateway's own members except `model`, which each attempt replaces. */
  readonly sent: SentRequest;
  readonly facts: Pick<RequestFacts, 'promptTokens' | 'reach'>;
  readonly apiHeaders?: ApiHeaders | undefined;
  /** The client's name for the conversation; none if this is missing. */
  readonly session?: string | null;
  /** Whether calls may be adapted when a provider refuses something. */
  readonly mayAdapt: boolean;
  /** One for each attempt that has ended. */
  readonly responses: ProviderResponse[];
  /** For each attempt that has been started. */
  readonly adapted: Map<Attempt, AdaptedMembers>;
  /** Likewise. */
  readonly modes: Map<Attempt, AttemptMode>;
}

/** An attempt that had content, and what its exchange returned. */
export interface SuccessfulAttempt<T> {
  readonly attempt: Attempt;
  readonly result: T;
  /** Time of the first content, in Unix milliseconds. */
  readonly answeredAt: number;
}

/**
 * Returns the first attempt whose exchange succeeded. Its response is added to `context.responses`; its outcome is not
 * reported yet. Throws a Problem: one of `finalProblem` or of `allAttemptsFailed`.
 */
export async function runAttempts<T>(
  context: AttemptContext,
  attempts: readonly Attempt[],
  exchange: Exchange<T>,
): Promise<SuccessfulAttempt<T>> {
  const failures: UpstreamFailure[] = [];
  const overflows: ContextOverflow[] = [];
  const { circuit, clock } = context.dependencies;
  const { accountId, passedOver } = context;
  const health = { circuit, clock, accountId, passedOver };
  let refusal: Problem | undefined;
  const resting = restingUntil(attempts, health);
  if (resting !== null) throw allResting(resting - clock.now(), context);
  let made = 0;
  for (const { attempt, permit } of inCurrentOrder(attempts, health)) {
    if (context.deadlines.isOver) break;
    made += 1;
    const isLast = made === attempts.length;
    const refused = await context.reserve(attempt);
    if (refused !== undefined) {
      passedOver.set(attempt, 'insufficient_reservation');
      refusal = refused;
      continue;
    }
    const startedAt = clock.now();
    const adapted = new AdaptedMembers(context.sent.format);
    context.adapted.set(attempt, adapted);
    context.modes.set(attempt, new AttemptMode());
    const respond = (status: number | null, error: ProviderResponse['error']) =>
      addResponse(context, attempt, startedAt, { status, error, adapted });
    try {
      const result = await makeAdapted(context, { attempt, mayWait: isLast }, exchange, adapted);
      permit?.end(true);
      respond(200, null);
      return { attempt, result, answeredAt: clock.now() };
    } catch (thrown) {
      const failure = blamedOnRequest(failureIn(context, thrown), context, attempt);
      const told = toldFailure(failure, attempt);
      respond(statusOf(told, context.deadlines), told.error);
      context.deadlines.abandon();
      reportFailure(context, attempt, failure);
      overflows.push(...overflowOf(context, attempt, failure));
      if (isFinal(failure)) throw finalProblem(told, context);
      failures.push(told);
    }
  }
  if (refusal !== undefined && failures.length === 0) throw refusal;
  const { interruption } = context.deadlines;
  throw interruption === undefined
    ? allAttemptsFailed(failures, { ...context, overflows })
    : finalProblem(interruption, context);
}

/** By how much the request is too long for the attempt; what the provider does not tell is estimated, and known of the endpoint. */
function overflowOf(
  { dependencies, sent, facts }: AttemptContext,
  { endpoint }: Attempt,
  failure: UpstreamFailure,
): readonly ContextOverflow[] {
  const told = dependencies.refusals.overflowIn(failure, new CallerText(sentBody(sent)));
  if (told === undefined) return [];
  const limit = told.limit ?? endpoint.contextLength;
  const tokens = told.tokens ?? Math.max(facts.promptTokens(), (limit ?? 0) + 1);
  return [{ tokens, limit }];
}

/** The failure, or the request's own where it is about an object that the attempt's form of it names. */
function blamedOnRequest(
  failure: UpstreamFailure,
  { sent, facts }: AttemptContext,
  attempt: Attempt,
): UpstreamFailure {
  return blamedOnObject(failure, () => facts.reach.sentAs(sentFormat(attempt, sent)));
}

/** Makes one attempt, adapted if the request allows it. What was changed is added to `adapted`. */
function makeAdapted<T>(
  context: AttemptContext,
  due: DueAttempt,
  exchange: Exchange<T>,
  adapted: AdaptedMembers,
): Promise<T> {
  const { dependencies, accountId, mayAdapt } = context;
  const { attempt } = due;
  return dependencies.adaptations.run(attempt, {
    accountId,
    mayAdapt,
    make: (change) =>
      makeAttempt(context, due, (adapter, call) => {
        const changed = change(call);
        context.modes.get(attempt)?.sent(changed);
        return exchange(adapter, changed, attempt);
      }),
    failureOf: (thrown) => failureIn(context, thrown),
    adapted,
  });
}

/** As `failureOf`, ignoring words that the provider only repeats from the request. */
export function failureIn(context: AttemptContext, thrown: unknown): UpstreamFailure {
  return unlessRepeated(failureOf(thrown, context.deadlines), context);
}

/**
 * What ended an attempt. If the gateway aborted it, that counts, not the error that the adapter made of it. Exception:
 * a timeout while the attempt waited for a connection, or for the caller's media, is not the provider's.
 */
export function failureOf(thrown: unknown, deadlines: Deadlines): UpstreamFailure {
  const { abortedWith } = deadlines;
  const neverSent = (isUnsent(thrown) || isOfRequest(thrown)) && abortedWith?.error === 'timeout';
  if (abortedWith !== undefined && !neverSent) return abortedWith;
  if (thrown instanceof UpstreamFailure) return thrown;
  if (thrown instanceof BodyTooLarge) {
    return new UpstreamFailure(thrown.message, {
      kind: 'invalid_request',
      isPenalised: false,
      cause: thrown,
    });
  }
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

/** Reports a complete answer to the circuit breaker. If its counts are impossible, it is reported as a failure. */
export function reportServed(
  context: AttemptContext,
  { attempt, answeredAt }: Pick<SuccessfulAttempt<unknown>, 'attempt' | 'answeredAt'>,
  { isMiscounted }: Pick<AnswerOutput, 'isMiscounted'>,
): void {
  context.dependencies.watch?.served(attempt);
  if (isMiscounted) report(context, attempt, { kind: 'failure' }, context.dependencies.clock.now());
  else report(context, attempt, { kind: 'success' }, answeredAt);
}

/** Reports a failure to the watch, and to the circuit breaker unless it does not count against anything. */
export function reportFailure(context: AttemptContext, attempt: Attempt, failure: UpstreamFailure): void {
  const { watch, refusals, clock } = context.dependencies;
  watch?.failed(attempt, failure);
  const outcome = outcomeOf(failure, new CallerText(sentBody(context.sent)), refusals);
  if (outcome !== undefined) report(context, attempt, outcome, clock.now());
}

function report(
  { dependencies, accountId }: AttemptContext,
  attempt: Attempt,
  outcome: Outcome,
  at: number,
): void {
  dependencies.circuit.record(candidateOf(attempt, accountId), outcome, at);
}

function addResponse(
  { dependencies, responses }: AttemptContext,
  { provider, endpoint, key }: Attempt,
  startedAt: number,
  { status, error, adapted }: Pick<ProviderResponse, 'status' | 'error'> & { adapted: AdaptedMembers },
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
    adapted: adapted.all,
  });
}
