import type { ChatAnswer } from '../chat/types.js';
import type { ToolNames } from './tool-names.js';
import type { MessagesAnswer } from './types.js';

/** What of a request decides how its answer is written: `ReadRequest.rules`. */
export interface WritingRules {
  readonly toolNames: ToolNames;
  /** False: thoughts are sent as signatures without their text (`display: omitted`). */
  readonly showsThoughts: boolean;
}

/** The Messages answer for a chat's. `model` is what the answer names as the model. */
export declare function messagesAnswer(
  answer: ChatAnswer,
  model: string,
  rules: WritingRules,
): MessagesAnswer;
