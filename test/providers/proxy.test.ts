import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Proxies } from '../../src/base/proxies.js';
import { guardedConnector } from '../../src/providers/http/guard.js';
import { createHttp, type Http } from '../../src/providers/http/http.js';
import { proxiedConnector } from '../../src/providers/http/proxy.js';
import { readText } from '../../src/providers/http/read-body.js';
import { privateAuthority } from '../support/certificates.js';
import { startForwardProxy } from '../support/fakes/forward-proxy.js';
import { TENANCY } from '../support/tenancy.js';

const through = (url: string, exempt: readonly string[] = []): Proxies => ({
  https: new URL(url),
  http: new URL(url),
  exempt,
});

function httpThrough(proxies: Proxies): Http {
  const http = createHttp(proxiedConnector(proxies), undefined, proxies);
  onTestFinished(() => http.close());
  return http;
}

/** A host that answers with what it was asked; one path never ends. */
async function startHost(tls?: { cert: string; key: string }) {
  const seen: { url: string; host: string; headers: object; socket: Socket }[] = [];
  const serve: Parameters<typeof createServer>[1] = (request, response) => {
    const { url = '', headers, socket } = request;
    seen.push({ url, host: headers.host ?? '', headers, socket });
    response.writeHead(200, { 'content-type': 'text/plain' });
    if (url === '/forever') response.write('begun');
    else response.end('served');
  };
  const server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { seen, port: (server.address() as AddressInfo).port };
}

async function ask(http: Http, url: string, signal: AbortSignal = new AbortController().signal) {
  const request = { url: new URL(url), headers: {}, body: '{}', signal, tenancy: TENANCY };
  const { status, body } = await http.post(request);
  return { status, text: (await readText(body, 1024)).text };
}

describe('a request to an http URL', () => {
  it('is told to the proxy whole, over a connection that is kept', async () => {
    const [host, proxy] = [await startHost(), await startForwardProxy()];
    const http = httpThrough(through(proxy.url));
    for (let count = 0; count < 2; count += 1) {
      expect(await ask(http, `http://127.0.0.1:${host.port}/v1?a=b`)).toEqual({
        status: 200,
        text: 'served',
      });
    }
    expect(proxy.requests).toEqual(Array(2).fill(`POST http://127.0.0.1:${host.port}/v1?a=b`));
    expect(host.seen.map(({ url, host: name }) => [url, name])).toEqual(
      Array(2).fill(['/v1?a=b', `127.0.0.1:${host.port}`]),
    );
  });

  it('carries user name and password of the proxy’s URL to the proxy alone', async () => {
    const [host, proxy] = [await startHost(), await startForwardProxy({ credentials: 'user:p@ss word' })];
    const http = httpThrough(through(proxy.url.replace('//', '//user:p%40ss%20word@')));
    expect(await ask(http, `http://127.0.0.1:${host.port}/`)).toMatchObject({ status: 200 });
    expect(JSON.stringify(host.seen[0]?.headers)).not.toContain('proxy-authorization');
  });

  it('goes to a host of NO_PROXY directly', async () => {
    const [host, proxy] = [await startHost(), await startForwardProxy()];
    const http = httpThrough(through(proxy.url, ['127.0.0.0/8']));
    expect(await ask(http, `http://127.0.0.1:${host.port}/`)).toMatchObject({ status: 200 });
    expect(proxy.requests).toEqual([]);
  });
});

describe('a proxy that does not serve', () => {
  it.each([
    ['https', 407, 'PROXY_407', /refused its user name and password/],
    ['http', 407, 'PROXY_407', /refused its user name and password/],
    ['https', 403, 'PROXY_403', /answered with status 403/],
    ['https', 502, 'PROXY_502', /answered with status 502/],
  ])('%s, status %i: is told as the proxy’s doing', async (scheme, status, code, what) => {
    const proxy = await startForwardProxy();
    proxy.status = status;
    const http = httpThrough(through(proxy.url.replace('//', '//user:hidden-word@')));
    const thrown = await ask(http, `${scheme}://127.0.0.1:1/`).catch((error: unknown) => error);
    expect(thrown).toMatchObject({
      ...{ kind: 'upstream_error', error: 'proxy', status: null },
      network: { code, what: expect.stringMatching(what), advice: expect.any(String) },
    });
    expect(JSON.stringify(thrown) + String((thrown as Error).cause)).not.toContain('hidden-word');
  });

  it.each(['http', 'https'])('%s: is told with its code where nobody listens', async (scheme) => {
    const http = httpThrough(through('http://127.0.0.1:1'));
    await expect(ask(http, `${scheme}://127.0.0.1:2/`)).rejects.toMatchObject({
      error: 'proxy',
      network: {
        code: 'ECONNREFUSED',
        what: expect.stringContaining("the gateway's proxy can't be reached"),
      },
    });
  });
});

describe('a tunnel to an https URL', () => {
  it('ends at the host, whose certificate is judged here', async () => {
    const host = await startHost(privateAuthority().issue('IP:127.0.0.1'));
    const proxy = await startForwardProxy();
    const thrown = await ask(httpThrough(through(proxy.url)), `https://127.0.0.1:${host.port}/`).catch(
      (e) => e,
    );
    expect(thrown).toMatchObject({ error: 'tls', network: { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' } });
    expect(proxy.requests).toEqual([`CONNECT 127.0.0.1:${host.port}`]);
  });
});

describe('a host that a caller names, behind a proxy', () => {
  const lookups =
    (address: string | null) => (name: string, _: object, callback: (...given: never[]) => void) => {
      const error = Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
      if (address === null) Reflect.apply(callback, undefined, [error]);
      else Reflect.apply(callback, undefined, [null, [{ address, family: 4 }]]);
    };

  async function asked(url: string, address: string | null) {
    const host = await startHost();
    const proxy = await startForwardProxy({ leadsTo: host.port });
    const http = createHttp(guardedConnector(lookups(address) as never, through(proxy.url)));
    onTestFinished(() => http.close());
    const answer = await ask(http, url).catch((error: unknown) => error);
    return { host, proxy, answer, http };
  }

  it.each(['http://10.0.0.1/', 'http://127.0.0.1:8080/', 'http://[::1]/', 'http://private.example/'])(
    '%s is never asked of the proxy where that is a private address',
    async (url) => {
      const { proxy, answer } = await asked(url, '10.1.2.3');
      expect(answer).toMatchObject({ error: 'connect', cause: { code: 'EPRIVATE' } });
      expect(proxy.requests).toEqual([]);
    },
  );

  it('is reached at the address that was judged, by its own name', async () => {
    const { host, proxy, answer } = await asked('http://public.example/x', '93.184.215.14');
    expect(answer).toEqual({ status: 200, text: 'served' });
    expect(proxy.requests).toEqual(['CONNECT 93.184.215.14:80']);
    expect(host.seen[0]).toMatchObject({ url: '/x', host: 'public.example' });
  });

  it('that does not resolve here is refused as dns, but for an adapter’s own hosts', async () => {
    const { proxy, answer } = await asked('http://unknown.example/', null);
    expect(answer).toMatchObject({ error: 'dns', network: { code: 'ENOTFOUND' } });
    expect(proxy.requests).toEqual([]);
    const own = await asked('http://res.openai.azure.com/', null);
    expect(own.answer).toMatchObject({ status: 200 });
    expect(own.proxy.requests).toEqual(['CONNECT res.openai.azure.com:80']);
  });

  it('is left within a second of the client, tunnel included', async () => {
    const { http, host } = await asked('http://public.example/', '93.184.215.14');
    const client = new AbortController();
    const { body } = await http.post({
      ...{ url: new URL('http://public.example/forever'), headers: {}, body: '{}' },
      ...{ signal: client.signal, tenancy: TENANCY },
    });
    const ended = readText(body, 1024).catch((error: unknown) => error);
    const socket = host.seen.at(-1)?.socket;
    client.abort(new Error('gone'));
    await ended;
    await vi.waitFor(() => expect(socket?.destroyed).toBe(true), 1_000);
  });
});
