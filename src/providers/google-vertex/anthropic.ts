import type { JsonObject } from '../../formats/chat/types.js';
import { betasIn } from '../../formats/messages/headers.js';
import type { UpstreamCall } from '../../inference/ports/adapter.js';
import { MESSAGES_PLACES } from '../adapted/messages.js';
import { reportAdapted } from '../adapted/report.js';
import { readAnswer } from '../anthropic/answer.js';
import { EventReader } from '../anthropic/events.js';
import { type HostRequest, requestAtHost } from '../anthropic/host-betas.js';
import { betaHeader } from '../anthropic/native.js';
import { hostedBody, NativeReader } from '../anthropic/native-lane.js';
import { messagesBody } from '../anthropic/request.js';
import { readArguments } from '../nested-json.js';
import type * as publisher from './publisher-format.js';
import { pathSegment } from './publisher-format.js';

/** Sent in the body instead of the header `anthropic-version`. */
const ANTHROPIC_VERSION = 'vertex-2023-10-16';

/** Anthropic's models: the Messages API with Vertex AI's envelope. */
export const anthropic: publisher.PublisherFormat = {
  takesUrls: false,
  resource(model, isStreamed) {
    const method = isStreamed ? 'streamRawPredict' : 'rawPredict';
    return { path: `publishers/anthropic/models/${pathSegment(model)}:${method}` };
  },
  readNested: readArguments,
  body(call, model, isStreamed) {
    const { body, reasoning, endpoint, nested } = call;
    const stream = isStreamed ? { stream: true } : {};
    const named = { ...endpoint, upstreamModelId: model };
    const { service_tier, ...messages } = messagesBody(body, reasoning, named, nested);
    reportAdapted(call, MESSAGES_PLACES, messages);
    return { ...messages, anthropic_version: ANTHROPIC_VERSION, ...stream };
  },
  nativeBody: (call, isStreamed) => ({
    ...hostedBody(atVertex(call).body, ANTHROPIC_VERSION),
    ...(isStreamed && { stream: true }),
  }),
  headers: (call) =>
    call.format === 'chat'
      ? betaHeader(call.body, betasIn(call.apiHeaders))
      : betaHeader({ messages: [] }, atVertex(call).betas),
  readAnswer,
  createReader: ({ format }) => (format === 'chat' ? new EventReader() : new NativeEvents()),
  // https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/count-tokens
  counter: {
    resource: { path: 'publishers/anthropic/models/count-tokens:rawPredict' },
    body: (call, model) => ({ ...atVertex(call).body, model }),
  },
};

function atVertex({ body, apiHeaders }: UpstreamCall): HostRequest {
  return requestAtHost('google-vertex', { body: body as JsonObject }, betasIn(apiHeaders));
}

class NativeEvents implements publisher.EventReader {
  readonly #events = new NativeReader();

  get isDone(): boolean {
    return this.#events.isDone;
  }

  read(...event: Parameters<NativeReader['read']>) {
    return [this.#events.read(...event)];
  }
}
