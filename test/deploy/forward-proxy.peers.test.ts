/** The built gateway behind Squid, where nothing but the proxy leads out and certificates are of a private authority. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer } from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { demoModel } from '../support/catalog.js';
import { type Authority, privateAuthority } from '../support/certificates.js';
import { FAKE_API_KEY, startFakeOpenAi } from '../support/fakes/fake-openai.js';
import { hear } from '../support/providers.js';
import { caller, recordOf } from '../support/rest.js';
import { startServerProcess } from '../support/server-process.js';
import { hasSquid, type SquidOptions, startSquid } from '../support/squid.js';
import { waitFor } from '../support/wait-for.js';

const USER = { name: 'gateway', password: 'p@ss:word-of-the-proxy' };
const ENDLESS = { words: Array.from({ length: 500 }, () => 'word'), paceMs: 50 };

/** A fake behind TLS, with a certificate for `localhost`. */
async function startSecureFake(authority: Authority) {
  const fake = await startFakeOpenAi();
  const target = new URL(fake.baseUrl);
  const server = createServer(authority.issue('DNS:localhost'), (socket) => {
    const plain = connect(Number(target.port), target.hostname);
    socket.pipe(plain).pipe(socket);
    for (const end of [socket, plain]) end.on('error', () => undefined);
    socket.on('close', () => plain.destroy());
    plain.on('close', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { fake, host: `localhost:${port}`, baseUrl: `https://localhost:${port}${target.pathname}` };
}

interface Setup extends SquidOptions {
  /** Before the proxy's host. */
  readonly userInfo?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the gateway trusts the authority. */
  readonly isTrusted?: boolean;
  readonly hasTls?: boolean;
}

async function start({ userInfo = '', env = {}, isTrusted = true, hasTls = false, ...options }: Setup = {}) {
  const authority = privateAuthority();
  const { fake, host, baseUrl } = await startSecureFake(authority);
  const tls = hasTls ? { tls: authority.issue('DNS:localhost') } : {};
  const squid = await startSquid({ ...options, ...tls });
  const folder = mkdtempSync(join(tmpdir(), 'byway-squid-catalog-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const catalog = {
    providers: [{ slug: 'openai', name: 'OpenAI', adapter: 'openai', base_url: baseUrl }],
    models: [demoModel('test/m', [{ provider: 'openai', upstream_model_id: 'm' }])],
  };
  writeFileSync(join(folder, 'catalog.json'), JSON.stringify(catalog));
  const server = await startServerProcess({
    BYWAY_CATALOG: join(folder, 'catalog.json'),
    BYWAY_LOG_LEVEL: 'trace',
    BYWAY_ADMIN_RATE_PER_MINUTE: '0',
    HTTPS_PROXY: squid.url.replace('://', `://${userInfo}`),
    ...(isTrusted && { NODE_EXTRA_CA_CERTS: authority.file }),
    ...env,
  });
  onTestFinished(async () => void (await server.stop()));
  const gateway = { rest: `http://127.0.0.1:${server.port}/api/v1` };
  const manage = caller(gateway, server.managementKey);
  const keyId = String(recordOf(await manage('POST', '/byok', { provider: 'openai', key: FAKE_API_KEY })).id);
  const body = (stream: boolean) => ({
    ...{ model: 'test/m', stream },
    messages: [{ role: 'user', content: 'Hi' }],
  });
  return {
    ...{ fake, host, squid, server },
    logged: () => server.output.join('\n'),
    chat: async (stream = false) =>
      hear(await caller(gateway, server.apiKey)('POST', '/chat/completions', body(stream))),
    /** A stream whose first bytes have come. */
    async begun(client: AbortController) {
      const answer = await fetch(`${gateway.rest}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body(true)),
        signal: client.signal,
      });
      const reader = answer.body?.getReader();
      await reader?.read();
      return answer.status;
    },
    test: async () => recordOf(await manage('POST', `/byok/${keyId}/test`)),
  };
}

describe.skipIf(!hasSquid())('a gateway behind Squid', () => {
  it('reaches https hosts of a private authority by tunnels, which are kept: one for twenty chats', async () => {
    const { chat, squid, host, server, fake } = await start();
    for (let count = 0; count < 20; count += 1) {
      expect(await chat(count % 2 === 1)).toMatchObject({ status: 200, isDone: true });
    }
    expect(await squid.openTunnels()).toEqual([host]);
    expect(fake.connections).toBe(1);
    await server.stop();
    await waitFor(() => expect(squid.ended()).toEqual([`CONNECT ${host} 200 -`]));
  });

  it('leaves a tunnel within a second of the client that has gone', async () => {
    const { begun, squid, host, fake } = await start();
    fake.plan('m', ENDLESS);
    const client = new AbortController();
    expect(await begun(client)).toBe(200);
    expect(await squid.openTunnels()).toEqual([host]);
    client.abort();
    await vi.waitFor(
      async () => {
        expect(await squid.openTunnels()).toEqual([]);
        expect(fake.aborts).toBe(1);
      },
      { timeout: 1_000, interval: 20 },
    );
    // undici 7 connects once more when a request is aborted, for none: its tunnel may be among those that have ended.
    expect(new Set(squid.ended())).toEqual(new Set([`CONNECT ${host} 200 -`]));
    expect(fake.requests.length).toBe(1);
  });

  it('gives the proxy user and password, which nobody else sees', async () => {
    const userInfo = `${USER.name}:${encodeURIComponent(USER.password)}@`;
    const { chat, squid, host, server, logged, fake } = await start({ user: USER, userInfo });
    expect(await chat()).toMatchObject({ status: 200 });
    expect(Object.keys(fake.requests[0]?.headers ?? {})).not.toContain('proxy-authorization');
    await server.stop();
    await waitFor(() => expect(squid.ended()).toEqual([`CONNECT ${host} 200 ${USER.name}`]));
    expect(logged()).not.toMatch(/word-of-the-proxy|Basic /);
  });

  it.each(['', `${USER.name}:wrong-word@`])(
    'says that the proxy refuses user and password: "%s"',
    async (userInfo) => {
      const { chat, test, logged, squid } = await start({ user: USER, userInfo });
      const heard = await chat();
      expect(heard.status).toBe(502);
      expect(heard.error?.message).toContain(
        "the gateway's proxy refused its user name and password (PROXY_407)",
      );
      expect(heard.error?.metadata?.provider_responses).toMatchObject([{ error: 'proxy', status: null }]);
      expect(await test()).toMatchObject({
        ...{ ok: false, reason: 'unreachable' },
        detail: expect.stringContaining('set them in the URL of HTTPS_PROXY'),
      });
      expect(squid.ended()[0]).toMatch(/ 407 /);
      expect(logged()).toContain('"code":"PROXY_407"');
      expect(heard.text + logged()).not.toMatch(/wrong-word|Basic /);
    },
  );

  it('calls hosts of NO_PROXY directly', async () => {
    const { chat, squid, server } = await start({ env: { NO_PROXY: 'localhost' } });
    expect(await chat()).toMatchObject({ status: 200 });
    await server.stop();
    expect(squid.ended()).toEqual([]);
  });

  it('judges the host’s certificate itself', async () => {
    const { chat, squid, host } = await start({ isTrusted: false });
    const heard = await chat();
    expect(heard.status).toBe(502);
    expect(heard.error?.message).toContain('an authority that the gateway does not trust');
    await waitFor(() => expect(squid.ended()).toEqual([`CONNECT ${host} 200 -`]));
  });

  it('has no more tunnels than places at a host', async () => {
    const { begun, squid, host, fake } = await start({ env: { BYWAY_MAX_IN_FLIGHT_PER_ACCOUNT: '3' } });
    fake.plan('m', ENDLESS);
    const client = new AbortController();
    const streams = Array.from({ length: 6 }, () => begun(client).catch(() => null));
    await waitFor(async () => expect(await squid.openTunnels()).toEqual([host, host, host]));
    await sleep(500);
    expect(await squid.openTunnels()).toHaveLength(3);
    client.abort();
    await Promise.all(streams);
    await waitFor(async () => expect(await squid.openTunnels()).toEqual([]));
  });

  it('reaches a proxy that itself has TLS', async () => {
    const { chat, squid, host } = await start({ hasTls: true });
    expect(squid.url).toMatch(/^https:/);
    expect(await chat(true)).toMatchObject({ status: 200, isDone: true });
    expect(await squid.openTunnels()).toEqual([host]);
  });

  it('says that the certificate of its proxy is not trusted', async () => {
    const { chat } = await start({ hasTls: true, isTrusted: false });
    const heard = await chat();
    expect(heard.error?.message).toMatch(
      /the gateway's proxy can't be reached \(the proxy's certificate is signed by an authority/,
    );
  });
});
