/** The Messages API at any host that speaks it over HTTP as Anthropic does: requests of that format, and chats. */
import type { Clock } from '../../base/clock.js';
import { jsonBody } from '../../base/json/json-body.js';
import { runInSlices } from '../../base/time-slices.js';
import type { CredentialOrEntry } from '../../byok/redaction/secrets.js';
import type { JsonObject } from '../../formats/chat/types.js';
import { isObject, members } from '../../formats/json.js';
import { betasIn, versionIn } from '../../formats/messages/headers.js';
import type {
  UpstreamAdapter,
  UpstreamAnswer,
  UpstreamCall,
  UpstreamEvent,
} from '../../inference/ports/adapter.js';
import { MESSAGES_PLACES } from '../adapted/messages.js';
import { reportAdapted } from '../adapted/report.js';
import { shortAnswerJson } from '../http/answer-json.js';
import { malformed } from '../http/failures.js';
import type { Http, HttpResponse } from '../http/http.js';
import { ProviderStream } from '../http/provider-stream.js';
import { readJsonBody, readText } from '../http/read-body.js';
import { type DataReader, SseDecoder } from '../http/sse.js';
import { readArguments } from '../nested-json.js';
import { redacting } from '../redaction/redaction.js';
import { eventsOf } from '../whole-answer.js';
import { readAnswer } from './answer.js';
import { reportedFailure, responseFailure } from './error-response.js';
import { EventReader } from './events.js';
import { betaHeader } from './native.js';
import { NativeReader, nativeBody } from './native-lane.js';
import { messagesBody } from './request.js';

/** The latest version that takes temperature, top_p and top_k, which models before Claude 4.7 have. */
const API_VERSION = '2023-06-01';

/** Limit of an answer in one piece; text never comes near it. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** How much of an error's body is read; real ones are far shorter. */
const MAX_ERROR_BYTES = 8 * 1024;

/** Where messages are sent to. */
export interface MessagesTarget {
  readonly http: Http;
  /** Of `messages`; that of `count_tokens` is below it. */
  readonly url: URL;
  /** Authentication. */
  readonly headers: Readonly<Record<string, string>>;
  /** The model's name in the body. */
  readonly model: string;
}

export type FindTarget<Credential> = (call: UpstreamCall<Credential>) => MessagesTarget;

export function messagesAdapter<Credential extends CredentialOrEntry>(
  clock: Clock,
  targetOf: FindTarget<Credential>,
): UpstreamAdapter<Credential> {
  const send = (call: UpstreamCall<Credential>, isStreamed: boolean) =>
    sendRequest(targetOf(call), call, isStreamed, clock);
  return redacting({
    complete: async (call) => readWhole(await send(call, false), call),
    stream: (call) =>
      new ProviderStream({
        open: () => send(call, true),
        decoder: new SseDecoder(call.format === 'chat' ? new MessagesDataReader() : new NativeDataReader()),
        readWhole: async (response) => eventsOf(await readWhole(response, call)),
        onBytes: call.onBytes,
      }),
    countTokens: (call) => countTokens(targetOf(call), call, clock),
  });
}

async function readWhole({ body }: HttpResponse, { format }: UpstreamCall): Promise<UpstreamAnswer> {
  const message = await readJsonBody(body, MAX_ANSWER_BYTES);
  if (!isObject(message)) throw malformed();
  throwReported(message);
  const told = readAnswer(message);
  return format === 'chat' ? { format, ...told } : { format, native: message, told };
}

/** Reads events up to `message_stop`. Without a finish event the answer was truncated. */
class MessagesDataReader implements DataReader {
  readonly #events = new EventReader();

  get isDone(): boolean {
    return this.#events.isDone;
  }

  read(json: unknown, data: string, isWhole: boolean, events: UpstreamEvent[]): void {
    const event = eventIn(json, data, isWhole);
    if (event !== undefined) for (const read of this.#events.read(event)) events.push(read);
  }
}

/** As `MessagesDataReader`, for requests that are native. */
class NativeDataReader implements DataReader {
  readonly #events = new NativeReader();

  get isDone(): boolean {
    return this.#events.isDone;
  }

  read(json: unknown, data: string, isWhole: boolean, events: UpstreamEvent[]): void {
    const event = eventIn(json, data, isWhole);
    if (event !== undefined) events.push(this.#events.read(event, data));
  }
}

function eventIn(json: unknown, data: string, isWhole: boolean): JsonObject | undefined {
  if (isObject(json)) {
    throwReported(json);
    return json;
  }
  if (isWhole && data !== '') throw malformed();
  return undefined;
}

/** A successful response, its body not yet read. */
async function sendRequest(
  { http, url, headers, model }: MessagesTarget,
  call: UpstreamCall,
  isStreamed: boolean,
  clock: Clock,
): Promise<HttpResponse> {
  const { format, body, apiHeaders } = call;
  const answer = await http.post({
    url,
    headers: {
      accept: isStreamed ? 'text/event-stream' : 'application/json',
      'anthropic-version': (format === 'chat' ? undefined : versionIn(apiHeaders)) ?? API_VERSION,
      ...betaHeader(format === 'chat' ? body : NO_BODY, betasIn(apiHeaders)),
      ...headers,
    },
    body: await jsonBody(
      call.format === 'chat'
        ? await translated(call, model, isStreamed)
        : nativeBody(call.body, model, isStreamed),
    ),
    signal: call.signal,
    tenancy: call.tenancy,
    hostHeaders: call.hostHeaders,
  });
  if (answer.status < 200 || answer.status > 299) {
    const { text, isCut } = await readText(answer.body, MAX_ERROR_BYTES);
    throw responseFailure({ ...answer, text }, clock.now(), format !== 'chat' && !isCut);
  }
  call.onFirstByte();
  return answer;
}

async function translated(
  call: UpstreamCall<unknown, 'chat'>,
  model: string,
  isStreamed: boolean,
): Promise<JsonObject> {
  const { body, reasoning, endpoint } = call;
  const sent = messagesBody(body, reasoning, endpoint, await runInSlices(readArguments(body)));
  reportAdapted(call, MESSAGES_PLACES, sent);
  return { model, ...sent, ...(isStreamed && { stream: true }) };
}

/** Counts for nothing: https://platform.claude.com/docs/en/build-with-claude/token-counting */
async function countTokens(
  { http, url, headers, model }: MessagesTarget,
  { body, apiHeaders, signal, tenancy, hostHeaders }: UpstreamCall,
  clock: Clock,
): Promise<number> {
  const answer = await http.post({
    url: new URL(`${url.origin}${url.pathname}/count_tokens${url.search}`),
    headers: {
      ...headers,
      'anthropic-version': versionIn(apiHeaders) ?? API_VERSION,
      ...betaHeader(NO_BODY, betasIn(apiHeaders)),
      accept: 'application/json',
    },
    body: await jsonBody({ ...body, model }),
    signal,
    tenancy,
    hostHeaders,
  });
  return readCount(answer, clock);
}

/** The count in an answer. Throws `UpstreamFailure` where there is none. */
export async function readCount(answer: HttpResponse, clock: Clock): Promise<number> {
  const { text } = await readText(answer.body, MAX_ERROR_BYTES);
  if (answer.status < 200 || answer.status > 299) throw responseFailure({ ...answer, text }, clock.now());
  const { input_tokens } = members(shortAnswerJson(text));
  if (typeof input_tokens !== 'number') throw malformed();
  return input_tokens;
}

/** A native request names its beta features in the header alone. */
const NO_BODY = { messages: [] };

/** Errors are events of a stream, or come instead of the answer. */
export function throwReported(answer: JsonObject): void {
  if (answer.type === 'error' || isObject(answer.error)) throw reportedFailure(answer);
}
