/** A local provider with a variant of OpenAI's format, with failures by plan. */
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AtEnd,
  type Exchange,
  type FakeServer,
  jsonOf,
  planFor,
  startFakeServer,
} from '../fake-server.js';
import type { FakeError } from './errors.js';
import type { ChatCall, FakePlan, FakeRequest, PlannedChat } from './plan.js';
import { COUNTED_TOKENS, responseEvents, wholeResponse } from './responses.js';

/** What differs between providers. */
export interface FakeFormat {
  /** The path that all others are below; empty for none. */
  readonly root: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The error for a request; undefined for a valid one. */
  refusalOf(request: IncomingMessage, text: string): FakeError | undefined;
  /** What plans are kept by. */
  modelOf(path: string, call: ChatCall): string;
  wholeAnswer(call: ChatCall, plan: FakePlan): object;
  chunksOf(call: ChatCall, plan: FakePlan): readonly object[];
}

export interface FakeProvider extends Omit<FakeServer, 'origin'> {
  /** Its origin and API root. */
  readonly baseUrl: string;
  /** Every request, in order. */
  readonly requests: readonly FakeRequest[];
  /** Sets the plans for further requests of this model: each plan once, then the last one. */
  plan(model: string, ...plans: PlannedChat[]): void;
  /** The same for requests with this bearer key, which is accepted from now on; takes precedence over the model's plans. */
  planKey(key: string, ...plans: FakePlan[]): void;
}

/** Starts a fake that ends with the test, or when `atEnd` says so. */
export async function startFakeProvider(format: FakeFormat, atEnd?: AtEnd): Promise<FakeProvider> {
  const requests: FakeRequest[] = [];
  const plans = new Map<string, PlannedChat[]>();
  const server = await startFakeServer((exchange) => answer(exchange, format, requests, plans), atEnd);
  return Object.assign(server, {
    baseUrl: `${server.origin}${format.root}`,
    requests,
    plan: (model: string, ...next: PlannedChat[]) => void plans.set(model, next),
    planKey: (key: string, ...next: FakePlan[]) => void plans.set(`Bearer ${key}`, next),
  });
}

async function answer(
  exchange: Exchange,
  format: FakeFormat,
  requests: FakeRequest[],
  plans: ReadonlyMap<string, PlannedChat[]>,
): Promise<void> {
  const { request, response, text, send } = exchange;
  const { method = '', url = '', headers } = request;
  const keyed = plans.get(headers.authorization ?? '');
  const refusal = keyed === undefined ? format.refusalOf(request, text) : undefined;
  const body = refusal?.status === 400 ? {} : JSON.parse(text || '{}');
  const refused = refusal && JSON.stringify(refusal.body);
  requests.push({ method, path: url, headers, text, body, refused });
  const plan: FakePlan = refusal ?? planFor(next(keyed ?? plans.get(format.modelOf(url, body)) ?? []), body);
  if (plan.delayMs !== undefined) await sleep(plan.delayMs);
  if (plan.reset === true) return void request.socket.destroy();
  if (plan.status !== undefined) return refuse(exchange, plan, plan.status);
  const isCount = url.split('?')[0]?.endsWith('/input_tokens') === true;
  const isResponses = isCount || url.split('?')[0]?.endsWith('/responses') === true;
  const isStream = body.stream === true && plan.isWhole !== true;
  response.writeHead(200, {
    'content-type': isStream ? 'text/event-stream; charset=utf-8' : 'application/json',
    ...format.headers,
    ...(plan.encoding && { 'content-encoding': plan.encoding }),
    ...plan.headers,
  });
  if (isStream || plan.stallAfter === 0) response.flushHeaders();
  if (isCount) return send(plan, [jsonOf({ object: 'response.input_tokens', input_tokens: COUNTED_TOKENS })]);
  if (isResponses && isStream)
    return send(plan, namedEventsOf(plan, plan.chunks ?? responseEvents(body, plan)));
  const whole = () => (isResponses ? wholeResponse(body, plan) : format.wholeAnswer(body, plan));
  if (!isStream) return send(plan, [jsonOf(plan.answer ?? whole())]);
  return send(plan, eventsOf(plan, plan.chunks ?? format.chunksOf(body, plan)));
}

function next(plans: PlannedChat[]): PlannedChat {
  return (plans.length > 1 ? plans.shift() : plans[0]) ?? {};
}

function refuse({ response, send }: Exchange, plan: FakePlan, status: number): Promise<void> {
  const isText = typeof plan.body === 'string';
  response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...plan.headers });
  return send(plan, [isText ? String(plan.body) : JSON.stringify(plan.body ?? {})]);
}

/** As OpenAI sends them: named by their type, without `[DONE]`. */
function* namedEventsOf(plan: FakePlan, events: readonly unknown[]): Generator<string> {
  const end = plan.lineEnd ?? '\n';
  const comment = plan.comment === undefined ? '' : `: ${plan.comment}${end}${end}`;
  do {
    for (const [index, event] of events.entries()) {
      const data = typeof event === 'string' ? event : JSON.stringify(event);
      const { type } = typeof event === 'string' ? { type: 'message' } : (event as { type?: string });
      const isBare = plan.isBlankLineMissing === true && index === events.length - 1;
      yield `${comment}event: ${type}${end}data: ${data}${isBare ? '' : end + end}`;
    }
  } while (plan.isEndless === true);
}

/** The position of the first word: it follows the role. */
const FIRST_WORD = 1;

function* eventsOf(plan: FakePlan, chunks: readonly unknown[]): Generator<string> {
  const end = plan.lineEnd ?? '\n';
  const comment = plan.comment === undefined ? '' : `: ${plan.comment}${end}${end}`;
  const texts = chunks.map((chunk) => (typeof chunk === 'string' ? chunk : JSON.stringify(chunk)));
  const isDone = plan.isDoneMissing !== true && plan.isEndless !== true;
  const all = isDone ? [...texts, '[DONE]'] : texts;
  do {
    for (const [index, data] of all.entries()) {
      const isBare = plan.isBlankLineMissing === true && index === all.length - 1;
      yield `${comment}data: ${data}${isBare ? '' : end + end}`;
      if (index !== FIRST_WORD) continue;
      for (let sent = 0; sent < (plan.keepAlives ?? 0); sent += 1) yield `: keep-alive${end}${end}`;
    }
  } while (plan.isEndless === true);
}
