import type { ChatAnswer, ChatChunk } from '../../formats/chat/types.js';
import type { AnswerFormat } from '../answer-format.js';
import { ChunkWriter } from './chunk-writer.js';

/** Answers as chat completions. */
export const CHAT_ANSWER: AnswerFormat<ChatAnswer, ChatChunk> = {
  whole: ({ id, created, attempt }, { members, choices, systemFingerprint }, usage) => {
    const own: ChatAnswer = {
      id,
      object: 'chat.completion',
      created,
      model: attempt.endpoint.modelId,
      provider: attempt.provider.slug,
      choices,
      usage,
      system_fingerprint: systemFingerprint,
    };
    // Adding members to a copy of the provider's would take longer than the rest of the answer.
    return members === undefined ? own : { ...own, ...members, ...own };
  },
  writer: ({ id, created, attempt: { endpoint, provider } }, streamUsage) =>
    new ChunkWriter({ id, created, model: endpoint.modelId, provider: provider.slug }, streamUsage),
};
