/** Perplexity's, by their names at any provider. */
export const SONAR = /(?:^|[/.:-])sonar/;

/** OpenAI's for chats that search, and OpenRouter's suffix for any model. */
const SEARCHING = /-search-(?:preview|api)|:online$/;

/** OpenAI's for research, which are refused without a search. */
const OPENAI_RESEARCH = /(?:^|\/)o\d(?:-mini)?-deep-research/;

/** Whether it is a model of OpenAI's that can't answer without searching. */
export function researchesAlways(upstreamModelId: string): boolean {
  return OPENAI_RESEARCH.test(upstreamModelId);
}

/** Whether the model searches before every answer, whether a request asks for it or not, by its name at the provider. */
export function searchesAlways(upstreamModelId: string): boolean {
  return SONAR.test(upstreamModelId) || SEARCHING.test(upstreamModelId) || researchesAlways(upstreamModelId);
}
