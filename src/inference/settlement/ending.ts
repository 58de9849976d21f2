import type { Reason } from '../../base/reasons.js';
import type { FinishReason } from '../../formats/chat/types.js';
import type { Deadlines } from '../attempts/deadlines.js';
import type { GenerationStatus } from '../ports/generation.js';
import type { AnswerOutput } from '../ports/stream-usage.js';

/**
 * How a run ended for the client. `cut`: its reservation could not be extended; `shut_down`: this process stopped;
 * `failed`: no attempt had content.
 */
export type Ending = 'answered' | 'cut' | 'broken' | 'cancelled' | 'shut_down' | 'failed';

export function endedWith({ finishReason }: AnswerOutput, ending: Ending): FinishReason | null {
  if (ending === 'broken' || ending === 'shut_down' || ending === 'failed') return 'error';
  return ending === 'cut' ? 'length' : finishReason;
}

/** What a record says about the end of its run. */
export interface RecordedEnd {
  readonly status: GenerationStatus;
  readonly reason: Reason | null;
}

const STATUSES: Readonly<Record<Ending, RecordedEnd>> = {
  answered: { status: 'ok', reason: null },
  cut: { status: 'ok', reason: null },
  broken: { status: 'ok', reason: null },
  cancelled: { status: 'cancelled', reason: null },
  shut_down: { status: 'failed', reason: 'shutting_down' },
  failed: { status: 'failed', reason: null },
};

/** A request whose client has left is recorded so, whatever became of its answer. */
export function recordedEnd(ending: Ending, hasLeft: boolean): RecordedEnd {
  return STATUSES[hasLeft && ending !== 'shut_down' ? 'cancelled' : ending];
}

/** How a run ends of which no attempt had content. */
export function endingOfFailed({ interruption, client }: Pick<Deadlines, 'interruption' | 'client'>): Ending {
  if (interruption?.kind === 'shut_down') return 'shut_down';
  return client.hasLeft ? 'cancelled' : 'failed';
}
