import { readAnswer } from '../anthropic/answer.js';
import { EventReader } from '../anthropic/events.js';
import { messagesBody } from '../anthropic/request.js';
import { type Dialect, pathSegment } from './dialect.js';

/** What takes the place of the version's header, and of the model in the body. */
const ANTHROPIC_VERSION = 'vertex-2023-10-16';

/** Anthropic's models: the Messages API in another envelope. */
export const anthropic: Dialect = {
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
  readAnswer,
  createReader: () => new EventReader(),
};
