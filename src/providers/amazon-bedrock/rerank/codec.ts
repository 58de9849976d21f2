/** Reranking over InvokeModel. Nothing of an answer says what was used. */
import type { BedrockCredential } from '../../../byok/kinds/amazon-bedrock.js';
import { members } from '../../../formats/json.js';
import type { Codec } from '../../http/codec.js';
import { RERANK_COMMONS, rankingIn, rerankedAnswer } from '../../ranking/ranking.js';
import { refusedFailure } from '../host/refused.js';
import { rerankRequest } from './request.js';

export function rerankCodec(): Codec<BedrockCredential, 'rerank'> {
  return {
    ...RERANK_COMMONS,
    request: rerankRequest,
    answer: (json, { body }) => rerankedAnswer(rankingIn(members(json).results, body), {}),
    failure: refusedFailure,
  };
}
