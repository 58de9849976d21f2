/** A local Anthropic: its Messages API as the official client knows it, with failures by plan. */
import { setTimeout as sleep } from 'node:timers/promises';
import { eventsOf, wholeMessage } from './fake-anthropic/answer.js';
import { refusalOf } from './fake-anthropic/errors.js';
import type { FakePlan, FakeRequest, MessagesCall, PlannedMessage } from './fake-anthropic/plan.js';
import {
  type AtEnd,
  type Exchange,
  type FakeServer,
  jsonOf,
  planFor,
  startFakeServer,
} from './fake-server.js';

/** The key that the fake takes. */
export const FAKE_API_KEY = 'sk-ant-api03-fake-0123456789abcdefghij';

/** What it counts of any prompt. */
export const COUNTED_TOKENS = 4711;

export interface FakeAnthropic extends FakeServer {
  /** The API root. */
  readonly baseUrl: string;
  /** Every request, in order. */
  readonly requests: readonly FakeRequest[];
  /** Sets the plans for further requests of this model. */
  plan(model: string, plan: PlannedMessage): void;
}

/** Starts a fake that ends with the test, or when `atEnd` says so. */
export async function startFakeAnthropic(atEnd?: AtEnd): Promise<FakeAnthropic> {
  const requests: FakeRequest[] = [];
  const plans = new Map<string, PlannedMessage>();
  const server = await startFakeServer((exchange) => answer(exchange, requests, plans), atEnd);
  return Object.assign(server, {
    baseUrl: `${server.origin}/v1`,
    requests,
    plan: (model: string, plan: PlannedMessage) => void plans.set(model, plan),
  });
}

async function answer(
  { request, response, text, send }: Exchange,
  requests: FakeRequest[],
  plans: ReadonlyMap<string, PlannedMessage>,
): Promise<void> {
  const refusal = refusalOf(request, FAKE_API_KEY, text);
  const { method = '', url = '', headers } = request;
  const body: MessagesCall = JSON.parse(/^\{.*\}$/s.test(text) ? text : '{}');
  const refused = refusal && JSON.stringify(refusal.body);
  requests.push({ method, path: url, headers, text, body, refused });
  const plan: FakePlan = refusal ?? planFor(plans.get(body.model) ?? {}, body);
  if (plan.delayMs !== undefined) await sleep(plan.delayMs);
  if (plan.reset === true) return void request.socket.destroy();
  const isText = plan.status !== undefined && typeof plan.body === 'string';
  const isStream = plan.status === undefined && body.stream === true && plan.isWhole !== true;
  response.writeHead(plan.status ?? 200, {
    'content-type': isText ? 'text/html' : isStream ? 'text/event-stream; charset=utf-8' : 'application/json',
    'request-id': 'req_fake',
    'anthropic-organization-id': 'org_fake',
    ...(plan.encoding && { 'content-encoding': plan.encoding }),
    ...plan.headers,
  });
  if (plan.status !== undefined) {
    return send(plan, [isText ? String(plan.body) : JSON.stringify(plan.body ?? {})]);
  }
  if (url.endsWith('/count_tokens')) return send(plan, [JSON.stringify({ input_tokens: COUNTED_TOKENS })]);
  if (isStream || plan.stallAfter === 0) response.flushHeaders();
  return send(plan, isStream ? written(plan, body) : [jsonOf(plan.answer ?? wholeMessage(body, plan))]);
}

function* written(plan: FakePlan, body: MessagesCall): Generator<string> {
  const { lineEnd = '\n', padding = '' } = plan;
  const events = plan.events ?? [...eventsOf(body, plan)];
  do {
    for (const [index, event] of events.entries()) {
      const isBare = plan.isBlankLineMissing === true && index === events.length - 1;
      const name = typeof event === 'string' ? 'content_block_delta' : event.type;
      const data = typeof event === 'string' ? event : JSON.stringify(event);
      const named = plan.isNameMissing === true ? '' : `event: ${name}${lineEnd}`;
      yield `${named}data: ${data}${padding}${isBare ? '' : lineEnd + lineEnd}`;
    }
  } while (plan.isEndless === true);
}
