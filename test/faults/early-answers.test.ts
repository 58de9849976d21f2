import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as grpc from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectHttp2, selfSigned, stream } from '../server/support.js';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';

const MB = 1_000_000;

/** Further requests to the same path are refused with 429 for a while. */
const RATE_PER_MINUTE = 300;

const folder = mkdtempSync(join(tmpdir(), 'byway-early-'));
const identity = selfSigned();

let plain: ServerProcess;
let secure: ServerProcess;

beforeAll(async () => {
  const file = (name: string, content: string | Buffer) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const rate = { BYWAY_ADMIN_RATE_PER_MINUTE: String(RATE_PER_MINUTE) };
  file('body', `{"name":"${'x'.repeat(5 * MB)}"}`);
  const cert = file('cert.pem', identity.cert);
  const key = file('key.pem', identity.key);
  plain = await startServerProcess(rate);
  secure = await startServerProcess({ ...rate, BYWAY_TLS_CERT: cert, BYWAY_TLS_KEY: key });
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
  readonly told: string;
  /** curl's own; POST when left out. */
  readonly method?: string;
}

const bearer = (secret: string) => `authorization:Bearer ${secret}`;

/** Every way to be refused before the body is read. */
const REFUSALS: readonly Refusal[] = [
  { path: KEYS, headers: () => [JSON_TYPE, bearer('bw-mgmt-wrong')], told: '401 invalid_api_key' },
  { path: CHAT, headers: () => [JSON_TYPE], told: '401 missing_authentication' },
  { path: KEYS, headers: ({ apiKey }) => [JSON_TYPE, bearer(apiKey)], told: '403 permission_denied' },
  { path: '/nowhere', headers: () => [JSON_TYPE], told: '404 unknown_path' },
  { path: KEYS, headers: () => [JSON_TYPE], told: '405 method_not_allowed', method: 'PUT' },
  {
    path: KEYS,
    headers: ({ managementKey }) => [JSON_TYPE, bearer(managementKey)],
    told: '413 body_too_large',
  },
  {
    path: CHAT,
    headers: ({ apiKey }) => ['content-type:text/plain', bearer(apiKey)],
    told: '415 unsupported_media_type',
  },
];

/** What each of so many requests of urllib was told. */
async function urllib(url: string, size: number, count: number, framing: string, headers: readonly string[]) {
  const program = 'test/faults/early-answers.py';
  const args = [program, url, String(size), String(count), framing, ...headers];
  const { stdout } = await promisify(execFile)('python3', args);
  return stdout.trim().split('\n');
}

/** What curl was told, however it ended. */
async function curl(url: string, options: readonly string[], headers: readonly string[]): Promise<string> {
  const all = ['-sS', '-k', '--max-time', '60', '--data-binary', `@${join(folder, 'body')}`, ...options];
  const more = headers.flatMap((header) => ['-H', header]);
  const { stdout } = await promisify(execFile)('curl', [...all, ...more, '-w', '\n%{http_code}', url]);
  const [body = '', status = ''] = stdout.split('\n');
  return told(Number(status), body);
}

function told(status: number, body: string): string {
  return `${status} ${JSON.parse(body).error.metadata.reason}`;
}

const origin = ({ port }: ServerProcess) => `http://127.0.0.1:${port}`;
const secureOrigin = ({ port }: ServerProcess) => `https://127.0.0.1:${port}`;

// Megabytes over a busy machine; how long they take is not what is tested.
describe('a refusal reaches a client that sends a large body first', { timeout: 120_000 }, () => {
  it.each(REFUSALS.filter(({ method }) => method === undefined))(
    'over urllib: $told',
    async ({ path, headers, told: expected }) => {
      for (const framing of ['length', 'chunks']) {
        const many = await urllib(origin(plain) + path, 5 * MB, 30, framing, headers(plain));
        expect(new Set(many)).toEqual(new Set([expected]));
        expect(many).toHaveLength(30);
        const tls = await urllib(secureOrigin(secure) + path, 5 * MB, 3, framing, headers(secure));
        expect(tls).toEqual([expected, expected, expected]);
      }
      expect(await urllib(origin(plain) + path, 40 * MB, 2, 'length', headers(plain))).toEqual([
        expected,
        expected,
      ]);
    },
  );

  it.each(REFUSALS)('over curl: $told', async ({ path, headers, told: expected, method = 'POST' }) => {
    const ways = [
      ['--http1.1', '-H', 'Expect: 100-continue'],
      ['--http1.1', '-H', 'Expect:', '-H', 'Connection: close'],
      ['--http1.1', '-H', 'Expect:', '-H', 'Transfer-Encoding: chunked'],
      ['--http2-prior-knowledge'],
    ];
    for (const way of ways) {
      const answered = await curl(origin(plain) + path, [...way, '-X', method], headers(plain));
      expect([way, answered]).toEqual([way, expected]);
    }
    for (const way of ['--http1.1', '--http2']) {
      const answered = await curl(secureOrigin(secure) + path, [way, '-X', method], headers(secure));
      expect([way, answered]).toEqual([way, expected]);
    }
  });

  it.each(REFUSALS)('over fetch: $told', async ({ path, headers, told: expected, method = 'POST' }) => {
    const pairs = headers(plain).map((line): [string, string] => {
      const at = line.indexOf(':');
      return [line.slice(0, at), line.slice(at + 1)];
    });
    const body = Buffer.alloc(40 * MB, 'x');
    const answer = await fetch(origin(plain) + path, { method, headers: pairs, body });
    expect(told(answer.status, await answer.text())).toBe(expected);
  });

  it('over the HTTP/2 client of node, whose session goes on', async () => {
    const session = connectHttp2(origin(plain));
    const body = 'x'.repeat(40 * MB);
    const head = { ':method': 'POST', ':path': KEYS, 'content-type': 'application/json' };
    for (let count = 0; count < 3; count += 1) {
      const answer = await stream(session, { ...head, authorization: 'Bearer wrong' }, body);
      expect(told(answer.status, answer.body)).toBe('401 invalid_api_key');
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

  it('429 reaches it as well', async () => {
    const headers = [JSON_TYPE, bearer(secure.managementKey)];
    const get = { headers: { authorization: `Bearer ${plain.managementKey}` } };
    for (let count = 0; count < RATE_PER_MINUTE; count += 1) await fetch(origin(plain) + KEYS, get);
    const answers = await urllib(origin(plain) + KEYS, 5 * MB, 10, 'length', [
      JSON_TYPE,
      bearer(plain.managementKey),
    ]);
    expect(new Set(answers)).toEqual(new Set(['429 rate_limited']));
    expect(headers).toHaveLength(2);
  });
});

describe('a connection whose request was answered early', { timeout: 60_000 }, () => {
  it('is used again as soon as the body has come whole', async () => {
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
    expect(ports.size).toBeLessThan(3);
  });
});
