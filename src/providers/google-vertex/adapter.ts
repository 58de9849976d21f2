/** Platform C, Google's Vertex AI: its own models, Anthropic's and others', over service accounts (spec 2.3, 4.6). */
import type { Clock } from '../../base/clock.js';
import { jsonBody } from '../../base/json-body.js';
import type { VertexCredential } from '../../byok/kinds/google-vertex.js';
import type { Redactor } from '../../byok/redaction/redactor.js';
import type {
  UpstreamAdapter,
  UpstreamAnswer,
  UpstreamCall,
  UpstreamEvent,
} from '../../inference/attempts/adapter.js';
import { discard, readChunks, readText } from '../http/body.js';
import { malformed } from '../http/failures.js';
import type { Http, HttpAnswer } from '../http/http.js';
import { isObject, members, parseJson } from '../http/json.js';
import { readEvents } from '../http/sse.js';
import { redacting } from '../redaction/redaction.js';
import { resourceUrl } from './address.js';
import { type PublishedModel, publishedModel } from './publisher.js';
import { refused, reported } from './refusal.js';
import { type Redact, redactWith } from './secrets.js';
import type { AccessToken, AccessTokens } from './token.js';

/** Longest answer in one piece: some hold images or audio as base64 text. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** As much of an error as is read; real ones are far shorter. */
const MAX_ERROR_BYTES = 8 * 1024;

/** What ends a stream in OpenAI's protocol. */
const DONE = '[DONE]';

/** What the adapter speaks through. */
export interface VertexDependencies {
  /** To Google, or to where the operator says. */
  readonly http: Http;
  /** Shared with all else that speaks to Google. */
  readonly tokens: AccessTokens;
  readonly clock: Clock;
}

type Call = UpstreamCall<VertexCredential>;

/** The adapter. */
export function createVertexAdapter(dependencies: VertexDependencies): UpstreamAdapter<VertexCredential> {
  return redacting({
    complete: (call, redactor) => complete(dependencies, call, redactor),
    stream: (call, redactor) => stream(dependencies, call, redactor),
  });
}

async function complete(
  dependencies: VertexDependencies,
  call: Call,
  redactor: Redactor,
): Promise<UpstreamAnswer> {
  const published = publishedModel(call.endpoint.upstreamModelId);
  const { answer, redact } = await ask(dependencies, call, published, false, redactor);
  const { text, isCut } = await readText(answer.body, MAX_ANSWER_BYTES);
  const whole = isCut ? undefined : unwrapped(parseJson(text));
  throwReported(whole, redact);
  return published.dialect.readAnswer(whole);
}

/** Ends where the protocol says so, or where the body ends; whether that was the end of the answer, its finishes tell. */
async function* stream(
  dependencies: VertexDependencies,
  call: Call,
  redactor: Redactor,
): AsyncGenerator<UpstreamEvent, void, undefined> {
  const published = publishedModel(call.endpoint.upstreamModelId);
  const { answer, redact } = await ask(dependencies, call, published, true, redactor);
  const reader = published.dialect.createReader();
  let isDone = false;
  try {
    for await (const { data, isWhole } of readEvents(readChunks(answer.body))) {
      isDone = data.trim() === DONE;
      if (isDone) break;
      const event = unwrapped(parseJson(data));
      throwReported(event, redact);
      if (isObject(event)) yield* reader.read(event);
      else if (isWhole && data !== '') throw malformed();
      isDone = reader.isDone === true;
      if (isDone) break;
    }
  } finally {
    if (isDone) discard(answer.body);
    else answer.body.destroy();
  }
}

/** A successful answer, its body not yet read, and what hides whose account it is in an error there. */
interface Asked {
  readonly answer: HttpAnswer;
  readonly redact: Redact;
}

async function ask(
  dependencies: VertexDependencies,
  call: Call,
  { model, dialect }: PublishedModel,
  isStreamed: boolean,
  redactor: Redactor,
): Promise<Asked> {
  const { provider, region, credential } = call;
  const request: Request = {
    url: resourceUrl(provider, credential.projectId, region, dialect.resource(model, isStreamed)),
    accept: isStreamed ? 'text/event-stream' : 'application/json',
    body: await jsonBody(dialect.body(call, model, isStreamed)),
  };
  const answer = await send(dependencies, call, request, redactor);
  const redact = redactWith(credential);
  if (answer.status < 200 || answer.status > 299) {
    const { text } = await readText(answer.body, MAX_ERROR_BYTES);
    throw refused({ ...answer, text }, redact, dependencies.clock.now());
  }
  call.onFirstByte();
  return { answer, redact };
}

/** A request but for its token. */
interface Request {
  readonly url: URL;
  readonly accept: string;
  readonly body: string | Uint8Array;
}

/** One request; one more only where a token from before is refused, which may have ended before its time. */
async function send(
  dependencies: VertexDependencies,
  call: Call,
  request: Request,
  redactor: Redactor,
): Promise<HttpAnswer> {
  const { provider, credential, signal } = call;
  const { token, wasKept } = await dependencies.tokens.grant(credential, provider, signal);
  redactor.addToken(token);
  const answer = await post(dependencies, call, request, token);
  if (answer.status !== 401) return answer;
  dependencies.tokens.forget(credential, provider, token);
  if (!wasKept) return answer;
  discard(answer.body);
  const { token: another } = await dependencies.tokens.grant(credential, provider, signal);
  redactor.addToken(another);
  return post(dependencies, call, request, another);
}

function post(
  { http }: VertexDependencies,
  { signal }: Call,
  request: Request,
  token: AccessToken,
): Promise<HttpAnswer> {
  const { url, accept, body } = request;
  return http.post({ url, headers: { authorization: `Bearer ${token.text}`, accept }, body, signal });
}

/** Google puts some errors into a list of one. */
function unwrapped(answer: unknown): unknown {
  return Array.isArray(answer) ? answer[0] : answer;
}

function throwReported(answer: unknown, redact: Redact): void {
  const { type, error } = members(answer);
  if (type === 'error' || error) throw reported(members(answer), redact);
}
