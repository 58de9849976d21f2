/** Platform C, Google's Vertex AI: its own models, Anthropic's and others', over service accounts (spec 2.3, 4.6). */
import type { Clock } from '../base/clock.js';
import { jsonBody } from '../base/json-body.js';
import type { VertexCredential } from '../byok/google-vertex.js';
import type { UpstreamAdapter, UpstreamAnswer, UpstreamCall, UpstreamEvent } from '../chat/adapter.js';
import { discard, readChunks, readText } from './body.js';
import { malformed } from './failures.js';
import { resourceUrl } from './google-vertex/address.js';
import { type PublishedModel, publishedModel } from './google-vertex/publisher.js';
import { refused, reported } from './google-vertex/refusal.js';
import { type Concealing, concealing } from './google-vertex/secrets.js';
import type { AccessToken, AccessTokens } from './google-vertex/token.js';
import type { Http, HttpAnswer } from './http.js';
import { isObject, members, parseJson } from './json.js';
import { readEvents } from './sse.js';

/** Longest answer in one piece: some hold images or audio as base64 text. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** As much of an error as is read; real ones are far shorter. */
const MAX_ERROR_BYTES = 8 * 1024;

/** What ends a stream in OpenAI's protocol. */
const DONE = '[DONE]';

/** What the adapter speaks through. */
export interface VertexParts {
  /** To Google, or to where the operator says. */
  readonly http: Http;
  /** Shared with all else that speaks to Google. */
  readonly tokens: AccessTokens;
  readonly clock: Clock;
}

type Call = UpstreamCall<VertexCredential>;

/** The adapter. */
export function createVertexAdapter(parts: VertexParts): UpstreamAdapter<VertexCredential> {
  return { complete: (call) => complete(parts, call), stream: (call) => stream(parts, call) };
}

async function complete(parts: VertexParts, call: Call): Promise<UpstreamAnswer> {
  const published = publishedModel(call.endpoint.upstreamModelId);
  const { answer, conceal } = await ask(parts, call, published, false);
  const { text, isCut } = await readText(answer.body, MAX_ANSWER_BYTES);
  const whole = isCut ? undefined : unwrapped(parseJson(text));
  throwReported(whole, conceal);
  return published.dialect.readAnswer(whole);
}

/** Ends where the protocol says so, or where the body ends; whether that was the end of the answer, its finishes tell. */
async function* stream(parts: VertexParts, call: Call): AsyncGenerator<UpstreamEvent, void, undefined> {
  const published = publishedModel(call.endpoint.upstreamModelId);
  const { answer, conceal } = await ask(parts, call, published, true);
  const reader = published.dialect.createReader();
  let isDone = false;
  try {
    for await (const { data, isWhole } of readEvents(readChunks(answer.body))) {
      isDone = data.trim() === DONE;
      if (isDone) break;
      const event = unwrapped(parseJson(data));
      throwReported(event, conceal);
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

/** A successful answer, its body not yet read, and what hides the caller's secrets in it. */
interface Asked {
  readonly answer: HttpAnswer;
  readonly conceal: Concealing;
}

async function ask(
  parts: VertexParts,
  call: Call,
  { model, dialect }: PublishedModel,
  isStreamed: boolean,
): Promise<Asked> {
  const { provider, region, credential } = call;
  const request: Request = {
    url: resourceUrl(provider, credential.projectId, region, dialect.resource(model, isStreamed)),
    accept: isStreamed ? 'text/event-stream' : 'application/json',
    body: await jsonBody(dialect.body(call, model, isStreamed)),
  };
  const { answer, token } = await send(parts, call, request);
  const conceal = concealing(credential, token.text);
  if (answer.status < 200 || answer.status > 299) {
    const { text } = await readText(answer.body, MAX_ERROR_BYTES);
    throw refused({ ...answer, text }, conceal, parts.clock.now());
  }
  call.onFirstByte();
  return { answer, conceal };
}

/** A request but for its token. */
interface Request {
  readonly url: URL;
  readonly accept: string;
  readonly body: string | Uint8Array;
}

/** An answer of whatever status, and the token that it was asked with. */
interface Sent {
  readonly answer: HttpAnswer;
  readonly token: AccessToken;
}

/** One request; one more only where a token from before is refused, which may have ended before its time. */
async function send(parts: VertexParts, call: Call, request: Request): Promise<Sent> {
  const { provider, credential, signal } = call;
  const { token, wasKept } = await parts.tokens.grant(credential, provider, signal);
  const answer = await post(parts, call, request, token);
  if (answer.status !== 401) return { answer, token };
  parts.tokens.forget(credential, provider, token);
  if (!wasKept) return { answer, token };
  discard(answer.body);
  const { token: another } = await parts.tokens.grant(credential, provider, signal);
  return { answer: await post(parts, call, request, another), token: another };
}

function post(
  { http }: VertexParts,
  { signal }: Call,
  request: Request,
  token: AccessToken,
): Promise<HttpAnswer> {
  const { url, accept, body } = request;
  return http.post({ url, headers: { authorization: `Bearer ${token.text}`, accept }, body, signal });
}

/** Google puts some errors into a list of one. */
function unwrapped(said: unknown): unknown {
  return Array.isArray(said) ? said[0] : said;
}

function throwReported(said: unknown, conceal: Concealing): void {
  const { type, error } = members(said);
  if (type === 'error' || error) throw reported(members(said), conceal);
}
