import { readAnswer } from '../openai/answer.js';
import { ChunkReader } from '../openai/chunks.js';
import { VERTEX } from '../openai/quirks.js';
import { requestBody } from '../openai/request.js';
import type { Dialect } from './dialect.js';

/** Models of all other publishers: OpenAI's protocol, the model with its publisher in the body. */
export const openapi: Dialect = {
  resource: () => ({ path: 'endpoints/openapi/chat/completions' }),
  body: (call, model, isStreamed) => ({ ...requestBody(call, VERTEX, isStreamed), model }),
  readAnswer,
  createReader: () => new ChunkReader(),
};
