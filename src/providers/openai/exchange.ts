/** One chat over OpenAI's protocol, wherever it is served: what the adapters that speak it have in common. */
import type { Clock } from '../../base/clock.js';
import { jsonBody } from '../../base/json-body.js';
import type { SecretHolder } from '../../byok/redaction/secrets.js';
import type { JsonObject } from '../../formats/chat/types.js';
import type {
  UpstreamAdapter,
  UpstreamAnswer,
  UpstreamCall,
  UpstreamEvent,
} from '../../inference/attempts/adapter.js';
import { discard, readChunks, readText } from '../http/body.js';
import { malformed } from '../http/failures.js';
import type { Http, HttpAnswer } from '../http/http.js';
import { isObject, parseJson } from '../http/json.js';
import { readEvents } from '../http/sse.js';
import { redacting } from '../redaction/redaction.js';
import { readAnswer } from './answer.js';
import { ChunkReader } from './chunks.js';
import { refused, reported } from './refusal.js';

/** Longest answer in one piece: some hold images or audio as base64 text. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** As much of an error as is read; real ones are far shorter. */
const MAX_ERROR_BYTES = 8 * 1024;

/** What ends a stream. */
const DONE = '[DONE]';

/** Where a call goes and what is sent there. */
export interface ChatRequest {
  readonly http: Http;
  readonly url: URL;
  /** What names the caller to the provider. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/** The request of a call; what it throws fails the call. */
export type DescribeRequest<Credential> = (
  call: UpstreamCall<Credential>,
  isStreamed: boolean,
) => ChatRequest;

/** An adapter that speaks the protocol with the requests that `describe` makes of its calls. */
export function chatAdapter<Credential extends SecretHolder>(
  clock: Clock,
  describe: DescribeRequest<Credential>,
): UpstreamAdapter<Credential> {
  const ask: Ask<Credential> = (call, isStreamed) =>
    send(describe(call, isStreamed), call, isStreamed, clock);
  return redacting({ complete: (call) => complete(ask, call), stream: (call) => stream(ask, call) });
}

/** Makes the request of a call; its answer is a successful one, its body not yet read. */
type Ask<Credential> = (call: UpstreamCall<Credential>, isStreamed: boolean) => Promise<HttpAnswer>;

async function complete<Credential>(
  ask: Ask<Credential>,
  call: UpstreamCall<Credential>,
): Promise<UpstreamAnswer> {
  const { body } = await ask(call, false);
  const { text, isCut } = await readText(body, MAX_ANSWER_BYTES);
  const whole = isCut ? undefined : parseJson(text);
  if (isObject(whole)) throwReported(whole);
  return readAnswer(whole);
}

/** Ends at `[DONE]` or where the body ends; whether that was the end of the answer, its finishes tell. */
async function* stream<Credential>(
  ask: Ask<Credential>,
  call: UpstreamCall<Credential>,
): AsyncGenerator<UpstreamEvent, void, undefined> {
  const { body } = await ask(call, true);
  const reader = new ChunkReader();
  let isDone = false;
  try {
    for await (const { data, isWhole } of readEvents(readChunks(body))) {
      isDone = data.trim() === DONE;
      if (isDone) break;
      const chunk = parseJson(data);
      if (isObject(chunk)) {
        throwReported(chunk);
        for (const event of reader.read(chunk)) yield event;
      } else if (isWhole && data !== '') throw malformed();
    }
  } finally {
    if (isDone) discard(body);
    else body.destroy();
  }
}

async function send(
  { http, url, headers, body }: ChatRequest,
  call: UpstreamCall,
  isStreamed: boolean,
  clock: Clock,
): Promise<HttpAnswer> {
  const accept = isStreamed ? 'text/event-stream' : 'application/json';
  const answer = await http.post({
    url,
    headers: { accept, ...headers },
    body: await jsonBody(body),
    signal: call.signal,
  });
  if (answer.status < 200 || answer.status > 299) {
    const { text } = await readText(answer.body, MAX_ERROR_BYTES);
    throw refused({ ...answer, text }, clock.now());
  }
  call.onFirstByte();
  return answer;
}

/** Some put the error where the chunk would be, instead of into a member of it. */
function throwReported(answer: JsonObject): void {
  const error = answer.object === 'error' ? answer : answer.error;
  if (error) throw reported(error);
}
