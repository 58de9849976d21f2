/** OpenAI's chat completions, as OpenAI and the many that copy it speak them (interface section 7, adapter `openai`). */
import type { Clock } from '../base/clock.js';
import type { OpenAiCredential } from '../byok/openai.js';
import type { UpstreamAdapter, UpstreamAnswer, UpstreamCall, UpstreamEvent } from '../chat/adapter.js';
import type { JsonObject } from '../chat/dialect.js';
import { discard, readChunks, readText } from './body.js';
import { malformed } from './failures.js';
import type { Http, HttpAnswer } from './http.js';
import { isObject, parseJson } from './json.js';
import { readAnswer } from './openai/answer.js';
import { ChunkReader } from './openai/chunks.js';
import { refused, reported } from './openai/refusal.js';
import { chatUrl, requestBody } from './openai/request.js';
import { readEvents } from './sse.js';

/** Longest answer in one piece: some hold images or audio as base64 text. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** As much of an error as is read; real ones are far shorter. */
const MAX_ERROR_BYTES = 8 * 1024;

/** What ends a stream. */
const DONE = '[DONE]';

/** What the adapter speaks through. */
export interface OpenAiParts {
  readonly http: Http;
  readonly clock: Clock;
}

type Call = UpstreamCall<OpenAiCredential>;

/** The adapter. */
export function createOpenAiAdapter(parts: OpenAiParts): UpstreamAdapter<OpenAiCredential> {
  return { complete: (call) => complete(parts, call), stream: (call) => stream(parts, call) };
}

async function complete(parts: OpenAiParts, call: Call): Promise<UpstreamAnswer> {
  const { body } = await ask(parts, call, false);
  const { text, isCut } = await readText(body, MAX_ANSWER_BYTES);
  const answer = isCut ? undefined : parseJson(text);
  if (isObject(answer)) throwReported(answer, call);
  return readAnswer(answer);
}

/** Ends at `[DONE]` or where the body ends; whether that was the end of the answer, its finishes tell. */
async function* stream(parts: OpenAiParts, call: Call): AsyncGenerator<UpstreamEvent, void, undefined> {
  const { body } = await ask(parts, call, true);
  const reader = new ChunkReader();
  let isDone = false;
  try {
    for await (const { data, isWhole } of readEvents(readChunks(body))) {
      isDone = data.trim() === DONE;
      if (isDone) break;
      const chunk = parseJson(data);
      if (isObject(chunk)) {
        throwReported(chunk, call);
        for (const event of reader.read(chunk)) yield event;
      } else if (isWhole && data !== '') throw malformed();
    }
  } finally {
    if (isDone) discard(body);
    else body.destroy();
  }
}

/** A successful answer, its body not yet read. */
async function ask({ http, clock }: OpenAiParts, call: Call, isStreamed: boolean): Promise<HttpAnswer> {
  const { provider, region, credential, signal } = call;
  const url = chatUrl(provider, region);
  const answer = await http.post({
    url,
    headers: {
      authorization: `Bearer ${credential.apiKey}`,
      accept: isStreamed ? 'text/event-stream' : 'application/json',
    },
    body: JSON.stringify(requestBody(call, url.host, isStreamed)),
    signal,
  });
  if (answer.status < 200 || answer.status > 299) {
    const { text } = await readText(answer.body, MAX_ERROR_BYTES);
    throw refused({ ...answer, text }, credential.apiKey, clock.now());
  }
  call.onFirstByte();
  return answer;
}

/** Some put the error where the chunk would be, instead of into a member of it. */
function throwReported(answer: JsonObject, { credential }: Call): void {
  const error = answer.object === 'error' ? answer : answer.error;
  if (error) throw reported(error, credential.apiKey);
}
