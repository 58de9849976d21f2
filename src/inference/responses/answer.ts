import type { JsonText } from '../../base/json/json-text.js';
import type { ChatBody, JsonObject } from '../../formats/chat/types.js';
import type { MarkSigner } from '../../formats/marks.js';
import type { ResponseObject, ResponsesEvent } from '../../formats/responses/types.js';
import type { WritingRules } from '../../formats/responses/writing-rules.js';
import type { AnswerFormat } from '../ports/answer-format.js';

/** The parts of a request that its answer depends on. */
export interface AnsweredRequest {
  readonly chat: ChatBody;
  readonly rules: WritingRules;
  readonly requestId: string;
  /** Signs the marks of the answer; resolves to undefined if there is no key to sign with. */
  readonly signer: () => Promise<MarkSigner | undefined>;
}

/** Answers in the Responses format. A native answer is passed on except for its id, model and cost. */
export function responsesFormat(
  _request: AnsweredRequest,
): AnswerFormat<ResponseObject | JsonObject, ResponsesEvent | JsonText> {
  throw new Error('to be written');
}
