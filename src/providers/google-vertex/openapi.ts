import { readAnswer } from '../openai/answer.js';
import { ChunkReader } from '../openai/chunks.js';
import { VERTEX } from '../openai/quirks.js';
import { requestBody } from '../openai/request.js';
import type { PublisherFormat } from './publisher-format.js';

/** Models of all other publishers: OpenAI's format, with `publisher/model` in the body. */
export const openapi: PublisherFormat = {
  takesUrls: true,
  resource: () => ({ path: 'endpoints/openapi/chat/completions' }),
  body: (call, model, isStreamed) => ({ ...requestBody(call, VERTEX, isStreamed), model }),
  readAnswer,
  createReader: () => new ChunkReader(),
};
