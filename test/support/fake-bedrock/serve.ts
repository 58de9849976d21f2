/** A local Bedrock: its operation Converse as the official client knows it, with faults that can be switched on. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as hop, setTimeout as sleep } from 'node:timers/promises';
import { framesOf, wholeAnswer } from './answer.js';
import { encodeFrame } from './frames.js';
import type { FakePlan, FakeRequest } from './plan.js';
import { type FakeAccount, refusalOf } from './refusals.js';

/** The access key that the fake takes, in every region. */
export const FAKE_ACCESS_KEY = {
  accessKeyId: 'AKIAFAKE0123456789AB',
  secretAccessKey: 'fake/secret+0123456789abcdefghijklmnopqr',
};

/** The region of calls whose path names none. */
export const FAKE_REGION = 'us-east-1';

/** The bare key that the fake takes in `FAKE_REGION`, and only there. */
export const FAKE_API_KEY = 'ABSKQmVkcm9ja0FQSUtleS1mYWtlLWF0LTEyMzQ1Njc4OTAxMg==';

/** Another one, for another region. */
export const FAKE_EU_API_KEY = 'ABSKQmVkcm9ja0FQSUtleS1ldS1hdC0xMjM0NTY3ODkwMTI=';

export interface FakeBedrock {
  /** Stands for the endpoint of `FAKE_REGION`. */
  readonly baseUrl: string;
  /** Stands for the endpoints of all regions: the region is a part of the path. */
  readonly regionalBaseUrl: string;
  /** Every request, in the order in which they came. */
  readonly requests: readonly FakeRequest[];
  /** Answers that were given up before their end. */
  readonly aborts: number;
  /** TCP connections that were made. */
  readonly connections: number;
  /** Bytes of bodies that were written, whether or not anybody took them. */
  readonly bytesWritten: number;
  /** What requests for this model get from now on. */
  plan(model: string, plan: FakePlan): void;
}

/** Starts a fake that ends when it is closed. */
export async function serveFakeBedrock(
  now: () => number = Date.now,
): Promise<FakeBedrock & { close(): Promise<void> }> {
  const requests: FakeRequest[] = [];
  const plans = new Map<string, FakePlan>();
  const count = { aborts: 0, connections: 0, bytesWritten: 0 };
  const written = (bytes: number) => {
    count.bytesWritten += bytes;
  };
  const server = createServer((request, response) => {
    response.on('close', () => {
      if (!response.writableFinished) count.aborts += 1;
    });
    void answer({ request, response, requests, plans, now, written });
  });
  server.on('connection', () => {
    count.connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}`;
  return {
    baseUrl,
    regionalBaseUrl: `${baseUrl}/regions/{region}`,
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
    plan: (model, plan) => void plans.set(model, plan),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const ACCOUNT: FakeAccount = {
  signer: FAKE_ACCESS_KEY,
  apiKeys: { [FAKE_REGION]: FAKE_API_KEY, 'eu-central-1': FAKE_EU_API_KEY },
};

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requests: FakeRequest[];
  readonly plans: ReadonlyMap<string, FakePlan>;
  readonly now: () => number;
  readonly written: (bytes: number) => void;
}

const PATH = /^(?:\/regions\/([a-z0-9-]+))?\/model\/([^/]+)\/converse(-stream)?$/;

async function answer(exchange: Exchange): Promise<void> {
  const { request, response, requests, plans, now } = exchange;
  const text = await read(request);
  const { method = '', url = '', headers } = request;
  const [, region = FAKE_REGION, segment, streamed] = PATH.exec(url) ?? [];
  const modelId = segment === undefined ? undefined : decodeURIComponent(segment);
  const refusal = refusalOf({ method, path: url, region, modelId, headers, text }, ACCOUNT, now());
  const body = parse(text);
  requests.push({ method, path: url, region, modelId: modelId ?? '', headers, text, body });
  const plan: FakePlan = refusal ?? plans.get(modelId ?? '') ?? {};
  if (plan.delayMs !== undefined) await sleep(plan.delayMs);
  if (plan.reset === true) return void request.socket.destroy();
  response.sendDate = false;
  const common = { date: new Date(now()).toUTCString(), 'x-amzn-requestid': 'req-fake' };
  if (plan.status !== undefined) {
    const isText = typeof plan.body === 'string';
    const type = isText ? 'text/html' : 'application/json';
    response.writeHead(plan.status, { ...common, 'content-type': type, ...plan.headers });
    return send(exchange, plan, [isText ? String(plan.body) : JSON.stringify(plan.body ?? {})]);
  }
  const type = streamed === undefined ? 'application/json' : 'application/vnd.amazon.eventstream';
  response.writeHead(200, { ...common, 'content-type': type, ...plan.headers });
  if (streamed !== undefined || plan.stallAfter === 0) response.flushHeaders();
  if (streamed !== undefined)
    return send(exchange, plan, framesIn(plan, plan.frames ?? framesOf(body, plan)));
  return send(exchange, plan, [JSON.stringify(plan.answer ?? wholeAnswer(body, plan))]);
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function parse(text: string): FakeRequest['body'] {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function* framesIn(plan: FakePlan, frames: NonNullable<FakePlan['frames']>): Generator<Buffer> {
  do {
    for (const frame of frames) yield Buffer.isBuffer(frame) ? frame : encodeFrame(frame);
  } while (plan.isEndless === true);
}

async function send(
  { request, response, written }: Exchange,
  plan: FakePlan,
  pieces: Iterable<string | Buffer>,
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
