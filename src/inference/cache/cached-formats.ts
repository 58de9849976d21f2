import type { ServedFormat } from '../../catalog/types.js';
import type { FinishReason } from '../../formats/chat/types.js';
import { normalizedOf, type UpstreamAnswer } from '../ports/adapter.js';

/** Whether an answer is one that may be given again: complete, with as many choices as were asked for. */
type IsWhole = (answer: UpstreamAnswer, choices: number) => boolean;

/** Which requests may be answered from the cache; null = none of the format. */
export const CACHED_FORMATS: Readonly<Record<ServedFormat, IsWhole | null>> = {
  chat: (answer, expected) => {
    const { choices } = normalizedOf(answer);
    return choices.length >= expected && choices.every(({ finish_reason }) => ENDS.has(finish_reason));
  },
  messages: null,
  responses: null,
  completions: null,
};

/** How an answer that may be given again has ended. */
const ENDS: ReadonlySet<FinishReason> = new Set(['stop', 'tool_calls', 'length']);
