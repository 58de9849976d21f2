import { readAnswer } from '../anthropic/answer.js';
import { EventReader } from '../anthropic/events.js';
import { betaHeader } from '../anthropic/native.js';
import { messagesBody } from '../anthropic/request.js';
import { type PublisherFormat, pathSegment } from './publisher-format.js';

/** Sent in the body instead of the header `anthropic-version`. */
const ANTHROPIC_VERSION = 'vertex-2023-10-16';

/** Anthropic's models: the Messages API with Vertex AI's envelope. */
export const anthropic: PublisherFormat = {
  takesUrls: false,
  resource(model, isStreamed) {
    const method = isStreamed ? 'streamRawPredict' : 'rawPredict';
    return { path: `publishers/anthropic/models/${pathSegment(model)}:${method}` };
  },
  body({ body, reasoning, endpoint }, model, isStreamed) {
    const { service_tier, ...messages } = messagesBody(body, reasoning, {
      ...endpoint,
      upstreamModelId: model,
    });
    return { ...messages, anthropic_version: ANTHROPIC_VERSION, ...(isStreamed && { stream: true }) };
  },
  headers: ({ body, betas }) => betaHeader(body, betas),
  readAnswer,
  createReader: () => new EventReader(),
};
