import type { ChatAnswer, ChatChunk } from '../../formats/chat/types.js';
import type { AnswerFormat } from '../answer-format.js';
import { ChunkWriter } from './chunk-writer.js';

/** Answers as chat completions. */
export const CHAT_ANSWER: AnswerFormat<ChatAnswer, ChatChunk> = {
  whole: ({ id, created, attempt }, result, usage) => ({
    ...result.members,
    id,
    object: 'chat.completion',
    created,
    model: attempt.endpoint.modelId,
    provider: attempt.provider.slug,
    choices: result.choices,
    usage,
    system_fingerprint: result.systemFingerprint,
  }),
  writer: ({ id, created, attempt: { endpoint, provider } }, streamUsage) =>
    new ChunkWriter({ id, created, model: endpoint.modelId, provider: provider.slug }, streamUsage),
};
