import type { Reason } from '../../base/reasons.js';
import type { FinishReason } from '../../formats/chat/types.js';
import type { UpstreamFailure } from '../ports/failure.js';
import type { GenerationStatus } from '../ports/generation.js';
import type { AnswerOutput } from '../ports/stream-usage.js';

/** How a run ended for the client. `cut`: its reservation could not be extended; `shut_down`: this process stopped. */
export type Ending = 'answered' | 'cut' | 'broken' | 'cancelled' | 'shut_down';

export function endedWith({ finishReason }: AnswerOutput, ending: Ending): FinishReason | null {
  if (ending === 'broken' || ending === 'shut_down') return 'error';
  return ending === 'cut' ? 'length' : finishReason;
}

/** What a record says about the end of its run. */
export interface RecordedEnd {
  readonly status: GenerationStatus;
  readonly reason: Reason | null;
}

const STATUSES: Readonly<Record<Ending | 'failed', RecordedEnd>> = {
  answered: { status: 'ok', reason: null },
  cut: { status: 'ok', reason: null },
  broken: { status: 'ok', reason: null },
  cancelled: { status: 'cancelled', reason: null },
  shut_down: { status: 'failed', reason: 'shutting_down' },
  failed: { status: 'failed', reason: null },
};

/** `failed`: no attempt had content. A request whose client has left is recorded so, whatever became of its answer. */
export function recordedEnd(ending: Ending | 'failed', hasLeft: boolean): RecordedEnd {
  return STATUSES[hasLeft && ending !== 'shut_down' ? 'cancelled' : ending];
}

/** How a run ends that was interrupted this way; undefined if it was not. */
export function endingBy(interruption: UpstreamFailure | undefined): 'cancelled' | 'shut_down' | undefined {
  if (interruption === undefined) return undefined;
  return interruption.kind === 'shut_down' ? 'shut_down' : 'cancelled';
}
