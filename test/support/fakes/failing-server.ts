/** An HTTP server that plays a provider: it counts its responses, and breaks them by plan. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as hop, setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

/** Failures of a response. */
export interface Failures {
  /** Milliseconds before the head of the answer. */
  readonly delayMs?: number;
  /** The connection breaks: before the head, or after so many bytes of the body. */
  readonly reset?: boolean;
  readonly cutAfterBytes?: number;
  /** The body ends well, as far as HTTP goes, after so many bytes. */
  readonly endAfterBytes?: number;
  /** Milliseconds before each piece of the body. */
  readonly paceMs?: number;
  /** Bytes of each write. */
  readonly splitBytes?: number;
  /** Sends nothing after so many pieces. */
  readonly stallAfter?: number;
  /**
   * Answers in one piece where a stream was asked for, as custom endpoints do
   * (https://github.com/huggingface/chat-ui/issues/430).
   */
  readonly isWhole?: boolean;
  /** Compresses the body, unasked, as proxies on the way do. */
  readonly encoding?: 'gzip' | 'deflate' | 'br';
  /** Keeps the connection open after the last byte. */
  readonly isLeftOpen?: boolean;
}

/** A plan, or what makes one of a request that the fake takes. */
export type Planned<Plan, Body> = Plan | ((body: Body) => Plan);

export function planFor<Plan extends object, Body>(planned: Planned<Plan, Body>, body: Body): Plan {
  return typeof planned === 'function' ? planned(body) : planned;
}

/** One request and its answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The body of the request. */
  readonly text: string;
  /** Sends the body, as far as the failures allow. */
  send(failures: Failures, pieces: Iterable<string | Buffer>): Promise<void>;
}

export interface FakeServer {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Responses that the client aborted. */
  readonly aborts: number;
  /** TCP connections that were opened. */
  readonly connections: number;
  /** Bytes of bodies that were written, whether or not they were read. */
  readonly bytesWritten: number;
}

/** Starts a server; the caller closes it. */
export async function startFailingServer(
  handle: (exchange: Exchange) => Promise<void>,
): Promise<FakeServer & { close(): Promise<void> }> {
  const count = { aborts: 0, connections: 0, bytesWritten: 0 };
  const written = (bytes: number) => {
    count.bytesWritten += bytes;
  };
  const server = createServer(async (request, response) => {
    response.on('close', () => {
      if (!response.writableFinished) count.aborts += 1;
    });
    const text = await read(request);
    await handle({
      request,
      response,
      text,
      send: (failures, pieces) => send(response, failures, pieces, written),
    });
  });
  server.on('connection', () => {
    count.connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    get aborts() {
      return count.aborts;
    },
    get connections() {
      return count.connections;
    },
    get bytesWritten() {
      return count.bytesWritten;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const ENCODERS = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync } as const;

/** The pieces, compressed together: their number stays, so that failures by it stay where they are. */
function* encoded(pieces: Iterable<string | Buffer>, encoding: keyof typeof ENCODERS): Generator<Buffer> {
  const all = [...pieces].map((piece) => Buffer.from(piece));
  const bytes = ENCODERS[encoding](Buffer.concat(all));
  const size = Math.ceil(bytes.length / all.length);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function send(
  response: ServerResponse,
  failures: Failures,
  pieces: Iterable<string | Buffer>,
  written: (bytes: number) => void,
): Promise<void> {
  const limit = failures.cutAfterBytes ?? failures.endAfterBytes ?? Infinity;
  let sent = 0;
  let count = 0;
  const { encoding } = failures;
  for (const piece of encoding === undefined ? pieces : encoded(pieces, encoding)) {
    if (count === failures.stallAfter) return;
    count += 1;
    if (failures.paceMs !== undefined) await sleep(failures.paceMs);
    for (const bytes of split(Buffer.from(piece), failures.splitBytes)) {
      if (response.destroyed) return;
      const part = bytes.subarray(0, limit - sent);
      sent += part.length;
      written(part.length);
      if (!response.write(part)) await drained(response);
      if (failures.splitBytes !== undefined) await hop();
    }
    if (sent >= limit) break;
  }
  if (failures.isLeftOpen === true) return;
  if (failures.cutAfterBytes === undefined) return void response.end();
  // Node 26 hands what was written to the connection no sooner.
  await hop();
  response.socket?.destroySoon();
}

/** Resolves when the client takes more, or is gone. */
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

/** The JSON of a value; a text is JSON already. */
export function jsonOf(value: unknown, indent?: number): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, indent);
}
