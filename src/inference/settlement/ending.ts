import type { FinishReason } from '../../formats/chat/types.js';
import type { AnswerOutput } from '../stream/stream-usage.js';

/** How a run ended for the client; `cut`: its reservation could not be extended. */
export type Ending = 'answered' | 'cut' | 'broken' | 'cancelled';

export function finishReasonOf({ finishReason }: AnswerOutput, ending: Ending): FinishReason | null {
  if (ending === 'broken') return 'error';
  return ending === 'cut' ? 'length' : finishReason;
}
