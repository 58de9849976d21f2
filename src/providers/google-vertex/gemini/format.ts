import { GEMINI_PLACES } from '../../adapted/gemini.js';
import { reportAdapted } from '../../adapted/report.js';
import { type PublisherFormat, pathSegment } from '../publisher-format.js';
import { readGeminiAnswer } from './answer.js';
import { GeminiReader } from './events.js';
import { readArgumentsAndResults } from './nested.js';
import { geminiRequest } from './request.js';

/** Google's own models; streams end with their body. */
export const gemini: PublisherFormat = {
  takesUrls: true,
  resource(model, isStreamed) {
    const path = `publishers/google/models/${pathSegment(model)}`;
    if (!isStreamed) return { path: `${path}:generateContent` };
    return { path: `${path}:streamGenerateContent`, query: { alt: 'sse' } };
  },
  readNested: readArgumentsAndResults,
  body(call, model) {
    const sent = geminiRequest(call.body, call.reasoning, model, call.nested);
    reportAdapted(call, GEMINI_PLACES, sent);
    return sent;
  },
  readAnswer: readGeminiAnswer,
  createReader: () => new GeminiReader(),
};
