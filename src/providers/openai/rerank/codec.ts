/** Reranking at hosts that are called as OpenAI is. */
import type { Codec } from '../../http/codec.js';
import { RERANK_COMMONS } from '../../ranking/ranking.js';
import { responseFailure } from '../host/error-response.js';
import { readRerankAnswer } from './answer.js';
import { rerankRequest } from './request.js';

export function rerankCodec<Credential>(): Codec<Credential, 'rerank'> {
  return {
    ...RERANK_COMMONS,
    request: rerankRequest,
    answer: (json, { body }) => readRerankAnswer(json, body),
    failure: (response, { now }) => responseFailure(response, now),
  };
}
