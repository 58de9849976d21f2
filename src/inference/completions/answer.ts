import type { JsonText } from '../../base/json/json-text.js';
import type { JsonObject } from '../../formats/chat/types.js';
import { isObject } from '../../formats/json.js';
import type { AnswerFormat } from '../ports/answer-format.js';
import { withCost } from '../ports/usage.js';
import { CompletionWriter } from './completion-writer.js';

/** Answers as text completions: those of the provider, but for id, model and usage. */
export const COMPLETION_ANSWER: AnswerFormat<JsonObject, JsonText> = {
  whole({ id, model }, result, usage) {
    if (result.format === 'chat') throw new Error('a text completion was sent as a chat');
    const { native } = result;
    return { ...native, id, model, usage: isObject(native.usage) ? withCost(native.usage, usage) : usage };
  },
  writer: ({ id, created, model }, streamUsage) => new CompletionWriter({ id, created, model }, streamUsage),
};
