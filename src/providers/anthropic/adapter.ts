/** Anthropic's Messages API, and those that copy it (interface section 7, adapter `anthropic`). */
import type { Clock } from '../../base/clock.js';
import { jsonBody } from '../../base/json-body.js';
import type { AnthropicCredential } from '../../byok/kinds/anthropic.js';
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
import { providerUrl } from '../http/provider-url.js';
import { readEvents } from '../http/sse.js';
import { redacting } from '../redaction/redaction.js';
import { readAnswer } from './answer.js';
import { EventReader } from './events.js';
import { refused, reported } from './refusal.js';
import { messagesBody } from './request.js';

/** The API root of a provider whose catalogue entry names none. */
const DEFAULT_ROOT = 'https://api.anthropic.com/v1';

/** The latest version that still takes temperature, top_p and top_k, which models before Claude 4.7 have. */
const API_VERSION = '2023-06-01';

/** Longest answer in one piece: texts, however long, are shorter. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** As much of an error as is read; real ones are far shorter. */
const MAX_ERROR_BYTES = 8 * 1024;

/** What the adapter speaks through. */
export interface AnthropicDependencies {
  readonly http: Http;
  readonly clock: Clock;
}

type Call = UpstreamCall<AnthropicCredential>;

/** The adapter. */
export function createAnthropicAdapter(
  dependencies: AnthropicDependencies,
): UpstreamAdapter<AnthropicCredential> {
  return redacting({
    complete: (call) => complete(dependencies, call),
    stream: (call) => stream(dependencies, call),
  });
}

async function complete(dependencies: AnthropicDependencies, call: Call): Promise<UpstreamAnswer> {
  const { body } = await ask(dependencies, call, false);
  const { text, isCut } = await readText(body, MAX_ANSWER_BYTES);
  const answer = isCut ? undefined : parseJson(text);
  if (isObject(answer)) throwReported(answer);
  return readAnswer(answer);
}

/** Ends at `message_stop` or where the body ends; whether that was the end of the answer, its finish tells. */
async function* stream(
  dependencies: AnthropicDependencies,
  call: Call,
): AsyncGenerator<UpstreamEvent, void, undefined> {
  const { body } = await ask(dependencies, call, true);
  const reader = new EventReader();
  try {
    for await (const { data, isWhole } of readEvents(readChunks(body))) {
      const event = parseJson(data);
      if (isObject(event)) {
        throwReported(event);
        yield* reader.read(event);
      } else if (isWhole && data !== '') throw malformed();
      if (reader.isDone) break;
    }
  } finally {
    if (reader.isDone) discard(body);
    else body.destroy();
  }
}

/** A successful answer, its body not yet read. */
async function ask(
  { http, clock }: AnthropicDependencies,
  call: Call,
  isStreamed: boolean,
): Promise<HttpAnswer> {
  const { provider, region, credential, body, reasoning, endpoint, signal } = call;
  const answer = await http.post({
    url: providerUrl(provider, DEFAULT_ROOT, region, '/messages'),
    headers: {
      'x-api-key': credential.apiKey,
      'anthropic-version': API_VERSION,
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
    throw refused({ ...answer, text }, clock.now());
  }
  call.onFirstByte();
  return answer;
}

/** In a stream an error is an event of its own; elsewhere it may stand where the answer would be. */
function throwReported(answer: JsonObject): void {
  if (answer.type === 'error' || isObject(answer.error)) throw reported(answer);
}
