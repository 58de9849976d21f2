import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { systemClock } from '../../src/base/clock.js';
import { systemIds } from '../../src/base/ids.js';
import { createHttpServer, type HttpServerDependencies } from '../../src/server/port/http-server.js';

/** What an HTTP/2 client sends first: the preface and an empty SETTINGS frame. */
export const HTTP2_START = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
]);

/** A server with a few routes, and a list of events of its handlers. */
export interface Running {
  readonly app: FastifyInstance;
  readonly port: number;
  readonly events: string[];
  /** Lets the handlers of `/wait` answer. */
  release(): void;
  /** How many connections are open. */
  connections(): Promise<number>;
}

export async function start(
  dependencies: Partial<HttpServerDependencies> = {},
  routes: (app: FastifyInstance) => void = () => {},
): Promise<Running> {
  const app = createHttpServer({ clock: systemClock, ids: systemIds, ...dependencies });
  const events: string[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  app.get('/version', async (request) => {
    events.push('version');
    return { major: request.raw.httpVersionMajor, path: request.url };
  });
  app.post('/echo', async (request) => ({ got: request.body }));
  app.get('/wait', async () => {
    events.push('waiting');
    await released;
    return { waited: true };
  });
  app.get('/stuck', (_request, reply) => {
    reply.hijack();
    reply.raw.once('close', () => events.push('cut'));
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream' });
    reply.raw.write('data: first\n\n');
    events.push('streaming');
  });
  app.get('/fails', async () => {
    throw new Error('broken');
  });
  app.get('/trailers', (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200, { 'content-type': 'application/grpc' });
    reply.raw.write('body');
    reply.raw.addTrailers({ 'grpc-status': '0' });
    reply.raw.end();
  });
  routes(app);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const connections = () =>
    new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count)));
  return { app, port: portOf(app), events, release, connections };
}

function portOf(app: FastifyInstance): number {
  return (app.server.address() as AddressInfo).port;
}

/** Resolves once the condition holds; limited only by the test's own timeout. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** A raw connection that collects what it receives. `closed` settles however the connection ends. */
export function connectRaw(port: number, allowHalfOpen = false) {
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen });
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return {
    socket,
    closed,
    get received() {
      return received;
    },
  };
}

/** Sends the text on a fresh connection and gives everything received until the server closes it. */
export async function exchange(port: number, text: string): Promise<string> {
  const raw = connectRaw(port);
  raw.socket.write(text);
  await raw.closed;
  return raw.received;
}

/** The status and parsed JSON body of one raw HTTP/1.1 answer. */
export function parseAnswer(text: string) {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const headers = new Map(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  return { status: Number(head.split(' ')[1]), headers, body: JSON.parse(body) };
}

/** One HTTP/1.1 request through node:http. */
export function request(port: number, path: string, options: http.RequestOptions = {}, body = '') {
  return new Promise<{ status: number; headers: http.IncomingHttpHeaders; body: string; trailers: object }>(
    (resolve, reject) => {
      const outgoing = http.request({ port, host: '127.0.0.1', path, ...options }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('error', reject);
        response.on('end', () => {
          const { headers, trailers } = response;
          resolve({ status: response.statusCode ?? 0, headers, body: text, trailers });
        });
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    },
  );
}

/** One HTTP/2 request on the session. */
export function stream(session: http2.ClientHttp2Session, headers: http2.OutgoingHttpHeaders, body?: string) {
  return new Promise<{
    status: number;
    headers: http2.IncomingHttpHeaders;
    body: string;
    trailers: http2.IncomingHttpHeaders;
  }>((resolve, reject) => {
    const sent = session.request(headers, { endStream: body === undefined });
    let received: http2.IncomingHttpHeaders = {};
    let trailers: http2.IncomingHttpHeaders = {};
    let text = '';
    sent.on('response', (response) => {
      received = response;
    });
    sent.on('trailers', (sentTrailers) => {
      trailers = sentTrailers;
    });
    sent.on('data', (chunk) => {
      text += chunk;
    });
    sent.on('error', reject);
    sent.on('end', () =>
      resolve({ status: Number(received[':status']), headers: received, body: text, trailers }),
    );
    if (body !== undefined) sent.end(body);
  });
}

/** A session by prior knowledge; errors of the session itself are not of interest. */
export function connectHttp2(authority: string, options: http2.SecureClientSessionOptions = {}) {
  const session = http2.connect(authority, options);
  session.on('error', () => {});
  return session;
}

/** A self-signed certificate for localhost. */
export function selfSigned(): { cert: Buffer; key: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), 'byway-tls-'));
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-days', '2'];
    const outputs = ['-keyout', key, '-out', cert];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    execFileSync('openssl', ['req', '-x509', ...kind, ...outputs, ...subject], { stdio: 'ignore' });
    return { cert: readFileSync(cert), key: readFileSync(key) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
