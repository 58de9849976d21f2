import { request } from 'node:http';
import zlib from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchGateway, type TestGateway } from '../support/gateway.js';
import { type Answer, refusalOf, send } from '../support/rest.js';

let gateway: TestGateway & { stop(): Promise<void> };

beforeAll(async () => {
  gateway = await launchGateway();
});
afterAll(() => gateway.stop());

const MIB = 1024 * 1024;

type Encode = (bytes: Buffer) => Buffer;

const { zstdCompressSync } = zlib as { zstdCompressSync?: Encode };
const KINDS: [name: string, encode: Encode][] = [
  ['gzip', (bytes) => zlib.gzipSync(bytes)],
  ['br', (bytes) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } })],
  ...(zstdCompressSync === undefined ? [] : [['zstd', zstdCompressSync] satisfies [string, Encode]]),
];

function post(path: string, body: Buffer, coding: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${gateway.apiKey}`, 'content-encoding': coding };
  return send(`${gateway.rest}${path}`, 'POST', { headers, body });
}

function chatOf(bytes: number): Buffer {
  const chat = (content: string) => ({ model: 'demo/echo', messages: [{ role: 'user', content }] });
  const empty = JSON.stringify(chat('')).length;
  return Buffer.from(JSON.stringify(chat('a'.repeat(bytes - empty))));
}

/** Without having been made: of brotli, whose streams can't follow each other, an eighth. */
const GIGABYTE: Readonly<Record<string, (encode: Encode) => Buffer>> = {
  gzip: (encode) => Buffer.concat(Array.from({ length: 64 }, () => encode(Buffer.alloc(16 * MIB)))),
  br: (encode) => encode(Buffer.alloc(128 * MIB)),
  zstd: (encode) => Buffer.concat(Array.from({ length: 64 }, () => encode(Buffer.alloc(16 * MIB)))),
};

describe.each(KINDS)('what %s becomes is bounded', (name, encode) => {
  it('32 MiB are read, and a byte more is 413', async () => {
    expect((await post('/routing/explain', encode(chatOf(32 * MIB)), name)).status).not.toBe(413);
    const more = await post('/routing/explain', encode(chatOf(32 * MIB + 1)), name);
    expect(refusalOf(more)).toEqual([413, 'body_too_large']);
  });

  it('a gigabyte is given up when it has become too much', async () => {
    const body = GIGABYTE[name]?.(encode) ?? expect.fail(name);
    const before = process.memoryUsage().rss;
    const began = process.cpuUsage();
    const answer = await post('/chat/completions', body, name);
    const { user, system } = process.cpuUsage(began);
    expect(refusalOf(answer)).toEqual([413, 'body_too_large']);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * MIB);
    expect((user + system) / 1000).toBeLessThan(1_500);
  });

  it('eight at once keep nobody else waiting', async () => {
    const bomb = encode(Buffer.alloc(64 * MIB));
    let isOver = false;
    const bombs = Promise.all(Array.from({ length: 8 }, () => post('/chat/completions', bomb, name)));
    const ended = bombs.finally(() => {
      isOver = true;
    });
    let slowestMs = 0;
    while (!isOver) {
      const began = performance.now();
      expect((await send(`${gateway.url}/healthz`, 'GET')).status).toBe(200);
      slowestMs = Math.max(slowestMs, performance.now() - began);
    }
    // Some find that the account has too many large bodies in flight.
    for (const { status } of await ended) expect([413, 429]).toContain(status);
    expect(slowestMs).toBeLessThan(1_000);
  });
});

it('members without content are counted as they come, and 413 beyond 32 MiB', async () => {
  const empty = zlib.gzipSync(Buffer.alloc(0));
  const status = await new Promise((resolve, reject) => {
    const sent = request(`${gateway.rest}/chat/completions`, {
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Bearer ${gateway.apiKey}`,
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
    });
    sent.on('response', (response) => resolve(response.resume().statusCode));
    sent.on('error', reject);
    sent.end(Buffer.concat(Array.from({ length: Math.ceil((33 * MIB) / empty.length) }, () => empty)));
  });
  expect(status).toBe(413);
});
