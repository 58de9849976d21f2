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
  body: ({ body, reasoning, nested }, model) => geminiRequest(body, reasoning, model, nested),
  readAnswer: readGeminiAnswer,
  createReader: () => new GeminiReader(),
};
