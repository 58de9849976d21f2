import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { hostHeaders } from '../../src/byok/keys/host-headers.js';
import { keylessCredential } from '../../src/byok/kinds/bare-key.js';
import type { UpstreamCall } from '../../src/inference/ports/adapter.js';
import { createAdapter } from '../../src/providers/http/exchange.js';
import { createHttp } from '../../src/providers/http/http.js';
import { openAi } from '../../src/providers/openai/index.js';
import { TENANCY } from '../support/tenancy.js';

const VALUE = 'tenant-secret-0123456789abcdef';

/** Repeats the header in an error, or sends the caller elsewhere. */
async function startHost(location?: string) {
  const received: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    received.push(request.headers);
    if (location !== undefined) response.writeHead(307, { location }).end();
    else {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: `bad tenant ${request.headers['x-tenant']}` } }));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, received };
}

function startHttp() {
  const http = createHttp();
  onTestFinished(() => http.close());
  return http;
}

function post(url: string, baseUrl: string) {
  return startHttp().post({
    url: new URL(url),
    headers: {},
    body: '{}',
    signal: new AbortController().signal,
    tenancy: TENANCY,
    hostHeaders: hostHeaders(baseUrl, { 'X-Tenant': VALUE }),
  });
}

it("headers go to the origin of the provider's base_url, to no other and not after a redirect", async () => {
  const other = await startHost();
  const own = await startHost(`${other.url}/v1`);
  const { status } = await post(`${own.url}/v1/chat/completions`, `${own.url}/v1`);
  expect(status).toBe(307);
  await post(`${other.url}/token`, `${own.url}/v1`);
  expect(own.received.map((headers) => headers['x-tenant'])).toEqual([VALUE]);
  expect(other.received.map((headers) => headers['x-tenant'])).toEqual([undefined]);
});

it('their values are redacted from what the host says of them, and are never printed', async () => {
  const { url } = await startHost();
  const headers = hostHeaders(url, { 'X-Tenant': VALUE });
  const adapter = createAdapter(openAi({ http: startHttp(), inlineMedia: async (body) => body }), {
    now: () => 0,
  });
  const call = {
    tenancy: TENANCY,
    endpoint: { upstreamModelId: 'm', formats: ['chat'], quirks: {}, supportedParameters: [] },
    provider: { slug: 'acme', baseUrl: url, quirks: {} },
    region: null,
    credential: keylessCredential('openai'),
    hostHeaders: headers,
    format: 'chat',
    body: { model: 'm', messages: [{ role: 'user', content: 'Hi' }] },
    reasoning: null,
    signal: new AbortController().signal,
    onFirstByte: () => {},
  } as unknown as UpstreamCall<NonNullable<ReturnType<typeof keylessCredential>> & { adapter: 'openai' }>;
  await expect(adapter.complete(call)).rejects.toThrow('bad tenant [credential]');
  expect(JSON.stringify({ headers })).not.toContain(VALUE);
});
