import { reportAdapted } from '../../../common/adapted.js';
import { AnswerCallIds } from '../../../common/answer-call-ids.js';
import { pathSegment } from '../../host/publisher.js';
import type { PublisherFormat } from '../../host/publisher-format.js';
import { readGeminiAnswer } from './answer.js';
import { geminiContract } from './contract.js';
import { GeminiReader } from './events.js';
import { GEMINI_MAPPING } from './member-mapping.js';
import { readArgumentsAndResults } from './nested.js';
import { geminiRequest } from './request.js';

/** https://docs.cloud.google.com/vertex-ai/generative-ai/docs/priority-paygo, .../flex-paygo */
const TIER_HEADER = 'x-vertex-ai-llm-shared-request-type';
const TIERS: ReadonlySet<string> = new Set(['flex', 'priority']);

/** Google's own models; streams end with their body. */
export const gemini: PublisherFormat = {
  takesUrls: true,
  contract: (_, model) => geminiContract(model),
  resource(model, isStreamed) {
    const path = `publishers/google/models/${pathSegment(model)}`;
    if (!isStreamed) return { path: `${path}:generateContent` };
    return { path: `${path}:streamGenerateContent`, query: { alt: 'sse' } };
  },
  readNested: readArgumentsAndResults,
  body(call, model) {
    const sent = geminiRequest(call.body, call.reasoning, model, call.nested);
    reportAdapted(call, GEMINI_MAPPING, sent);
    return sent;
  },
  headers: ({ body: { service_tier } }) =>
    typeof service_tier === 'string' && TIERS.has(service_tier) ? { [TIER_HEADER]: service_tier } : {},
  readAnswer: (answer, call) => readGeminiAnswer(answer, new AnswerCallIds(call?.body.messages)),
  createReader: ({ body }) => new GeminiReader(new AnswerCallIds(body.messages)),
};
