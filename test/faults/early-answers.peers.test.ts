import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as grpc from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectHttp2, connectRaw, selfSigned, stream, until } from '../server/support.js';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';

const MB = 1_000_000;

const folder = mkdtempSync(join(tmpdir(), 'byway-early-'));
const identity = selfSigned();

let plain: ServerProcess;
let secure: ServerProcess;
/** Allows one administrative call per minute. */
let limited: ServerProcess;

beforeAll(async () => {
  const file = (name: string, content: string | Buffer) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const rate = { BYWAY_ADMIN_RATE_PER_MINUTE: '0' };
  file('body', `{"name":"${'x'.repeat(5 * MB)}"}`);
  const cert = file('cert.pem', identity.cert);
  const key = file('key.pem', identity.key);
  plain = await startServerProcess(rate);
  secure = await startServerProcess({ ...rate, BYWAY_TLS_CERT: cert, BYWAY_TLS_KEY: key });
  limited = await startServerProcess({ BYWAY_ADMIN_RATE_PER_MINUTE: '1' });
}, 120_000);

afterAll(async () => {
  expect([await plain.stop(), await secure.stop()]).toEqual([0, 0]);
  rmSync(folder, { recursive: true });
});

const JSON_TYPE = 'content-type:application/json';
const KEYS = '/api/v1/keys';
const CHAT = '/api/v1/chat/completions';

interface Refusal {
  readonly path: string;
  readonly headers: (server: ServerProcess) => readonly string[];
  readonly expectedOutput: string;
  /** Default POST. */
  readonly method?: string;
  /** A large body that is not too large; default 40 MB. */
  readonly largeBytes?: number;
}

const bearer = (secret: string) => `authorization:Bearer ${secret}`;

/** Every refusal that comes before the body is read. */
const REFUSALS: readonly Refusal[] = [
  { path: CHAT, headers: () => [JSON_TYPE], expectedOutput: '401 missing_authentication' },
  {
    path: KEYS,
    headers: ({ apiKey }) => [JSON_TYPE, bearer(apiKey)],
    expectedOutput: '403 permission_denied',
  },
  { path: '/nowhere', headers: () => [JSON_TYPE], expectedOutput: '404 unknown_path' },
  { path: KEYS, headers: () => [JSON_TYPE], expectedOutput: '405 method_not_allowed', method: 'PUT' },
  {
    path: KEYS,
    headers: ({ managementKey }) => [JSON_TYPE, bearer(managementKey)],
    expectedOutput: '413 body_too_large',
  },
  {
    path: CHAT,
    headers: ({ apiKey }) => ['content-type:text/plain', bearer(apiKey)],
    expectedOutput: '415 unsupported_media_type',
    largeBytes: 30 * MB,
  },
];

/** What urllib printed for each of `count` requests. */
async function urllib(url: string, size: number, count: number, framing: string, headers: readonly string[]) {
  const program = 'test/faults/early-answers.py';
  const args = [program, url, String(size), String(count), framing, ...headers];
  const { stdout } = await promisify(execFile)('python3', args);
  return stdout.trim().split('\n');
}

/** What curl printed, whatever its exit status. */
async function curl(url: string, options: readonly string[], headers: readonly string[]): Promise<string> {
  const all = ['-sS', '-k', '--max-time', '60', '--data-binary', `@${join(folder, 'body')}`, ...options];
  const more = headers.flatMap((header) => ['-H', header]);
  const { stdout } = await promisify(execFile)('curl', [...all, ...more, '-w', '\n%{http_code}', url]);
  const [body = '', status = ''] = stdout.split('\n');
  return expectedOutput(Number(status), body);
}

function expectedOutput(status: number, body: string): string {
  return `${status} ${JSON.parse(body).error.metadata.reason}`;
}

const origin = ({ port }: ServerProcess) => `http://127.0.0.1:${port}`;
const secureOrigin = ({ port }: ServerProcess) => `https://127.0.0.1:${port}`;

// Megabytes over a busy machine; how long they take is not what is tested.
describe('a refusal reaches a client that sends a large body first', { timeout: 120_000 }, () => {
  it.each(REFUSALS.filter(({ method }) => method === undefined))(
    'over urllib: $expectedOutput',
    async ({ path, headers, expectedOutput: expected, largeBytes = 40 * MB }) => {
      for (const framing of ['length', 'chunks']) {
        const many = await urllib(origin(plain) + path, 5 * MB, 30, framing, headers(plain));
        expect(new Set(many)).toEqual(new Set([expected]));
        expect(many).toHaveLength(30);
        const tls = await urllib(secureOrigin(secure) + path, 5 * MB, 3, framing, headers(secure));
        expect(tls).toEqual([expected, expected, expected]);
      }
      const large = await urllib(origin(plain) + path, largeBytes, 2, 'length', headers(plain));
      expect(large).toEqual([expected, expected]);
    },
  );

  it.each(REFUSALS)(
    'over curl: $expectedOutput',
    async ({ path, headers, expectedOutput: expected, method = 'POST' }) => {
      const optionSets = [
        ['--http1.1', '-H', 'Expect: 100-continue'],
        ['--http1.1', '-H', 'Expect:', '-H', 'Connection: close'],
        ['--http1.1', '-H', 'Expect:', '-H', 'Transfer-Encoding: chunked'],
        ['--http2-prior-knowledge'],
      ];
      for (const mode of optionSets) {
        const answered = await curl(origin(plain) + path, [...mode, '-X', method], headers(plain));
        expect([mode, answered]).toEqual([mode, expected]);
      }
      for (const mode of ['--http1.1', '--http2']) {
        const answered = await curl(secureOrigin(secure) + path, [mode, '-X', method], headers(secure));
        expect([mode, answered]).toEqual([mode, expected]);
      }
    },
  );

  it.each(REFUSALS)('over fetch: $expectedOutput', async ({ largeBytes = 40 * MB, ...refusal }) => {
    const { path, headers, expectedOutput: expected, method = 'POST' } = refusal;
    const pairs = headers(plain).map((line): [string, string] => {
      const at = line.indexOf(':');
      return [line.slice(0, at), line.slice(at + 1)];
    });
    const body = Buffer.alloc(largeBytes, 'x');
    const answer = await fetch(origin(plain) + path, { method, headers: pairs, body });
    expect(expectedOutput(answer.status, await answer.text())).toBe(expected);
  });

  it('over the HTTP/2 client of node, whose session stays open', async () => {
    // What the client holds for a session is bounded as well.
    const session = connectHttp2(origin(plain), { maxSessionMemory: 200 });
    const body = 'x'.repeat(40 * MB);
    const head = { ':method': 'POST', ':path': KEYS, 'content-type': 'application/json' };
    for (let count = 0; count < 3; count += 1) {
      const answer = await stream(session, { ...head, authorization: 'Bearer wrong' }, body);
      expect(expectedOutput(answer.status, answer.body)).toBe('401 invalid_api_key');
    }
    expect((await stream(session, { ':path': '/healthz' })).status).toBe(200);
    session.destroy();
  });

  it.each(['KeyService/CreateKey', 'ChatService/CreateChatCompletion', 'ChatService/StreamChatCompletion'])(
    'over gRPC with @grpc/grpc-js: %s',
    async (method) => {
      const client = new grpc.Client(`127.0.0.1:${plain.port}`, grpc.credentials.createInsecure());
      const isAdministration = method.startsWith('Key');
      const good = isAdministration ? plain.managementKey : plain.apiKey;
      const call = (secret: string) =>
        new Promise<number | undefined>((resolve) => {
          const metadata = new grpc.Metadata();
          metadata.set('authorization', `Bearer ${secret}`);
          const same = (bytes: Buffer) => bytes;
          const path = `/byway.v1.${method}`;
          client.makeUnaryRequest(path, same, same, Buffer.alloc(40 * MB), metadata, (error) =>
            resolve(error?.code),
          );
        });
      expect(await call('wrong')).toBe(grpc.status.UNAUTHENTICATED);
      expect(await call(good)).toBe(grpc.status.RESOURCE_EXHAUSTED);
      expect(await call('wrong')).toBe(grpc.status.UNAUTHENTICATED);
      client.close();
    },
  );

  it('over urllib: 429', async () => {
    const headers = [JSON_TYPE, bearer(limited.managementKey)];
    expect(await urllib(origin(limited) + KEYS, 10, 1, 'length', headers)).toEqual(['201']);
    const answers = await urllib(origin(limited) + KEYS, 5 * MB, 10, 'length', headers);
    expect(answers).toEqual(Array.from({ length: 10 }, () => '429 rate_limited'));
  });
});

describe('a connection whose request was answered early', { timeout: 60_000 }, () => {
  it('is reused as soon as the body is complete', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<number | undefined>();
    const ask = (size: number) =>
      new Promise<number | undefined>((resolve, reject) => {
        const sent = http.request(
          origin(plain) + CHAT,
          { agent, method: 'POST', headers: { 'content-length': size } },
          (response) => response.resume().once('end', () => resolve(response.statusCode)),
        );
        sent.once('socket', ({ localPort }) => sent.once('finish', () => ports.add(localPort)));
        sent.once('error', reject).end(Buffer.alloc(size));
      });
    for (const size of [5 * MB, 10, 5 * MB]) expect(await ask(size)).toBe(401);
    agent.destroy();
    expect(ports.size).toBe(1);
  });

  it('is closed after a while when its client keeps sending slowly', async () => {
    for (const connection of ['close', 'keep-alive']) {
      const slow = connectRaw(plain.port, true);
      slow.socket.write(head(connection));
      const trickle = setInterval(() => slow.socket.writable && slow.socket.write('x'), 100);
      const startedMs = performance.now();
      await slow.closed;
      clearInterval(trickle);
      expect(slow.received).toContain('HTTP/1.1 401 Unauthorized');
      expect(performance.now() - startedMs).toBeGreaterThan(4_000);
    }
  });

  it('is reset without an error after a while over HTTP/2', async () => {
    const session = connectHttp2(origin(plain));
    const sent = session.request({ ':method': 'POST', ':path': KEYS, authorization: 'Bearer wrong' });
    const trickle = setInterval(() => sent.writable && sent.write('x'), 100);
    const status = new Promise((resolve) => sent.once('response', (headers) => resolve(headers[':status'])));
    const code = new Promise((resolve) => sent.once('close', () => resolve(sent.rstCode)));
    sent.resume();
    expect([await status, await code]).toEqual([401, 0]);
    clearInterval(trickle);
    session.destroy();
  });

  it('does not delay a server that drains', async () => {
    const slow = connectRaw(limited.port, true);
    slow.socket.write(head('close'));
    const trickle = setInterval(() => slow.socket.writable && slow.socket.write('x'), 100);
    await until(() => slow.received.includes('401 Unauthorized'));
    expect(await limited.stop()).toBe(0);
    clearInterval(trickle);
    slow.socket.destroy();
  });
});

/** A request that is refused before its body, which is long. */
function head(connection: string): string {
  return `POST ${CHAT} HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\nContent-Length: 5000000\r\n\r\n`;
}
