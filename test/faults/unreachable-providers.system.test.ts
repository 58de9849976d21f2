/** Providers that can't be reached, each in its own way: what the caller, the test of a key and the log say of it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoModel } from '../support/catalog.js';
import { privateAuthority } from '../support/certificates.js';
import { FAKE_API_KEY } from '../support/fakes/fake-openai.js';
import { hear } from '../support/providers.js';
import { type Call, caller, recordOf } from '../support/rest.js';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';

interface Trouble {
  readonly reason: 'connect' | 'dns' | 'reset' | 'timeout' | 'tls';
  readonly code: RegExp;
  /** What the caller reads. */
  readonly words: string;
  /** What the test of the key adds. */
  readonly advice: string;
}

const UNTRUSTED = {
  reason: 'tls',
  words: 'its certificate is signed by an authority that the gateway does not trust',
  advice: 'start the gateway with NODE_EXTRA_CA_CERTS=FILE',
} as const;
const NO_TLS = { reason: 'tls', words: 'no TLS connection could be agreed on' } as const;
const SCHEME = 'look at scheme and port of its URL';
const CLOSED = {
  reason: 'reset',
  code: /^(?:ECONNRESET|UND_ERR_SOCKET)$/,
  words: 'the host, or what stands before it, closed the connection',
  advice: 'look at firewalls',
} as const;

const TROUBLES: Readonly<Record<string, Trouble>> = {
  expired: {
    reason: 'tls',
    code: /^CERT_HAS_EXPIRED$/,
    words: 'its certificate has expired',
    advice: 'renew it at the host',
  },
  'wrong-name': {
    reason: 'tls',
    code: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    words: 'its certificate is for another host name',
    advice: 'call the host by a name that its certificate has',
  },
  'self-signed': { ...UNTRUSTED, code: /^DEPTH_ZERO_SELF_SIGNED_CERT$/ },
  'unknown-authority': { ...UNTRUSTED, code: /^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/ },
  'unknown-chain': { ...UNTRUSTED, code: /^SELF_SIGNED_CERT_IN_CHAIN$/ },
  'plain-http': { ...NO_TLS, code: /^(?:EPROTO|ERR_SSL_\w+)$/, advice: SCHEME },
  'old-tls': { ...NO_TLS, code: /^(?:EPROTO|ERR_SSL_\w+)$/, advice: SCHEME },
  'client-certificate': {
    ...NO_TLS,
    code: /^ERR_SSL_\w+HANDSHAKE_FAILURE$/,
    advice: 'demand a certificate of its clients',
  },
  refused: {
    reason: 'connect',
    code: /^ECONNREFUSED$/,
    words: 'the host refused it',
    advice: 'whether the server runs there',
  },
  unresolvable: {
    reason: 'dns',
    code: /^(?:ENOTFOUND|EAI_AGAIN)$/,
    words: 'host name',
    advice: 'look at the host of its URL and at the name server',
  },
  reset: CLOSED,
  closed: CLOSED,
  silent: {
    reason: 'timeout',
    code: /^UND_ERR_CONNECT_TIMEOUT$/,
    words: 'the host did not answer',
    advice: 'look at network and firewall',
  },
};

const MODEL = (name: string) => `test/${name}`;

const ends: (() => unknown)[] = [];
let server: ServerProcess;
let manage: Call;
let use: Call;
const keyIds = new Map<string, string>();

async function listen(listening: Server, scheme = 'https'): Promise<string> {
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  ends.push(() => listening.close());
  return `${scheme}://localhost:${(listening.address() as AddressInfo).port}/v1`;
}

const serve: Parameters<typeof createHttpServer>[1] = (_, response) => response.end('{}');

async function startHosts(): Promise<{ readonly urls: Record<string, string>; readonly trusted: string }> {
  const atEnd = (end: () => void) => void ends.push(end);
  const [known, unknown] = [privateAuthority(atEnd), privateAuthority(atEnd)];
  const good = known.issue('DNS:localhost');
  const stranger = unknown.issue('DNS:localhost');
  const secure = (options: ServerOptions) => listen(createHttpsServer(options, serve));
  const closed = createTcpServer();
  const refused = await listen(closed);
  await new Promise((resolve) => closed.close(resolve));
  const urls = {
    expired: await secure(known.issue('DNS:localhost', true)),
    'wrong-name': await secure(known.issue('DNS:other.example')),
    'self-signed': await secure(unknown.own),
    'unknown-authority': await secure(stranger),
    'unknown-chain': await secure({ ...stranger, cert: stranger.cert + unknown.own.cert }),
    'plain-http': await listen(createHttpServer(serve)),
    'old-tls': await secure({
      ...good,
      ...{ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
    }),
    'client-certificate': await secure({
      ...good,
      requestCert: true,
      rejectUnauthorized: true,
      maxVersion: 'TLSv1.2',
    }),
    refused,
    unresolvable: 'https://provider.invalid/v1',
    reset: await listen(createTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy()))),
    closed: await listen(createTcpServer((socket) => socket.once('data', () => socket.end()))),
    silent: await listen(createTcpServer((socket) => void ends.push(() => socket.destroy()))),
  };
  return { urls, trusted: known.file };
}

beforeAll(async () => {
  const { urls, trusted } = await startHosts();
  const folder = mkdtempSync(join(tmpdir(), 'byway-unreachable-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const providers = Object.entries(urls).map(([slug, base_url]) => ({
    ...{ slug, name: slug, adapter: 'openai', base_url },
  }));
  const models = providers.map(({ slug }) =>
    demoModel(MODEL(slug), [{ provider: slug, upstream_model_id: 'm' }]),
  );
  writeFileSync(join(folder, 'catalog.json'), JSON.stringify({ providers, models }));
  server = await startServerProcess({
    BYWAY_CATALOG: join(folder, 'catalog.json'),
    BYWAY_ADMIN_RATE_PER_MINUTE: '0',
    BYWAY_LOG_LEVEL: 'warn',
    NODE_EXTRA_CA_CERTS: trusted,
  });
  const gateway = { rest: `http://127.0.0.1:${server.port}/api/v1` };
  manage = caller(gateway, server.managementKey);
  use = caller(gateway, server.apiKey);
  for (const { slug } of providers) {
    const stored = recordOf(await manage('POST', '/byok', { provider: slug, key: FAKE_API_KEY }));
    keyIds.set(slug, String(stored.id));
  }
}, 60_000);

afterAll(async () => {
  await server?.stop();
  for (const end of ends.reverse()) await end();
});

describe('a provider that cannot be reached', () => {
  it.concurrent.each(Object.entries(TROUBLES))(
    '%s: is told with reason, code and words, and logged once a minute',
    async (name, { reason, code, words, advice }) => {
      const body = { model: MODEL(name), messages: [{ role: 'user', content: 'Hi' }] };
      const heard = hear(await use('POST', '/chat/completions', body));
      await use('POST', '/chat/completions', body);
      expect(heard.status).toBe(502);
      expect(heard.error?.metadata?.provider_responses).toMatchObject([{ error: reason, status: null }]);
      expect(heard.error?.message).toContain(words);

      const lines = server.output.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
      const logged = lines.filter(({ provider, level }) => provider === name && level === 40);
      expect(logged).toMatchObject([
        { reason, code: expect.stringMatching(code), msg: 'a provider cannot be reached' },
      ]);
      expect(heard.error?.message).toContain(`(${logged[0].code})`);

      const tested = recordOf(await manage('POST', `/byok/${keyIds.get(name)}/test`));
      expect(tested).toMatchObject({
        ok: false,
        status: null,
        reason: reason === 'timeout' ? 'timeout' : 'unreachable',
      });
      expect(tested.detail).toContain(words);
      expect(tested.detail).toContain(advice);
    },
    60_000,
  );
});
