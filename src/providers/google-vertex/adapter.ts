/** Google Vertex AI with service accounts: Google's own models, Anthropic's and others': `docs/formats.md#google-vertex`. */
import type { Clock } from '../../base/clock.js';
import { jsonBody } from '../../base/json/json-body.js';
import type { PushStream } from '../../base/push-stream.js';
import { runInSlices } from '../../base/time-slices.js';
import type { VertexCredential } from '../../byok/kinds/google-vertex.js';
import type { Redactor } from '../../byok/redaction/redactor.js';
import type { JsonObject } from '../../formats/chat/types.js';
import { isObject, members } from '../../formats/json.js';
import type {
  ToldAnswer,
  UpstreamAdapter,
  UpstreamAnswer,
  UpstreamCall,
  UpstreamEvent,
} from '../../inference/ports/adapter.js';
import { readCount } from '../anthropic/messages-adapter.js';
import { malformed } from '../http/failures.js';
import type { Http, HttpResponse } from '../http/http.js';
import { ProviderStream } from '../http/provider-stream.js';
import { discard, readJsonBody, readText } from '../http/read-body.js';
import { type DataReader, SseDecoder } from '../http/sse.js';
import type { InlineMedia } from '../inline-media.js';
import { redacting } from '../redaction/redaction.js';
import { eventsOf } from '../whole-answer.js';
import { reportedFailure, responseFailure } from './error-response.js';
import { type PublishedModel, publishedModel } from './publisher.js';
import type { EventReader } from './publisher-format.js';
import { type Redact, redactWith } from './secrets.js';
import type { AccessToken, AccessTokens } from './token.js';
import { resourceUrl } from './url.js';

/** Limit of an answer in one piece: some hold images or audio in base64. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** How much of an error's body is read; real ones are far shorter. */
const MAX_ERROR_BYTES = 8 * 1024;

export interface VertexDependencies {
  /** For Google's hosts and those that the operator names. */
  readonly http: Http;
  /** Shared with batches. */
  readonly tokens: AccessTokens;
  /** For media that a request names by URL, where the publisher's models take none. */
  readonly inlineMedia: InlineMedia;
  readonly clock: Clock;
}

type Call = UpstreamCall<VertexCredential>;

export function createVertexAdapter(dependencies: VertexDependencies): UpstreamAdapter<VertexCredential> {
  return redacting({
    complete: (call, redactor) => complete(dependencies, call, redactor),
    stream: (call, redactor) => stream(dependencies, call, redactor),
    countTokens: (call, redactor) => countTokens(dependencies, call, redactor),
  });
}

async function complete(
  dependencies: VertexDependencies,
  call: Call,
  redactor: Redactor,
): Promise<UpstreamAnswer> {
  const published = publishedModel(call.endpoint.upstreamModelId);
  const sent = await sendRequest(dependencies, call, published, false, redactor);
  const whole = unwrapped(await readJsonBody(sent.answer.body, MAX_ANSWER_BYTES));
  throwReported(whole, sent.redact);
  return answerOf(published.format.readAnswer(whole, call), whole, call);
}

function answerOf(told: ToldAnswer, whole: unknown, { format }: Call): UpstreamAnswer {
  return format === 'chat' ? { format, ...told } : { format, native: members(whole), told };
}

function stream(dependencies: VertexDependencies, call: Call, redactor: Redactor): PushStream<UpstreamEvent> {
  const published = publishedModel(call.endpoint.upstreamModelId);
  const redact = redactWith(call.credential);
  return new ProviderStream({
    open: async () => (await sendRequest(dependencies, call, published, true, redactor)).answer,
    decoder: new SseDecoder(new VertexDataReader(published.format.createReader(call), redact)),
    readWhole: async ({ body }) => {
      const whole = await readJsonBody(body, MAX_ANSWER_BYTES);
      return [...eventsOfWhole(whole, call, published, redact)];
    },
    onBytes: call.onBytes,
  });
}

/** Reads events until the format says that it is the end. Without finish events the answer was truncated. */
class VertexDataReader implements DataReader {
  readonly #events: EventReader;
  readonly #redact: Redact;

  constructor(events: EventReader, redact: Redact) {
    this.#events = events;
    this.#redact = redact;
  }

  get isDone(): boolean {
    return this.#events.isDone === true;
  }

  read(json: unknown, data: string, isWhole: boolean, events: UpstreamEvent[]): void {
    const event = unwrapped(json);
    throwReported(event, this.#redact);
    if (isObject(event)) {
      for (const read of this.#events.read(event, data)) events.push(read);
    } else if (isWhole && data !== '') throw malformed();
  }
}

/** An answer in one piece, or all chunks of a stream in a list. */
function* eventsOfWhole(
  whole: unknown,
  call: Call,
  { format }: PublishedModel,
  redact: Redact,
): Generator<UpstreamEvent, void, undefined> {
  const chunks = Array.isArray(whole) ? whole : [whole];
  for (const chunk of chunks) throwReported(chunk, redact);
  if (chunks.length === 1)
    return yield* eventsOf(answerOf(format.readAnswer(chunks[0], call), chunks[0], call));
  const reader = format.createReader(call);
  for (const chunk of chunks) yield* reader.read(members(chunk), JSON.stringify(chunk));
}

/** A successful response, its body not yet read, with the redaction for an error in it. */
interface SuccessfulResponse {
  readonly answer: HttpResponse;
  readonly redact: Redact;
}

async function sendRequest(
  dependencies: VertexDependencies,
  call: Call,
  { model, format }: PublishedModel,
  isStreamed: boolean,
  redactor: Redactor,
): Promise<SuccessfulResponse> {
  const { provider, region, credential } = call;
  const sent =
    call.format === 'chat'
      ? await chatBody(dependencies, call, { model, format }, isStreamed)
      : (format.nativeBody?.(call, isStreamed) ?? {});
  const request: Request = {
    url: resourceUrl(provider, credential.projectId, region, format.resource(model, isStreamed)),
    headers: {
      accept: isStreamed ? 'text/event-stream' : 'application/json',
      ...format.headers?.(call),
    },
    body: await jsonBody(sent),
  };
  const answer = await send(dependencies, call, request, redactor);
  const redact = redactWith(credential);
  if (answer.status < 200 || answer.status > 299) {
    const { text, isCut } = await readText(answer.body, MAX_ERROR_BYTES);
    const keepsBody = call.format !== 'chat' && !isCut;
    throw responseFailure({ ...answer, text }, redact, dependencies.clock.now(), keepsBody);
  }
  call.onFirstByte();
  return { answer, redact };
}

async function chatBody(
  { inlineMedia }: VertexDependencies,
  call: UpstreamCall<VertexCredential, 'chat'>,
  { model, format }: PublishedModel,
  isStreamed: boolean,
): Promise<JsonObject> {
  const body = format.takesUrls ? call.body : await inlineMedia(call.body, call);
  const nested = await runInSlices(format.readNested(body));
  return format.body({ ...call, body, nested }, model, isStreamed);
}

async function countTokens(
  dependencies: VertexDependencies,
  call: Call,
  redactor: Redactor,
): Promise<number> {
  const { provider, credential, region } = call;
  const { model, format } = publishedModel(call.endpoint.upstreamModelId);
  const { counter } = format;
  if (counter === undefined) throw malformed();
  const request: Request = {
    url: resourceUrl(provider, credential.projectId, region, counter.resource),
    headers: { accept: 'application/json', ...format.headers?.(call) },
    body: await jsonBody(counter.body(call, model)),
  };
  return readCount(await send(dependencies, call, request, redactor), dependencies.clock);
}

/** A request without its token. */
interface Request {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** Sends the request, and once more with a new token where a cached one is refused: it may have been revoked. */
async function send(
  dependencies: VertexDependencies,
  call: Call,
  request: Request,
  redactor: Redactor,
): Promise<HttpResponse> {
  const { provider, credential } = call;
  const { token, wasCached } = await dependencies.tokens.grant(credential, provider, call);
  redactor.addToken(token);
  const answer = await post(dependencies, call, request, token);
  if (answer.status !== 401) return answer;
  dependencies.tokens.forget(credential, provider, token);
  if (!wasCached) return answer;
  discard(answer.body);
  const { token: another } = await dependencies.tokens.grant(credential, provider, call);
  redactor.addToken(another);
  return post(dependencies, call, request, another);
}

function post(
  { http }: VertexDependencies,
  { signal, tenancy, hostHeaders }: Call,
  request: Request,
  token: AccessToken,
): Promise<HttpResponse> {
  const { url, body } = request;
  const headers = { authorization: `Bearer ${token.text}`, ...request.headers };
  return http.post({ url, headers, body, signal, tenancy, hostHeaders });
}

/** Google wraps some errors in an array of one. */
function unwrapped(answer: unknown): unknown {
  return Array.isArray(answer) ? answer[0] : answer;
}

function throwReported(answer: unknown, redact: Redact): void {
  const { type, error } = members(answer);
  if (type === 'error' || error) throw reportedFailure(members(answer), redact);
}
