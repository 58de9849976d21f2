import type { OnDisconnect } from '../../formats/routing-members.js';
import { mayHideTokens } from '../../routing/estimate/max-usage.js';
import type { FastestRates } from '../../routing/health/fastest-rates.js';
import type { Attempt } from '../../routing/types.js';
import type { Deadlines } from '../attempts/deadlines.js';
import type { AnswerOutput } from '../ports/stream-usage.js';
import { usageOfCut } from '../ports/usage.js';
import { type ReasoningMembers, requestedReasoning } from '../reasoning/reasoning.js';
import type { Ending } from '../settlement/ending.js';
import type { AdmittedRequest } from './reservation.js';
import type { Measured } from './result.js';

/** Whether an attempt over this key goes on when its client leaves; `requested` counts for own keys alone. */
export function outlivesClient(
  key: Attempt['key'],
  requested: OnDisconnect | undefined,
  { shared, byok }: { readonly shared: OnDisconnect; readonly byok: OnDisconnect },
): boolean {
  return (key === null ? shared : (requested ?? byok)) === 'finish';
}

/** Whether an attempt that failed was ended by the gateway after the provider had accepted it, so that it is charged. */
export function isAccepted(deadlines: Deadlines): boolean {
  const { hasAnswer, isOnePiece, outlivesClient: mayOutlive, producingSince, client } = deadlines;
  const { interruption, hasOwnTimeout } = deadlines;
  if (interruption === undefined && !isEndedByTimeout(deadlines)) return false;
  // The status of an answer in one piece comes when it is complete.
  const isProduced =
    (client.hasLeft || hasOwnTimeout) && mayOutlive && isOnePiece && producingSince !== undefined;
  return hasAnswer || isProduced;
}

/** Whether the answer was cut by the gateway since its client has left, or by a timeout of the request's own. */
export function isCut(deadlines: Deadlines, ending: Ending): boolean {
  if (deadlines.hasOwnTimeout) return ending !== 'shut_down';
  if (ending === 'broken') return isEndedByTimeout(deadlines);
  return ending === 'cancelled' && deadlines.client.hasLeft;
}

function isEndedByTimeout({ client, abortedWith, hasOwnTimeout }: Deadlines): boolean {
  return hasOwnTimeout || (client.hasLeft && abortedWith?.error === 'timeout');
}

/** The request of an answer that was cut. */
interface CutRequest {
  readonly deadlines: Pick<Deadlines, 'isOnePiece' | 'producingSince'>;
  readonly reservation: Pick<AdmittedRequest, 'tokensFor'>;
  readonly reasoning: ReasoningMembers;
  readonly rates: Pick<FastestRates, 'of'>;
}

/** The output of an answer that was cut, with counts that are no lower than what the provider has produced. */
export function countedCut(attempt: Attempt, output: AnswerOutput, request: CutRequest): AnswerOutput {
  const { deadlines, reservation, reasoning, rates } = request;
  const isHidden = deadlines.isOnePiece || mayReasonUnseen(attempt, reasoning);
  const usage = usageOfCut(output, {
    reserved: reservation.tokensFor(attempt),
    hiddenSince: isHidden ? deadlines.producingSince : undefined,
    hiddenTokensPerSecond: rates.of({ endpointId: attempt.endpoint.id, byokKeyId: attempt.key?.id ?? null }),
    cutAt: performance.now(),
  });
  const { isMiscounted, characters, images, finishReason, nativeFinishReason, mode, isEnded, isLastCount } =
    output;
  return {
    ...{
      usage,
      isMiscounted,
      characters,
      images,
      finishReason,
      nativeFinishReason,
      mode,
      isEnded,
      isLastCount,
    },
    ...{ uncountedCharacters: 0, uncountedTokensHigh: 0, countedAt: undefined },
  };
}

/** Whether the attempt may have reasoned without showing it. */
function mayReasonUnseen(attempt: Attempt, members: ReasoningMembers): boolean {
  if (!mayHideTokens(attempt)) return false;
  const { isEnabled } = requestedReasoning(members);
  const { mandatory, defaultEnabled } = attempt.modelReasoning ?? {};
  return mandatory === true || (isEnabled ?? defaultEnabled ?? true);
}

/** An attempt, its output, and what that used. */
export interface CountedAttempt {
  readonly attempt: Attempt;
  readonly output: AnswerOutput;
  readonly measured: Measured;
}

/** Of two attempts of which one is charged: that over shared capacity, which the operator has paid, else the dearer one. */
export function owedOf(known: CountedAttempt | undefined, other: CountedAttempt): CountedAttempt {
  if (known === undefined) return other;
  const [isShared, isOtherShared] = [known.attempt.key === null, other.attempt.key === null];
  if (isShared !== isOtherShared) return isShared ? known : other;
  return other.measured.list.totalNanoUsd > known.measured.list.totalNanoUsd ? other : known;
}
