import type { JsonObject } from '../../chat/dialect.js';
import type { Reasoning } from '../../chat/reasoning.js';
import { readAnswer } from '../openai/answer.js';
import { ChunkReader } from '../openai/chunks.js';
import { requestBody } from '../openai/request.js';
import type { Dialect } from './dialect.js';

/** Models of all other publishers: OpenAI's protocol, the model with its publisher in the body. */
export const openapi: Dialect = {
  resource: () => ({ path: 'endpoints/openapi/chat/completions' }),
  body({ body, reasoning }, model, isStreamed) {
    const { reasoning: asked, reasoning_effort, include_reasoning, ...rest } = body;
    return { ...requestBody({ ...rest, model }, '', isStreamed), ...effortOf(reasoning) };
  },
  readAnswer,
  createReader: () => new ChunkReader(),
};

function effortOf(reasoning: Reasoning | null): JsonObject {
  if (reasoning === null) return {};
  if (!reasoning.isEnabled) return { reasoning_effort: 'none' };
  return reasoning.effort === null ? {} : { reasoning_effort: reasoning.effort };
}
