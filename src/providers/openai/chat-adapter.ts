/** Chats in OpenAI's format: what the adapters of OpenAI-compatible providers and of Azure share. */
import type { Clock } from '../../base/clock.js';
import { jsonBody } from '../../base/json/json-body.js';
import type { CredentialOrEntry } from '../../byok/redaction/secrets.js';
import type { JsonObject } from '../../formats/chat/types.js';
import { isObject } from '../../formats/json.js';
import type {
  UpstreamAdapter,
  UpstreamAnswer,
  UpstreamCall,
  UpstreamEvent,
} from '../../inference/ports/adapter.js';
import { type FindTarget, messagesAdapter } from '../anthropic/messages-adapter.js';
import { malformed } from '../http/failures.js';
import type { Http, HttpResponse } from '../http/http.js';
import { ProviderStream } from '../http/provider-stream.js';
import { readJsonBody, readText } from '../http/read-body.js';
import { type DataReader, SseDecoder } from '../http/sse.js';
import { redacting } from '../redaction/redaction.js';
import { eventsOf } from '../whole-answer.js';
import { readAnswer } from './answer.js';
import { ChunkReader } from './chunks.js';
import { reportedFailure, responseFailure } from './error-response.js';

/** Limit of an answer in one piece: some hold images or audio in base64. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** How much of an error's body is read; real ones are far shorter. */
const MAX_ERROR_BYTES = 8 * 1024;

export interface ChatRequest {
  readonly http: Http;
  readonly url: URL;
  /** Authentication. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/** Makes the request of a call; an error fails the call. */
export type DescribeRequest<Credential> = (
  call: UpstreamCall<Credential, 'chat'>,
  isStreamed: boolean,
) => ChatRequest;

/**
 * An adapter that sends the requests that `describe` makes of its calls, and to endpoints that speak Messages instead,
 * those that `targetOf` makes.
 */
export function chatAdapter<Credential extends CredentialOrEntry>(
  clock: Clock,
  describe: DescribeRequest<Credential>,
  targetOf: FindTarget<Credential>,
): UpstreamAdapter<Credential> {
  const send: Send<Credential> = (call, isStreamed) => {
    if (call.format !== 'chat') throw new Error('the call is no chat');
    return sendRequest(describe(call, isStreamed), call, isStreamed, clock);
  };
  const messages = messagesAdapter(clock, targetOf);
  const chats = redacting<Credential>({
    complete: (call) => complete(send, call),
    stream: (call) =>
      new ProviderStream({
        open: () => send(call, true),
        decoder: new SseDecoder(new ChatDataReader(call)),
        readWhole: async (response) => eventsOf(await readWhole(response, call)),
        onBytes: call.onBytes,
      }),
  });
  const adapterOf = (call: UpstreamCall) => (isMessages(call) ? messages : chats);
  return {
    ...messages,
    complete: (call) => adapterOf(call).complete(call),
    stream: (call) => adapterOf(call).stream(call),
  };
}

/** Whether the call is made in the Messages format: a request of that format, or a chat that there is no other way for. */
function isMessages({ format, endpoint: { formats } }: UpstreamCall): boolean {
  return format !== 'chat' || (formats.includes('messages') && !formats.includes('chat'));
}

/** What reading an answer depends on. */
type Reading = Pick<UpstreamCall, 'endpoint'>;

/** Returns a successful response, its body not yet read. */
type Send<Credential> = (call: UpstreamCall<Credential>, isStreamed: boolean) => Promise<HttpResponse>;

async function complete<Credential>(
  send: Send<Credential>,
  call: UpstreamCall<Credential>,
): Promise<UpstreamAnswer> {
  return readWhole(await send(call, false), call);
}

async function readWhole({ body }: HttpResponse, { endpoint }: Reading): Promise<UpstreamAnswer> {
  const whole = await readJsonBody(body, MAX_ANSWER_BYTES);
  if (isObject(whole)) throwReported(whole);
  return { format: 'chat', ...readAnswer(whole, endpoint.quirks.usage) };
}

/** Reads chunks. Without finish events the answer was truncated. */
class ChatDataReader implements DataReader {
  readonly #chunks: ChunkReader;
  readonly isDone = false;

  constructor({ endpoint }: Reading) {
    this.#chunks = new ChunkReader(endpoint.quirks.usage);
  }

  read(chunk: unknown, data: string, isWhole: boolean, events: UpstreamEvent[]): void {
    if (isObject(chunk)) {
      throwReported(chunk);
      for (const event of this.#chunks.read(chunk)) events.push(event);
    } else if (isWhole && data !== '') throw malformed();
  }
}

async function sendRequest(
  { http, url, headers, body }: ChatRequest,
  call: UpstreamCall,
  isStreamed: boolean,
  clock: Clock,
): Promise<HttpResponse> {
  const accept = isStreamed ? 'text/event-stream' : 'application/json';
  const answer = await http.post({
    url,
    headers: { accept, ...headers },
    body: await jsonBody(body),
    signal: call.signal,
    tenancy: call.tenancy,
    hostHeaders: call.hostHeaders,
  });
  if (answer.status < 200 || answer.status > 299) {
    const { text } = await readText(answer.body, MAX_ERROR_BYTES);
    throw responseFailure({ ...answer, text }, clock.now());
  }
  call.onFirstByte();
  return answer;
}

/** Some providers send the error instead of the chunk, rather than in a member of it. */
function throwReported(answer: JsonObject): void {
  const error = answer.object === 'error' ? answer : answer.error;
  if (error) throw reportedFailure(error);
}
