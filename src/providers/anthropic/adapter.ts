/** Anthropic's Messages API, and providers that copy it: `docs/formats.md#anthropic`. */
import type { Clock } from '../../base/clock.js';
import { jsonBody } from '../../base/json/json-body.js';
import type { AnthropicCredential } from '../../byok/kinds/anthropic.js';
import type { JsonObject } from '../../formats/chat/types.js';
import type {
  UpstreamAdapter,
  UpstreamAnswer,
  UpstreamCall,
  UpstreamEvent,
} from '../../inference/attempts/adapter.js';
import { malformed } from '../http/failures.js';
import type { Http, HttpResponse } from '../http/http.js';
import { isObject, parseJson } from '../http/json.js';
import { ProviderStream } from '../http/provider-stream.js';
import { providerUrl } from '../http/provider-url.js';
import { readText } from '../http/read-body.js';
import { type DataReader, SseDecoder } from '../http/sse.js';
import { redacting } from '../redaction/redaction.js';
import { eventsOf } from '../whole-answer.js';
import { readAnswer } from './answer.js';
import { reportedFailure, responseFailure } from './error-response.js';
import { EventReader } from './events.js';
import { betaHeader } from './native.js';
import { messagesBody } from './request.js';

/** The API root of a provider without a `base_url`. */
const DEFAULT_ROOT = 'https://api.anthropic.com/v1';

/** The latest version that takes temperature, top_p and top_k, which models before Claude 4.7 have. */
const API_VERSION = '2023-06-01';

/** Limit of an answer in one piece; text never comes near it. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** How much of an error's body is read; real ones are far shorter. */
const MAX_ERROR_BYTES = 8 * 1024;

export interface AnthropicDependencies {
  readonly http: Http;
  readonly clock: Clock;
}

type Call = UpstreamCall<AnthropicCredential>;

export function createAnthropicAdapter(
  dependencies: AnthropicDependencies,
): UpstreamAdapter<AnthropicCredential> {
  return redacting({
    complete: (call) => complete(dependencies, call),
    stream: (call) =>
      new ProviderStream({
        open: () => sendRequest(dependencies, call, true),
        decoder: new SseDecoder(new MessagesDataReader()),
        readWhole: async (response) => eventsOf(await readWhole(response)),
        onBytes: call.onBytes,
      }),
  });
}

async function complete(dependencies: AnthropicDependencies, call: Call): Promise<UpstreamAnswer> {
  return readWhole(await sendRequest(dependencies, call, false));
}

async function readWhole({ body }: HttpResponse): Promise<UpstreamAnswer> {
  const { text, isCut } = await readText(body, MAX_ANSWER_BYTES);
  const answer = isCut ? undefined : parseJson(text);
  if (isObject(answer)) throwReported(answer);
  return readAnswer(answer);
}

/** Reads events up to `message_stop`. Without a finish event the answer was truncated. */
class MessagesDataReader implements DataReader {
  readonly #events = new EventReader();

  get isDone(): boolean {
    return this.#events.isDone;
  }

  read(data: string, isWhole: boolean, events: UpstreamEvent[]): void {
    const event = parseJson(data);
    if (isObject(event)) {
      throwReported(event);
      for (const read of this.#events.read(event)) events.push(read);
    } else if (isWhole && data !== '') throw malformed();
  }
}

/** A successful response, its body not yet read. */
async function sendRequest(
  { http, clock }: AnthropicDependencies,
  call: Call,
  isStreamed: boolean,
): Promise<HttpResponse> {
  const { provider, region, credential, body, reasoning, endpoint, signal } = call;
  const answer = await http.post({
    url: providerUrl(provider, DEFAULT_ROOT, region, '/messages'),
    headers: {
      'x-api-key': credential.apiKey,
      'anthropic-version': API_VERSION,
      ...betaHeader(body, call.betas),
      accept: isStreamed ? 'text/event-stream' : 'application/json',
    },
    body: await jsonBody({
      model: body.model,
      ...messagesBody(body, reasoning, endpoint),
      ...(isStreamed && { stream: true }),
    }),
    signal,
  });
  if (answer.status < 200 || answer.status > 299) {
    const { text } = await readText(answer.body, MAX_ERROR_BYTES);
    throw responseFailure({ ...answer, text }, clock.now());
  }
  call.onFirstByte();
  return answer;
}

/** Errors are events of a stream, or come instead of the answer. */
function throwReported(answer: JsonObject): void {
  if (answer.type === 'error' || isObject(answer.error)) throw reportedFailure(answer);
}
