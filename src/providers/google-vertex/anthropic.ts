import type { NativeCall, UpstreamCall } from '../../inference/ports/adapter.js';
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
    const { body, reasoning, endpoint, native, betas, nested } = call;
    const stream = isStreamed ? { stream: true } : {};
    if (native !== undefined) {
      return { ...hostedBody(atVertex({ native, betas }).body, ANTHROPIC_VERSION), ...stream };
    }
    const named = { ...endpoint, upstreamModelId: model };
    const { service_tier, ...messages } = messagesBody(body, reasoning, named, nested);
    reportAdapted(call, MESSAGES_PLACES, messages);
    return { ...messages, anthropic_version: ANTHROPIC_VERSION, ...stream };
  },
  headers: ({ body, betas, native }) =>
    native === undefined
      ? betaHeader(body, betas)
      : betaHeader({ messages: [] }, atVertex({ native, betas }).betas),
  readAnswer,
  createReader: ({ native }) => (native === undefined ? new EventReader() : new NativeEvents()),
  // https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/count-tokens
  counter: {
    resource: { path: 'publishers/anthropic/models/count-tokens:rawPredict' },
    body: ({ native, betas }, model) => ({ ...(native && atVertex({ native, betas }).body), model }),
  },
};

function atVertex({ native, betas }: { native: NativeCall; betas: UpstreamCall['betas'] }): HostRequest {
  return requestAtHost('google-vertex', native, betas);
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
