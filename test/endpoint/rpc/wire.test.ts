import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchGateway } from '../../support/gateway.js';
import { bodyOf, type Call, caller, refusalOf, refused, send } from '../../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let manage: Call;
let use: Call;

beforeAll(async () => {
  gateway = await launchGateway();
  manage = caller(gateway, gateway.managementKey);
  use = caller(gateway, gateway.apiKey);
});
afterAll(() => gateway.stop());

const MIB = 1024 * 1024;
const post = (body: string | Buffer, headers = {}) => manage('POST', '/keys', body, headers);

/** Sends raw bytes on a connection of their own, and reads until the server ends it. */
function exchange(...pieces: (string | Buffer)[]): Promise<string> {
  const { hostname, port } = new URL(gateway.url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let received = '';
    socket.setEncoding('utf8').on('data', (text) => {
      received += text;
    });
    socket.on('error', () => {}).on('close', () => resolve(received));
    for (const piece of pieces) socket.write(piece);
  });
}

function head(method: string, path: string, ...headers: string[]): string {
  return [`${method} /api/v1${path} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers, '', ''].join(
    '\r\n',
  );
}

const authorization = () => `Authorization: Bearer ${gateway.managementKey}`;
const statusOf = (answer: string) => Number(answer.split(' ', 2)[1]);

describe('bodies that are not JSON', () => {
  it.each([
    '{',
    '{"name":"n"',
    "{'name':'n'}",
    '{"name":"n",}',
    '{"name":"n"}{}',
    'name=n',
    'NaN',
    '\u0000',
    '{"name":"\u0001"}',
    '{"name":01}',
    '// comment\n{}',
  ])('%j is 400 and names the rule', async (body) => {
    expect(await refused(gateway, () => post(body))).toEqual([400, 'invalid_request', ' json']);
  });

  it('bytes that are not UTF-8 are 400', async () => {
    for (const bytes of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80]]) {
      const body = Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('"}')]);
      expect(await refused(gateway, () => post(body))).toEqual([400, 'invalid_request', ' json']);
    }
  });

  it('nothing of the body is echoed', async () => {
    const { text } = await manage('POST', '/byok', '{"provider":"a","key": sk-canary-0123456789');
    expect(text).not.toContain('canary');
  });

  it.each([
    ['objects', '{"name":'.repeat(100_000), '}'.repeat(100_000)],
    ['arrays', '['.repeat(500_000), ']'.repeat(500_000)],
  ])('deep %s are 400, and the next request is served', async (_, open, close) => {
    const [status] = await refused(gateway, () => post(`${open}1${close}`));
    expect(status).toBe(400);
    const chat = (depth: number) =>
      `{"model":"test/m1","messages":[{"role":"user","content":"x"}],"deep":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    for (const [depth, violation] of [
      [4e4, 'deep depth'],
      [1e6, ' count'],
    ] as const) {
      expect(refusalOf(await use('POST', '/chat/completions', chat(depth)))).toEqual([
        400,
        'invalid_request',
        violation,
      ]);
    }
    expect((await manage('GET', '/keys')).status).toBe(200);
  });
});

describe('sizes', () => {
  const padded = (bytes: number) => `${' '.repeat(bytes - 12)}{"name":"n"}`;

  it('1 MiB of administration, to the byte', async () => {
    expect((await post(padded(MIB))).status).toBe(201);
    expect(await refused(gateway, () => post(padded(MIB + 1)))).toEqual([413, 'body_too_large']);
  });

  it('32 MiB of inference, to the byte', async () => {
    const chat = JSON.stringify({ model: 'test/m1', messages: [{ role: 'user', content: 'x' }] });
    const body = (bytes: number) =>
      Buffer.concat([Buffer.alloc(bytes - chat.length, ' '), Buffer.from(chat)]);
    expect((await use('POST', '/chat/completions', body(32 * MIB))).status).toBe(200);
    const [status, reason] = refusalOf(await use('POST', '/chat/completions', body(32 * MIB + 1)));
    expect([status, reason]).toEqual([413, 'body_too_large']);
  });

  it('a body that is too large by its content-length is refused before its first byte', async () => {
    const answer = await exchange(
      head('POST', '/keys', authorization(), 'Content-Type: application/json', `Content-Length: ${MIB + 1}`),
    );
    expect(statusOf(answer)).toBe(413);
  });

  it('chunks over the limit are 413 however they are split', async () => {
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    const start = head(
      'POST',
      '/keys',
      authorization(),
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    );
    expect(statusOf(await exchange(start, chunk.repeat(17), '0\r\n\r\n'))).toBe(413);
    const body = '{"name":"n"}';
    const fits = await exchange(start, `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    expect(statusOf(fits)).toBe(201);
  });

  it('without a credential the size is not checked', async () => {
    expect(refusalOf(await caller(gateway)('POST', '/keys', padded(MIB + 1)))).toEqual([
      401,
      'missing_authentication',
    ]);
  });
});

describe('content types', () => {
  it.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=latin1',
    'application/jsonx',
    'application/proto',
    'application/grpc',
    'application/connect+json',
    'json',
    'application/json, application/json',
  ])('%s is 415', async (contentType) => {
    const call = () => post('{"name":"n"}', { 'content-type': contentType });
    expect(await refused(gateway, call)).toEqual([415, 'unsupported_media_type']);
  });

  it.each([
    'application/json',
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'APPLICATION/JSON',
    'application/json; charset="utf-8"',
  ])('%s is accepted', async (contentType) => {
    expect((await post('{"name":"n"}', { 'content-type': contentType })).status).toBe(201);
  });

  it('a body without a content type is 415', async () => {
    const answer = await exchange(
      head('POST', '/keys', authorization(), 'Content-Length: 12'),
      '{"name":"n"}',
    );
    expect(statusOf(answer)).toBe(415);
  });
});

describe('headers of requests', () => {
  it('too many or too large ones are 431, in the envelope', async () => {
    const large = await exchange(head('GET', '/models', `X-Large: ${'x'.repeat(20_000)}`));
    const many = await exchange(
      head('GET', '/models', ...Array.from({ length: 150 }, (_, i) => `X-${i}: x`)),
    );
    for (const answer of [large, many]) {
      expect(statusOf(answer)).toBe(431);
      expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ error: { code: 431 } });
    }
  });

  it.each([
    ['no Host', 'GET /api/v1/models HTTP/1.1\r\n\r\n'],
    ['two Hosts', 'GET /api/v1/models HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
    [
      'two lengths',
      'POST /api/v1/keys HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
    ],
    [
      'a length and chunks',
      'POST /api/v1/keys HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
    ['no HTTP', 'nonsense\r\n\r\n'],
    ['a space before the colon', 'GET /api/v1/models HTTP/1.1\r\nHost : a\r\n\r\n'],
  ])('%s: 400 in the envelope', async (_, request) => {
    const answer = await exchange(request);
    expect(statusOf(answer)).toBe(400);
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
    expect(body).toMatchObject({ error: { code: 400, metadata: { reason: 'invalid_request' } } });
    expect(answer).toMatch(/^x-content-type-options: nosniff\r$/im);
    expect(answer).toMatch(/^x-request-id: \S+\r$/im);
  });
});

describe('paths', () => {
  it.each(['%', '%ZZ', '%2', '%E0%A4%A', 'a%FFb', '%C3%28'])('an invalid escape %s is 404', async (part) => {
    expect(await refused(gateway, () => manage('GET', `/keys/${part}`))).toEqual([404, 'not_found']);
    expect(await refused(gateway, () => manage('PATCH', `/byok/${part}`, {}))).toEqual([404, 'not_found']);
    expect(refusalOf(await use('GET', `/models/test/${part}/endpoints`))).toEqual([404, 'not_found']);
    expect(refusalOf(await use('GET', `/${part}`))).toEqual([404, 'unknown_path']);
  });

  it('an escaped name is decoded', async () => {
    const hash = gateway.apiKeyHash.replace(/^./, (first) => `%${first.charCodeAt(0).toString(16)}`);
    expect((await manage('GET', `/keys/${hash}`)).status).toBe(200);
  });
});

describe('HEAD answers like GET, without the body', () => {
  it.each([
    '/models',
    '/models/user',
    '/models/user?limit=1',
    '/key',
    '/providers',
    '/models/test/m1/endpoints',
    '/keys',
  ])('%s', async (path) => {
    const [get, headed] = [await use('GET', path), await use('HEAD', path)];
    const compared = ['content-type', 'content-length', 'etag', 'cache-control', 'x-content-type-options'];
    const shown = (answer: typeof get) => [answer.status, ...compared.map((name) => answer.headers[name])];
    expect([headed.text, shown(headed)]).toEqual(['', shown(get)]);
  });

  it('also for probes and unknown paths', async () => {
    for (const path of ['/healthz', '/readyz', '/api/v1/nothing', `/api/v1/models/x/y/endpoints`]) {
      const [get, headed] = [await send(gateway.url + path, 'GET'), await send(gateway.url + path, 'HEAD')];
      expect([path, headed.status, headed.text]).toEqual([path, get.status, '']);
    }
  });
});

it('malformed requests do not harm the server', async () => {
  expect(bodyOf(await send(`${gateway.url}/healthz`, 'GET'))).toEqual({ status: 'ok' });
});
