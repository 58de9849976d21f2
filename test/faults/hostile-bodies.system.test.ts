import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, type RawRequest, send } from '../bench/worst/request.js';
import { enveloped, field, many, same } from '../bench/worst/wire.js';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';

const MIB = 1024 * 1024;

/**
 * Generous, for noisy machines: without a limit, each of these requests blocks the event loop for eight seconds and
 * more.
 */
const MAX_WAIT_MS = 2_000;
const MAX_GROWTH_BYTES = 300 * MIB;

let server: ServerProcess;

beforeAll(async () => {
  server = await startServerProcess({ BYWAY_ADMIN_RATE_PER_MINUTE: '0', BYWAY_LOG_LEVEL: 'warn' });
}, 60_000);
afterAll(() => server.stop());

const json = { 'content-type': 'application/json' };
const proto = { 'content-type': 'application/proto' };
const grpc = { 'content-type': 'application/grpc' };
const gzip = { 'grpc-encoding': 'gzip' };

const post = (
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer,
  caller: Caller = 'api key',
): RawRequest => ({ method: 'POST', path, headers, body: Buffer.from(body), caller });

const CHAT = '/api/v1/chat/completions';
const RPC_CHAT = '/byway.v1.ChatService/CreateChatCompletion';
const RPC_STREAM = '/byway.v1.ChatService/StreamChatCompletion';
const MESSAGES = '"messages":[{"role":"user","content":"x"}]';
const chat = (members: string) => post(CHAT, json, `{"model":"demo/echo",${members}}`);
const protoChat = (members: string) => post(RPC_CHAT, json, `{"chat":{"model":"demo/echo",${members}}}`);

/** Unknown fields: a number each, in three bytes. */
const unknown = (count: number) => same(count, Buffer.of(0xc0, 0x3e, 1));
const binary = (...content: Buffer[]) =>
  field(1, field(1, 'demo/echo'), field(3, field(1, 'user'), field(2, field(1, 'x'))), ...content);
const requests = (count: number) =>
  many(count, (i) => `{"custom_id":"${i}","body":{"messages":[{"role":"user","content":"x"}]}}`);

/** The request and its status: Connect answers 429 where it is too large, with 413 in the detail. */
const HOSTILE: Readonly<Record<string, readonly [() => RawRequest, string]>> = {
  '340,000 unknown members': [() => chat(`${MESSAGES},${many(340_000, (i) => `"k${i}":1`)}`), '400'],
  'sixteen million numbers': [() => chat(`${MESSAGES},"zzz":[${'1,'.repeat(16_000_000)}1]`), '400'],
  'a million messages': [
    () => chat(`"messages":[${many(1_000_000, () => '{"role":"user","content":"x"}')}]`),
    '400',
  ],
  '300,000 requests of a batch': [
    () =>
      post(
        '/api/v1/batches',
        json,
        `{"model":"demo/echo","requests":[${requests(300_000)}]}`,
        'management key',
      ),
    '400',
  ],
  'a text of millions of escapes': [
    () => chat(`"messages":[{"role":"user","content":"${'\\"'.repeat(16_000_000)}"}]`),
    '400',
  ],
  'a text of 32 MB that is not ASCII': [
    () => chat(`"messages":[{"role":"user","content":"${'é'.repeat(16_000_000)}"}]`),
    '400',
  ],
  'a name of a model of 32 MB': [() => chat(`${MESSAGES},"model":"${'m'.repeat(32_000_000)}"`), '400'],
  'Connect JSON: a million values': [
    () => protoChat(`"messages":[{"role":"user"}],"extra":{"x":[${'0,'.repeat(1_000_000)}0]}`),
    '400',
  ],
  'Connect JSON: a million messages': [() => protoChat(`"messages":[${many(1_000_000, () => '{}')}]`), '400'],
  'Connect proto: eleven million unknown fields': [
    () => post(RPC_CHAT, proto, binary(unknown(11_000_000))),
    '400',
  ],
  'Connect proto, gzip: eleven million unknown fields': [
    () => post(RPC_CHAT, { ...proto, 'content-encoding': 'gzip' }, gzipSync(binary(unknown(11_000_000)))),
    '429',
  ],
  'Connect proto, br: 32 MB of next to nothing': [
    () =>
      post(RPC_CHAT, { ...proto, 'content-encoding': 'br' }, brotliCompressSync(Buffer.alloc(32 * MIB - 64))),
    '429',
  ],
  'gRPC: a million empty messages': [
    () => post(RPC_CHAT, grpc, enveloped(binary(same(1_000_000, Buffer.of(0x1a, 0))))),
    'grpc 3',
  ],
  'gRPC, gzip: eleven million unknown fields': [
    () => post(RPC_CHAT, { ...grpc, ...gzip }, enveloped(gzipSync(binary(unknown(11_000_000))), 1)),
    'grpc 8',
  ],
  'gRPC stream: a million values of a Struct': [
    () => {
      const values = field(6, same(1_000_000, Buffer.of(0x0a, 2, 8, 0)));
      const extra = field(18, field(1, field(1, 'x'), field(2, values)));
      return post(RPC_STREAM, grpc, enveloped(binary(extra)));
    },
    'grpc 3',
  ],
  'gRPC stream, gzip: a million unknown groups': [
    () => {
      const groups = same(1_000_000, Buffer.of(0xc3, 0x3e, 0xc4, 0x3e));
      // With enough incompressible data that the compression ratio is an ordinary one.
      const noise = field(1000, Buffer.from(Array.from({ length: 65_536 }, (_, i) => (i * i * 31) >> 7)));
      return post(RPC_STREAM, { ...grpc, ...gzip }, enveloped(gzipSync(binary(noise, groups)), 1));
    },
    'grpc 3',
  ],
  'from nobody, Connect proto: a thousand bytes of gzip': [
    () =>
      post(
        '/byway.v1.ModelService/ListModels',
        { ...proto, 'content-encoding': 'gzip' },
        gzipSync(unknown(300_000)),
        'nobody',
      ),
    '429',
  ],
  'from nobody, gRPC health: a thousand bytes of gzip': [
    () =>
      post(
        '/grpc.health.v1.Health/Check',
        { ...grpc, ...gzip },
        enveloped(gzipSync(unknown(300_000)), 1),
        'nobody',
      ),
    'grpc 8',
  ],
};

describe('a body made to cost more than its bytes, sent to the built server', () => {
  it.each(Object.entries(HOSTILE))(
    '%s: is answered, others are served meanwhile, and memory is bounded',
    async (_, [make, answer]) => {
      const request = make();
      const origin = `http://127.0.0.1:${server.port}`;
      const secret = request.caller === 'api key' ? server.apiKey : server.managementKey;
      server.forgetPeak();
      const before = server.peakBytes();
      const probe = probing(`${origin}/healthz`);
      expect(await send(origin, request, request.caller === 'nobody' ? null : `Bearer ${secret}`)).toBe(
        answer,
      );
      expect(await probe()).toBeLessThan(MAX_WAIT_MS);
      expect(server.peakBytes() - before).toBeLessThan(MAX_GROWTH_BYTES);
    },
    60_000,
  );
});

/** Sends requests in a loop; the returned function stops it and returns the longest wait for an answer. */
function probing(url: string): () => Promise<number> {
  let maxMs = 0;
  let isOver = false;
  const done = (async () => {
    while (!isOver) {
      const began = performance.now();
      await (await fetch(url)).text();
      maxMs = Math.max(maxMs, performance.now() - began);
    }
  })();
  return async () => {
    isOver = true;
    await done;
    return maxMs;
  };
}

const SIZES = { messages: 10_000, imageBytes: 20_000_000, properties: 3_000 };

/** What real callers send. */
const HONEST: Readonly<Record<string, () => RawRequest>> = {
  '10,000 messages of parts': () => {
    const part = '{"type":"text","text":"hello","cache_control":null}';
    return chat(`"messages":[${many(SIZES.messages, () => `{"role":"user","content":[${part},${part}]}`)}]`);
  },
  '10,000 messages with calls of tools': () => {
    const pair = (i: number) =>
      `{"role":"assistant","content":null,"tool_calls":[{"id":"c${i}","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c${i}","content":"x"}`;
    return chat(`"messages":[${many(SIZES.messages / 2, pair)}]`);
  },
  'an image of 20 MB': () => {
    const data = Buffer.alloc(SIZES.imageBytes, 'image').toString('base64');
    const part = `{"type":"image_url","image_url":{"url":"data:image/png;base64,${data}"}}`;
    return chat(`"messages":[{"role":"user","content":[${part}]}]`);
  },
  'a tool whose schema has thousands of properties': () => {
    const properties = many(
      SIZES.properties,
      (i) => `"property_${i}":{"type":"string","description":"It is ${i}."}`,
    );
    const parameters = `{"type":"object","properties":{${properties}}}`;
    return chat(
      `${MESSAGES},"tools":[{"type":"function","function":{"name":"f","parameters":${parameters}}}]`,
    );
  },
};

describe('a legitimately large body', () => {
  it.each(Object.entries(HONEST))(
    '%s: is served',
    async (_, make) => {
      const origin = `http://127.0.0.1:${server.port}`;
      expect(await send(origin, make(), `Bearer ${server.apiKey}`)).toBe('200');
    },
    60_000,
  );
});
