import http from 'node:http';
import http2 from 'node:http2';
import zlib from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Plane } from '../../gen/byway/options/v1/options_pb.js';
import { CONTENT_CODINGS } from '../../src/http/content-coding.js';
import { compileOperations } from '../../src/rest/compile.js';
import { launchGateway, type TestGateway } from '../support/gateway.js';
import { type Answer, refusalOf, send } from '../support/rest.js';

let gateway: TestGateway & { stop(): Promise<void> };

beforeAll(async () => {
  gateway = await launchGateway();
});
afterAll(() => gateway.stop());

const MESSAGES = [{ role: 'user', content: 'Hello, é' }];
const CHAT = { model: 'demo/echo', messages: MESSAGES };

/** Of each API, whose errors have forms of their own. */
const CALLS: Readonly<Record<string, object>> = {
  '/chat/completions': CHAT,
  '/messages': { ...CHAT, max_tokens: 50 },
  '/messages/count_tokens': CHAT,
  '/routing/explain': CHAT,
};

type Encode = (bytes: Buffer) => Buffer;

/** Zstandard only where this Node has it: `test/http/zstd-frames.test.ts` has the rest. */
const { zstdCompressSync } = zlib as { zstdCompressSync?: Encode };
const ENCODERS: Readonly<Record<string, Encode>> = {
  gzip: (bytes) => zlib.gzipSync(bytes),
  br: (bytes) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }),
  ...(zstdCompressSync !== undefined && { zstd: zstdCompressSync }),
};
const KINDS = Object.entries(ENCODERS);
const TAKEN = Object.keys(ENCODERS).join(', ');

function post(path: string, body: Buffer, headers: http.OutgoingHttpHeaders = {}): Promise<Answer> {
  return send(`${gateway.rest}${path}`, 'POST', {
    headers: { authorization: `Bearer ${gateway.apiKey}`, ...headers },
    body,
  });
}

const jsonOf = (body: object) => Buffer.from(JSON.stringify(body));

describe('bodies of inference may be compressed', () => {
  it.each(KINDS.flatMap(([name, encode]) => Object.keys(CALLS).map((path) => [name, path, encode] as const)))(
    '%s at %s',
    async (name, path, encode) => {
      const body = jsonOf(CALLS[path] ?? {});
      const answer = await post(path, encode(body), { 'content-encoding': name });
      expect([answer.status, Object.keys(JSON.parse(answer.text))]).toEqual([
        200,
        Object.keys(JSON.parse((await post(path, body)).text)),
      ]);
    },
  );

  it.each(['GZIP', 'x-gzip', 'X-Gzip', ' gzip ', 'identity, gzip', 'gzip, identity', ',gzip,'])(
    'as `%s`, which is gzip',
    async (coding) => {
      const answer = await post('/chat/completions', zlib.gzipSync(jsonOf(CHAT)), {
        'content-encoding': coding,
      });
      expect(answer.status).toBe(200);
    },
  );

  it.each(['identity', 'Identity', '', ' , '])('`%s` is none', async (coding) => {
    expect((await post('/chat/completions', jsonOf(CHAT), { 'content-encoding': coding })).status).toBe(200);
  });

  it('streams are answered as ever', async () => {
    const { text } = await post('/chat/completions', zlib.gzipSync(jsonOf({ ...CHAT, stream: true })), {
      'content-encoding': 'gzip',
    });
    expect(text).toContain('data: [DONE]');
  });

  it.each(KINDS)('%s byte by byte, without a length, and after 100 Continue', async (name, encode) => {
    const headers = { 'content-encoding': name, expect: '100-continue', 'transfer-encoding': 'chunked' };
    const bytes = encode(jsonOf(CHAT));
    const [status, continued] = await new Promise<[number | undefined, boolean]>((resolve, reject) => {
      let wasContinued = false;
      const request = http.request(`${gateway.rest}/chat/completions`, {
        method: 'POST',
        agent: false,
        headers: {
          authorization: `Bearer ${gateway.apiKey}`,
          'content-type': 'application/json',
          ...headers,
        },
      });
      request.on('error', reject);
      request.on('continue', async () => {
        wasContinued = true;
        for (const byte of bytes) {
          request.write(Buffer.from([byte]));
          await new Promise(setImmediate);
        }
        request.end();
      });
      request.on('response', (response) => {
        response.resume();
        resolve([response.statusCode, wasContinued]);
      });
      request.flushHeaders();
    });
    expect([status, continued]).toEqual([200, true]);
  });

  it.each(KINDS)('%s over HTTP/2', async (name, encode) => {
    const session = http2.connect(gateway.url);
    try {
      const request = session.request({
        ':method': 'POST',
        ':path': '/v1/chat/completions',
        authorization: `Bearer ${gateway.apiKey}`,
        'content-type': 'application/json',
        'content-encoding': name,
      });
      request.end(encode(jsonOf(CHAT)));
      const [headers] = await new Promise<[http2.IncomingHttpHeaders]>((resolve, reject) => {
        request.on('response', (answered) => resolve([answered]));
        request.on('error', reject);
      });
      request.resume();
      expect(headers[':status']).toBe(200);
    } finally {
      session.close();
    }
  });

  it.each(KINDS.filter(([name]) => name !== 'br'))(
    '%s of several members is their contents',
    async (name, encode) => {
      const text = jsonOf(CHAT);
      const body = Buffer.concat([
        encode(text.subarray(0, 9)),
        encode(Buffer.alloc(0)),
        encode(text.subarray(9)),
      ]);
      expect((await post('/chat/completions', body, { 'content-encoding': name })).status).toBe(200);
    },
  );
});

describe('other codings are 415, which names those that are taken', () => {
  it.each(['deflate', 'compress', 'gzip, br', 'gzip, gzip', 'br,deflate', 'aes128gcm', 'gzip;q=1'])(
    '`%s`',
    async (coding) => {
      const answer = await post('/chat/completions', zlib.gzipSync(jsonOf(CHAT)), {
        'content-encoding': coding,
      });
      expect(refusalOf(answer)).toEqual([415, 'unsupported_encoding']);
      expect(answer.headers['accept-encoding']).toBe(TAKEN);
      expect(JSON.parse(answer.text).error.message).toBe(
        `Content-Encoding: must be one of ${TAKEN}, or left out`,
      );
    },
  );

  it('in the words of the API', async () => {
    const { status, text } = await post('/messages', jsonOf({}), { 'content-encoding': 'deflate' });
    expect([status, JSON.parse(text)]).toMatchObject([
      415,
      { type: 'error', error: { type: 'invalid_request_error' } },
    ]);
  });

  it('zstd, where this Node has none', async () => {
    const { status } = await post('/chat/completions', jsonOf(CHAT), { 'content-encoding': 'zstd' });
    expect(status).toBe(CONTENT_CODINGS.includes('zstd') ? 400 : 415);
  });

  it('whoever has no credential is told that first', async () => {
    const { status } = await post('/chat/completions', jsonOf(CHAT), {
      authorization: '',
      'content-encoding': 'deflate',
    });
    expect(status).toBe(401);
  });

  it('bodies of all operations but those of inference must not be compressed', async () => {
    const operations = compileOperations(gateway.gateway.services.map(({ service }) => service));
    const answers = await Promise.all(
      operations
        .filter(({ body }) => body !== undefined)
        .map(async ({ httpMethod, path, rule }) => {
          const isManaged = rule.plane !== Plane.INFERENCE;
          const key = isManaged ? gateway.managementKey : gateway.apiKey;
          const headers = { authorization: `Bearer ${key}`, 'content-encoding': 'gzip' };
          const url = `${gateway.rest}${path.replaceAll(/\{\w+\}/g, 'x')}`;
          const { status } = await send(url, httpMethod, { headers, body: zlib.gzipSync(Buffer.from('{}')) });
          return { path, isManaged, status };
        }),
    );
    expect(answers.filter(({ isManaged, status }) => isManaged && status !== 415 && status !== 403)).toEqual(
      [],
    );
    expect(answers.filter(({ isManaged, status }) => !isManaged && status === 415)).toEqual([]);
  });
});

describe('what is not compressed so is 400', () => {
  const cases = KINDS.flatMap(([name, encode]) => {
    const whole = encode(jsonOf(CHAT));
    const flipped = Buffer.from(whole);
    flipped.writeUInt8(whole.readUInt8(2) ^ 0xff, 2);
    return [
      [name, 'plain JSON', jsonOf(CHAT)],
      [name, 'cut by one byte', whole.subarray(0, -1)],
      [name, 'cut in the middle', whole.subarray(0, whole.length / 2)],
      [name, 'one byte alone', whole.subarray(0, 1)],
      [name, 'text behind it', Buffer.concat([whole, Buffer.from('garbage')])],
      [name, 'zeros behind it', Buffer.concat([whole, Buffer.alloc(8)])],
      [name, 'one byte behind it', Buffer.concat([whole, Buffer.from([0x1f])])],
      [name, 'another byte', flipped],
    ] as const;
  });

  it.each(cases)('%s: %s', async (name, _, body) => {
    const answer = await post('/chat/completions', body, { 'content-encoding': name });
    expect(refusalOf(answer)).toEqual([400, 'invalid_request', ' compression']);
    expect(JSON.parse(answer.text).error.message).toBe(
      'The body is not compressed as Content-Encoding says, or not whole',
    );
  });

  it('brotli may be followed by nothing, another stream neither', async () => {
    const whole = zlib.brotliCompressSync(jsonOf(CHAT));
    const answer = await post('/chat/completions', Buffer.concat([whole, whole]), {
      'content-encoding': 'br',
    });
    expect(refusalOf(answer)).toEqual([400, 'invalid_request', ' compression']);
  });

  it.each(KINDS)('%s of nothing is an empty body, and nothing at all too', async (name, encode) => {
    const headers = { 'content-encoding': name };
    const plain = refusalOf(await post('/chat/completions', Buffer.alloc(0)));
    expect(plain[0]).toBe(400);
    expect(refusalOf(await post('/chat/completions', Buffer.alloc(0), headers))).toEqual(plain);
    expect(refusalOf(await post('/chat/completions', encode(Buffer.alloc(0)), headers))).toEqual(plain);
  });

  it('in the words of the API', async () => {
    const { status, text } = await post('/messages', Buffer.from('{}'), { 'content-encoding': 'gzip' });
    expect([status, JSON.parse(text)]).toMatchObject([
      400,
      { type: 'error', error: { type: 'invalid_request_error' } },
    ]);
  });
});

it.each(KINDS)('a client that leaves while it sends %s does no harm', async (name, encode) => {
  const bytes = encode(jsonOf(CHAT));
  for (const headers of [{ 'content-length': bytes.length }, { 'transfer-encoding': 'chunked' }]) {
    const request = http.request(`${gateway.rest}/chat/completions`, {
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Bearer ${gateway.apiKey}`,
        'content-type': 'application/json',
        'content-encoding': name,
        ...headers,
      },
    });
    const ended = new Promise((resolve) => request.on('error', resolve).on('close', resolve));
    request.write(bytes.subarray(0, 5), () => setTimeout(() => request.destroy(), 20));
    await ended;
  }
  expect((await post('/chat/completions', bytes, { 'content-encoding': name })).status).toBe(200);
  expect(gateway.log.filter((line) => line.includes('"level":50'))).toEqual([]);
});
