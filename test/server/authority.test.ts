import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchGateway, type TestGateway } from '../support/gateway.js';
import { bodyOf, refusalOf, send } from '../support/rest.js';
import { connectHttp2, exchange, parseAnswer, stream } from './support.js';

let gateway: TestGateway & { readonly stop: () => Promise<void> };
beforeAll(async () => {
  gateway = await launchGateway();
});
afterAll(() => gateway.stop());

const PATH = '/api/v1/models?limit=1';

const BAD = [
  ...['user@host', 'user:word@host', 'a b', 'a/b', 'x/..', 'a?b', 'a#b', 'a\\b', '<script>', 'a"b', "a'b"],
  ...['[', '[]', '[::1', '::1', '[::1]]', '[1.2.3.4]', '[fe80::1%25eth0]', '[::g]', '[::1]x'],
  ...['host:65536', 'host:99999999999999999999', 'host:x', 'host:-1', 'host:80:80', ':80'],
  ...['%41', 'a%2fb', 'a%', 'a,b', 'a;b', 'a|b', 'a{b}', 'a^b', 'a`b', '1.2.3.999', 'x'.repeat(300)],
];

const GOOD = [
  'localhost',
  'Example.COM',
  'a-b_c.example',
  'example.com.',
  'example.com:',
  'example.com:443',
].concat([
  '127.0.0.1',
  '127.0.0.1:8080',
  '[::1]',
  '[::1]:8080',
  '[2001:db8::1]',
  'xn--bcher-kva.example',
  'host:65535',
]);

describe('a host that is not valid in a URL is refused, and gets into no URL', () => {
  it.each(BAD)('%j over HTTP/1.1', async (host) => {
    const answer = await send(gateway.url + PATH, 'GET', { headers: { host } });
    expect(refusalOf(answer)).toEqual([400, 'invalid_request']);
    if (host.length > 1) expect(answer.text).not.toContain(host);
  });

  it('none at all', async () => {
    for (const host of ['', ' ']) {
      const text = `GET ${PATH} HTTP/1.1\r\nHost:${host}\r\n\r\n`;
      expect(parseAnswer(await exchange(Number(new URL(gateway.url).port), text)).status).toBe(400);
    }
  });

  it.each(BAD)('%j over HTTP/2', async (host) => {
    const session = connectHttp2(gateway.url);
    // Some of them are an error of the protocol to nghttp2 already.
    const ask = (headers: object) =>
      stream(session, { ':path': PATH, ...headers }).catch(() => ({ status: 400 }));
    expect((await ask({ ':authority': host })).status).toBe(400);
    expect((await ask({ host })).status).toBe(400);
    session.destroy();
  });

  it.each(GOOD)('%j is accepted, and is the host of links', async (host) => {
    const answer = await send(gateway.url + PATH, 'GET', { headers: { host } });
    expect(answer.status).toBe(200);
    expect(bodyOf(answer).links).toMatchObject({ next: `http://${host}/api/v1/models?offset=1&limit=1` });
  });

  it('headers of a proxy do not replace it', async () => {
    const headers = {
      host: 'good.example',
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil.example',
    };
    const answer = await send(gateway.url + PATH, 'GET', { headers });
    expect(answer.text).not.toContain('evil.example');
    const openApi = await send(`${gateway.url}/openapi.json`, 'GET', { headers });
    expect(openApi.text).not.toContain('evil.example');
  });

  it('two hosts in a request of HTTP/2 must be the same', async () => {
    const session = connectHttp2(gateway.url);
    const ask = (host: string) => stream(session, { ':path': PATH, ':authority': 'a.example', host });
    expect([(await ask('a.example')).status, (await ask('b.example')).status]).toEqual([200, 400]);
    session.destroy();
  });
});
