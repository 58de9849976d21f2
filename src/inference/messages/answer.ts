import type { JsonText } from '../../base/json/json-text.js';
import type { ChatBody, JsonObject } from '../../formats/chat/types.js';
import type { MarkSigner } from '../../formats/marks.js';
import type { MessagesAnswer, MessagesEvent } from '../../formats/messages/types.js';
import {
  hasForgotten,
  messageId,
  messagesAnswer,
  type WritingRules,
} from '../../formats/messages/writing/answer.js';
import { MessagesEventWriter as EventWriter } from '../../formats/messages/writing/stream-writer.js';
import { estimatePromptTokens } from '../../routing/estimate/prompt-tokens.js';
import { CHAT_ANSWER } from '../chat/answer.js';
import type { AnswerFormat } from '../ports/answer-format.js';
import { withCost } from '../ports/usage.js';
import { NativeEventWriter } from './native-writer.js';
import { TranslatedEventWriter } from './translated-writer.js';

/** The parts of a request that its answer depends on. */
interface AnsweredRequest {
  readonly chat: ChatBody;
  readonly rules: WritingRules;
  readonly requestId: string;
  /** Signs the marks of the answer; resolves to undefined if there is no key to sign with. */
  readonly signer: () => Promise<MarkSigner | undefined>;
}

/** The record's name for thoughts that can't be given back to their model. */
const REASONING = ['reasoning'];

/** Answers in the Messages format. A native answer is passed on except for its ids, model and cost. */
export function messagesFormat({
  chat,
  rules: plainRules,
  requestId,
  signer,
}: AnsweredRequest): AnswerFormat<MessagesAnswer | JsonObject, MessagesEvent | JsonText> {
  let rules = plainRules;
  return {
    async prepare({ lane }) {
      if (lane === 'translated') rules = { ...plainRules, signer: await signer() };
    },
    omittedOf: (_, result) =>
      result.format === 'chat' && hasForgotten(result.choices[0]?.message, rules) ? REASONING : [],
    whole(answered, result, usage) {
      const { id, model } = answered;
      if (result.format === 'chat') {
        const chat = CHAT_ANSWER.whole(answered, result, usage);
        return messagesAnswer(chat, model, rules, result.usage.cacheWrite1hTokens);
      }
      return { ...result.native, id: messageId(id), model, usage: withCost(result.native.usage, usage) };
    },
    writer(answered, streamUsage) {
      const { id, model } = answered;
      if (answered.lane === 'native') return new NativeEventWriter({ id: messageId(id), model, requestId });
      const head = { id, model, promptTokens: estimatePromptTokens(chat).likely };
      const chunks = CHAT_ANSWER.writer(answered, streamUsage);
      return new TranslatedEventWriter({
        chunks,
        events: new EventWriter(head, rules),
        streamUsage,
        requestId,
      });
    },
  };
}
