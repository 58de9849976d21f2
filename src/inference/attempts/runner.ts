/**
 * Runs a plan: one attempt after the other until one has content. Each attempt is made at most once, adds exactly one
 * provider response to the record and reports its outcome to the circuit breaker once. See
 * `docs/routing.md#running-the-plan-fallback`.
 */
import { type Clock, elapsedMs } from '../../base/clock.js';
import { BodyTooLarge } from '../../base/json/json-body.js';
import { laneOf } from '../../catalog/formats.js';
import type { AdapterName } from '../../catalog/types.js';
import type { ChatBody } from '../../formats/chat/types.js';
import type { Outcome } from '../../routing/health/failure-record.js';
import type { Attempt } from '../../routing/types.js';
import type { NativeRequest } from '../inference-request.js';
import { type Reasoning, reasoningOf, requestedReasoning } from '../reasoning/reasoning.js';
import type { ProviderResponse } from '../settlement/generation.js';
import { maxAnswerTokens } from '../settlement/usage.js';
import type { AnswerOutput } from '../stream/stream-usage.js';
import type { Adaptations } from './adaptation.js';
import { AdaptedMembers } from './adapted-members.js';
import type { UpstreamAdapter, UpstreamCall } from './adapter.js';
import { withinLimitOf } from './answer-limit.js';
import { inCurrentOrder, type PassedOver, restingUntil } from './attempt-order.js';
import { CallerText } from './caller-text.js';
import { type CircuitSink, candidateOf, outcomeOf } from './circuit-sink.js';
import { CLIENT_GONE, type Deadlines } from './deadlines.js';
import { isUnsent, UpstreamFailure } from './failure.js';
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
  /** Whose request it is. */
  readonly accountId: string;
  readonly passedOver: PassedOver;
  readonly deadlines: Deadlines;
  /** The request without the gateway's own members but `model`, which each attempt replaces. */
  readonly body: ChatBody;
  readonly native?: NativeRequest;
  readonly betas?: readonly string[];
  /** Whether calls may be adapted to what a provider refuses of them. */
  readonly mayAdapt: boolean;
  /** One for each attempt that has ended. */
  readonly responses: ProviderResponse[];
  /** Of each attempt that was begun. */
  readonly adapted: Map<Attempt, AdaptedMembers>;
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
  const { circuit, clock } = context.dependencies;
  const { accountId, passedOver } = context;
  const health = { circuit, clock, accountId, passedOver };
  const resting = restingUntil(attempts, health);
  if (resting !== null) throw allResting(resting - clock.now(), context);
  let made = 0;
  for (const { attempt, permit } of inCurrentOrder(attempts, health)) {
    if (context.deadlines.isOver) break;
    made += 1;
    const isLast = made === attempts.length;
    const startedAt = clock.now();
    const adapted = new AdaptedMembers(context.native?.format === 'messages');
    context.adapted.set(attempt, adapted);
    const respond = (status: number | null, error: ProviderResponse['error']) =>
      addResponse(context, attempt, startedAt, { status, error, adapted });
    try {
      const result = await makeAdapted(context, { attempt, mayWait: isLast }, exchange, adapted);
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
  due: DueAttempt,
  exchange: Exchange<T>,
  adapted: AdaptedMembers,
): Promise<T> {
  const { dependencies, deadlines, accountId, mayAdapt } = context;
  const { attempt } = due;
  return dependencies.adaptations.run(attempt, {
    accountId,
    mayAdapt,
    make: (change) => makeAttempt(context, due, (adapter, call) => exchange(adapter, change(call), attempt)),
    failureOf: (thrown) => failureOf(thrown, deadlines),
    adapted,
  });
}

/** What a single attempt needs. */
interface AttemptSetup {
  readonly dependencies: Pick<RunnerDependencies, 'adapters' | 'openCredential'>;
  readonly accountId: string;
  readonly deadlines: Deadlines;
  readonly body: ChatBody;
  readonly native?: NativeRequest;
  readonly betas?: readonly string[];
  readonly adapted?: AttemptContext['adapted'];
}

/** An attempt that is to be made. */
interface DueAttempt {
  readonly attempt: Attempt;
  /** Whether it waits where the account may have no connection now: not where another attempt is left. */
  readonly mayWait: boolean;
}

/** Makes one attempt. May reject with anything; `failureOf` turns that into an `UpstreamFailure`. */
export async function makeAttempt<T>(
  setup: AttemptSetup,
  { attempt, mayWait }: DueAttempt,
  exchange: Exchange<T>,
): Promise<T> {
  const { dependencies, accountId, deadlines, body, native, betas } = setup;
  const { endpoint, provider, region, key } = attempt;
  const signal = deadlines.begin();
  const credential = await dependencies.openCredential(attempt).catch(throwCredentialFailure);
  signal.throwIfAborted();
  const adapter = dependencies.adapters.get(provider.adapter);
  if (adapter === undefined) throw missingAdapter(provider);
  const isNative = isNativeAt(attempt, native);
  const chat = native === undefined || isNative ? body : withinLimitOf(body, endpoint);
  const adapted = setup.adapted?.get(attempt);
  const reasoning = reasoningOf(chat, attempt, maxAnswerTokens(chat, endpoint));
  if (adapted !== undefined && !isNative) {
    for (const name of native?.omitted ?? []) adapted.add(name, 'left_out');
    if (chat.max_tokens !== body.max_tokens) adapted.add('max_tokens', 'changed');
    reportReasoning(chat, reasoning, adapted);
  }
  const call: UpstreamCall = {
    tenancy: { accountId, isByok: key !== null, mayWait },
    endpoint,
    provider,
    region,
    credential,
    body: { ...chat, model: endpoint.upstreamModelId },
    reasoning,
    ...(isNative && { native }),
    ...(betas !== undefined && { betas }),
    ...(adapted !== undefined && { onAdapted: (name, how) => adapted.add(name, how) }),
    signal,
    onFirstByte: () => {
      if (!signal.aborted) deadlines.firstByte();
    },
    onBytes: () => deadlines.bytes(),
  };
  return exchange(adapter, key === null ? withPriceAlone(call, native, adapted) : call, attempt);
}

/** The call without what has no price over shared capacity. */
function withPriceAlone(
  call: UpstreamCall,
  native: NativeRequest | undefined,
  adapted: AdaptedMembers | undefined,
): UpstreamCall {
  const { call: priced, leftOut } = pricedCall(call);
  const isRead = native !== undefined && call.native === undefined;
  const paths = isRead ? pathsOfClient(leftOut, native) : leftOut;
  for (const path of paths) adapted?.add(path, 'left_out');
  return priced;
}

/** Reasoning that the model takes in another way than it is asked for, or not at all. */
function reportReasoning(chat: ChatBody, reasoning: Reasoning | null, adapted: AdaptedMembers): void {
  if (chat.reasoning === undefined && chat.reasoning_effort === undefined) return;
  const { isEnabled, effort, maxTokens, field } = requestedReasoning(chat);
  if (isEnabled !== true) return;
  const isOtherEffort = effort !== null && reasoning?.effort !== null && reasoning?.effort !== effort;
  const isOtherLimit = maxTokens !== null && reasoning?.maxTokens !== maxTokens;
  if (reasoning === null) adapted.add(field, 'left_out');
  else if (isOtherEffort || isOtherLimit) adapted.add(field, 'changed');
}

/**
 * What ended an attempt. The gateway's own abort takes precedence over the error that the adapter made of it, but a timeout
 * of an attempt that waited for a connection is none of the provider's.
 */
export function failureOf(thrown: unknown, deadlines: Deadlines): UpstreamFailure {
  const { abortedWith } = deadlines;
  const neverSent = isUnsent(thrown) && abortedWith?.error === 'timeout';
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

/** Reports to the circuit breaker an attempt that was complete; one that counts the impossible is a failure all the same. */
export function reportServed(
  context: AttemptContext,
  attempt: Attempt,
  { isMiscounted }: Pick<AnswerOutput, 'isMiscounted'>,
): void {
  report(context, attempt, { kind: isMiscounted ? 'failure' : 'success' });
}

/** Reports a failure to the circuit breaker, unless it is not to be penalised. */
export function reportFailure(context: AttemptContext, attempt: Attempt, failure: UpstreamFailure): void {
  const outcome = outcomeOf(failure, new CallerText(context.native?.body ?? context.body));
  if (outcome !== undefined) report(context, attempt, outcome);
}

function report({ dependencies, accountId }: AttemptContext, attempt: Attempt, outcome: Outcome): void {
  dependencies.circuit.record(candidateOf(attempt, accountId), outcome, dependencies.clock.now());
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

function throwCredentialFailure(cause: unknown): never {
  const message = 'The stored credential could not be opened';
  throw new UpstreamFailure(message, { kind: 'auth', error: 'credential', cause });
}

function missingAdapter({ slug, adapter }: Attempt['provider']): UpstreamFailure {
  const message = `This gateway does not speak the protocol of ${slug} (${adapter}) yet`;
  return new UpstreamFailure(message, { kind: 'upstream_error', error: 'internal', isPenalised: false });
}
