import type { DescMethod, JsonObject, Message } from '@bufbuild/protobuf';
import { ruleOf } from '../../../src/protobuf/method-rule.js';
import type { TestGateway } from '../../support/gateway.js';
import type { TransportClient } from './client.js';
import type { Failure, Outcome } from './outcome.js';
import { restRequestOf } from './rest-request.js';

interface Envelope {
  /** Anthropic's, which has no code and no user; the Responses API's has no user. */
  readonly type?: 'error';
  readonly error: {
    /** A word in errors of the Responses API. */
    readonly code?: number | string;
    readonly message: string;
    readonly metadata: JsonObject & { readonly reason: string; readonly violations?: readonly JsonObject[] };
  };
  readonly user_id?: string;
}

/** REST, called with `fetch`. */
export function restClient({ rest }: TestGateway): TransportClient {
  return {
    async call(method, message, secret) {
      const response = await send(rest, method, message, secret);
      const generationId = response.headers.get('x-generation-id');
      const type = response.headers.get('content-type') ?? '';
      if (!response.ok) {
        const failure = failureIn((await response.json()) as Envelope, response);
        return { messages: [], generationId, failure };
      }
      const { successStatus } = ruleOf(method);
      if (response.status !== (successStatus || 200)) throw new Error(`success with ${response.status}`);
      if (type.startsWith('text/event-stream')) return { generationId, ...eventsIn(await response.text()) };
      if (type.startsWith('application/jsonl')) {
        const lines = (await response.text()).split('\n').filter((line) => line !== '');
        return { messages: lines.map((line) => JSON.parse(line) as JsonObject), generationId, failure: null };
      }
      return { messages: [(await response.json()) as JsonObject], generationId, failure: null };
    },
  };
}

function send(rest: string, method: DescMethod, message: Message, secret: string | null): Promise<Response> {
  const { verb, path, body } = restRequestOf(method, message);
  return fetch(rest + path, {
    method: verb,
    headers: {
      ...(secret !== null && { authorization: `Bearer ${secret}` }),
      ...(body !== null && { 'content-type': 'application/json' }),
    },
    ...(body !== null && { body: JSON.stringify(body) }),
  });
}

function failureIn({ type, error, user_id }: Envelope, response: Response): Failure {
  const { reason, violations = [], ...metadata } = error.metadata;
  const { status } = response;
  // Anthropic's errors have no code, and those of the Responses API have a word.
  const isStatus = error.code === status || typeof error.code === 'string';
  if (type === undefined && !isStatus) throw new Error(`code ${error.code} with status ${status}`);
  return {
    status,
    message: error.message,
    reason,
    violations,
    metadata,
    userId: user_id ?? null,
    retryAfter: response.headers.get('retry-after'),
  };
}

/** The types of the last events of APIs whose events are named. */
const LAST_EVENTS: ReadonlySet<unknown> = new Set(['message_stop', 'response.completed']);

/** A stream that broke ends with a chunk that says why, and without `[DONE]`. */
function eventsIn(text: string): Pick<Outcome, 'messages' | 'failure'> {
  if (text.startsWith('event: ')) {
    const events = [...text.matchAll(/^event: [\w.]+\ndata: (.*)\n\n/gm)];
    const messages = events.map(([, json = '']) => JSON.parse(json) as JsonObject);
    if (!LAST_EVENTS.has(messages.at(-1)?.type)) throw new Error(`a stream that broke: ${text}`);
    return { messages, failure: null };
  }
  const data = text.split('\n\n').flatMap((event) => (event === '' ? [] : [event.replace(/^data: /, '')]));
  const isWhole = data.at(-1) === '[DONE]';
  const messages = (isWhole ? data.slice(0, -1) : data).map((json) => JSON.parse(json) as JsonObject);
  if (isWhole) return { messages, failure: null };
  const last = messages.at(-1) as Pick<Envelope, 'error'> | undefined;
  if (last === undefined) throw new Error('a stream without events');
  return { messages, failure: { status: Number(last.error.code ?? 0), message: last.error.message } };
}
