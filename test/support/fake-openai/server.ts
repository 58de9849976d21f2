/** A local provider that speaks OpenAI's protocol in one of its dialects, with faults that can be switched on. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as hop, setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { AtEnd } from '../fake-server.js';
import type { ChatCall, FakePlan, FakeRequest } from './plan.js';
import type { FakeRefusal } from './refusals.js';

/** What one provider does in its own way. */
export interface FakeDialect {
  /** The path that all others are below; empty for none. */
  readonly root: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What is wrong with a request; undefined where it is sound. */
  refusalOf(request: IncomingMessage, text: string): FakeRefusal | undefined;
  /** What plans are kept by. */
  modelOf(path: string, call: ChatCall): string;
  wholeAnswer(call: ChatCall, plan: FakePlan): object;
  chunksOf(call: ChatCall, plan: FakePlan): readonly object[];
}

export interface FakeServer {
  /** Where it is reached: its origin and the root of its dialect. */
  readonly baseUrl: string;
  /** Every request, in the order in which they came. */
  readonly requests: readonly FakeRequest[];
  /** Answers that were given up before their end. */
  readonly aborts: number;
  /** TCP connections that were made. */
  readonly connections: number;
  /** Bytes of bodies that were written, whether or not anybody took them. */
  readonly bytesWritten: number;
  /** What requests for this model get from now on: each plan once, the last one from then on. */
  plan(model: string, ...plans: FakePlan[]): void;
  /** The same of requests with this bearer key, which is taken from now on; it goes before the model's plans. */
  planKey(key: string, ...plans: FakePlan[]): void;
}

/** Starts a fake that ends with the test, or when `atEnd` says so. */
export async function startFakeServer(
  dialect: FakeDialect,
  atEnd: AtEnd = onTestFinished,
): Promise<FakeServer> {
  const requests: FakeRequest[] = [];
  const plans = new Map<string, FakePlan[]>();
  const count = { aborts: 0, connections: 0, bytesWritten: 0 };
  const server = createServer((request, response) => {
    response.on('close', () => {
      if (!response.writableFinished) count.aborts += 1;
    });
    const written = (bytes: number) => {
      count.bytesWritten += bytes;
    };
    void answer({ dialect, request, response, requests, plans, written });
  });
  server.on('connection', () => {
    count.connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}${dialect.root}`,
    requests,
    get aborts() {
      return count.aborts;
    },
    get connections() {
      return count.connections;
    },
    get bytesWritten() {
      return count.bytesWritten;
    },
    plan: (model, ...next) => void plans.set(model, next),
    planKey: (key, ...next) => void plans.set(`Bearer ${key}`, next),
  };
}

interface Exchange {
  readonly dialect: FakeDialect;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requests: FakeRequest[];
  readonly plans: ReadonlyMap<string, FakePlan[]>;
  readonly written: (bytes: number) => void;
}

async function answer(exchange: Exchange): Promise<void> {
  const { dialect, request, response, requests, plans } = exchange;
  const text = await read(request);
  const { method = '', url = '', headers } = request;
  const keyed = plans.get(headers.authorization ?? '');
  const refusal = keyed === undefined ? dialect.refusalOf(request, text) : undefined;
  const body = refusal?.status === 400 ? {} : JSON.parse(text || '{}');
  requests.push({ method, path: url, headers, text, body });
  const plan: FakePlan = refusal ?? next(keyed ?? plans.get(dialect.modelOf(url, body)) ?? []);
  if (plan.delayMs !== undefined) await sleep(plan.delayMs);
  if (plan.reset === true) return void request.socket.destroy();
  if (plan.status !== undefined) return refuse(exchange, plan, plan.status);
  const isStream = body.stream === true;
  response.writeHead(200, {
    'content-type': isStream ? 'text/event-stream; charset=utf-8' : 'application/json',
    ...dialect.headers,
    ...plan.headers,
  });
  if (isStream || plan.stallAfter === 0) response.flushHeaders();
  if (!isStream)
    return send(exchange, plan, [JSON.stringify(plan.answer ?? dialect.wholeAnswer(body, plan))]);
  return send(exchange, plan, eventsOf(plan, plan.chunks ?? dialect.chunksOf(body, plan)));
}

function next(plans: FakePlan[]): FakePlan {
  return (plans.length > 1 ? plans.shift() : plans[0]) ?? {};
}

function refuse(exchange: Exchange, plan: FakePlan, status: number): Promise<void> {
  const isText = typeof plan.body === 'string';
  exchange.response.writeHead(status, {
    'content-type': isText ? 'text/html' : 'application/json',
    ...plan.headers,
  });
  return send(exchange, plan, [isText ? String(plan.body) : JSON.stringify(plan.body ?? {})]);
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

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
    }
  } while (plan.isEndless === true);
}

async function send(
  { request, response, written }: Exchange,
  plan: FakePlan,
  pieces: Iterable<string>,
): Promise<void> {
  const limit = plan.cutAfterBytes ?? plan.endAfterBytes ?? Infinity;
  let sent = 0;
  let count = 0;
  for (const piece of pieces) {
    if (count === plan.stallAfter) return;
    count += 1;
    for (const bytes of split(Buffer.from(piece), plan.splitBytes)) {
      if (response.destroyed) return;
      const part = bytes.subarray(0, limit - sent);
      sent += part.length;
      written(part.length);
      if (!response.write(part)) await drained(response);
      if (plan.splitBytes !== undefined) await hop();
    }
    if (sent >= limit) break;
  }
  if (plan.isLeftOpen === true) return;
  if (plan.cutAfterBytes === undefined) response.end();
  else request.socket.destroySoon();
}

/** Resolves when the other side takes more, or is gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      response.off('drain', end);
      response.off('close', end);
      resolve();
    };
    response.on('drain', end);
    response.on('close', end);
  });
}

function* split(bytes: Buffer, size = bytes.length): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}
