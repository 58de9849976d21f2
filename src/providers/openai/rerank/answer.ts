/** Answers in Cohere's form, in Voyage's, or in SGLang's, which are the list of results. */
import { isObject, type JsonObject, members } from '../../../formats/json.js';
import type { UpstreamAnswer, UpstreamUsage } from '../../../inference/ports/adapter.js';
import { countOf } from '../../common/counts.js';
import { rankingIn, rerankedAnswer } from '../../ranking/ranking.js';
import { throwReported } from '../chat/reported.js';

/** Throws `UpstreamFailure` as `rankingIn` does, or one that the answer reports. */
export function readRerankAnswer(json: unknown, request: JsonObject): UpstreamAnswer<'rerank'> {
  if (isObject(json)) throwReported(json);
  const answer = members(json);
  const results = Array.isArray(json) ? json : (answer.results ?? answer.data);
  return rerankedAnswer(rankingIn(results, request), usageIn(answer));
}

/**
 * Tokens as most hosts count them, search units as Cohere does, or OpenRouter. The total of tokens counts: nothing is written, and some hosts
 * leave the others at 0.
 */
function usageIn({ usage, meta }: JsonObject): UpstreamUsage {
  const { billed_units, tokens } = members(meta);
  const { total_tokens, prompt_tokens, ...counted } = members(usage);
  const { search_units, ...billed } = members(billed_units);
  const told = [
    total_tokens,
    prompt_tokens,
    billed.total_tokens,
    billed.input_tokens,
    members(tokens).input_tokens,
  ];
  const promptTokens = told.map(countOf).find(Boolean);
  const searchUnits = [search_units, counted.search_units].map(countOf).find(Boolean);
  return { ...(promptTokens && { promptTokens }), ...(searchUnits && { searchUnits }) };
}
