import type { ChatAnswer, ChatChunk } from '../../formats/chat/types.js';
import { normalizedOf } from '../ports/adapter.js';
import type { AnswerFormat } from '../ports/answer-format.js';
import { ChunkWriter } from './chunk-writer.js';

/** Answers in the chat completion format. */
export const CHAT_ANSWER: AnswerFormat<ChatAnswer, ChatChunk> = {
  whole: ({ id, created, attempt }, result, usage) => {
    const { members, choices, systemFingerprint } = normalizedOf(result);
    const answer: ChatAnswer & Record<string, unknown> = {
      id,
      object: 'chat.completion',
      created,
      model: attempt.endpoint.modelId,
      provider: attempt.provider.slug,
      choices,
      usage,
      system_fingerprint: systemFingerprint,
    };
    // Set one by one: spreading makes a new hidden class each time, and takes longer than the rest of the answer.
    for (const name in members) if (!(name in answer)) answer[name] = members[name];
    return answer;
  },
  writer: ({ id, created, attempt: { endpoint, provider } }, streamUsage) =>
    new ChunkWriter({ id, created, model: endpoint.modelId, provider: provider.slug }, streamUsage),
};
