/**
 * The built server with the heap and the memory that the manifests give it, against bytes that come one by one: each chunk, however small,
 * is an object of its own, so that what is a few megabytes on the wire may be a gigabyte in memory.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoModel } from '../support/catalog.js';
import { SmallServer } from '../support/small-server.js';

const MIB = 1024 * 1024;

const MODELS = { openai: 'gpt-x', anthropic: 'claude-x', bedrock: 'anthropic.claude-3-haiku-x' } as const;
const ADAPTERS = { openai: 'openai', anthropic: 'anthropic', bedrock: 'amazon-bedrock' } as const;
type Slug = keyof typeof MODELS;

const CHUNKS_AT_ONCE = 10_000;
const CHUNKS = Buffer.from('1\r\n \r\n'.repeat(CHUNKS_AT_ONCE));

/** A chunked body of a beginning, and of so many spaces, one to a chunk. */
function* spaces(count: number, beginning: Buffer): Generator<Buffer> {
  if (beginning.length > 0)
    yield Buffer.concat([
      Buffer.from(`${beginning.length.toString(16)}\r\n`),
      beginning,
      Buffer.from('\r\n'),
    ]);
  for (let sent = 0; sent < count; sent += CHUNKS_AT_ONCE) yield CHUNKS;
  yield Buffer.from('0\r\n\r\n');
}

/** The beginning of the largest frame of Amazon's event stream. */
function beginningOfFrame(): Buffer {
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 * MIB, 0);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  return prelude;
}

describe('bytes that come one by one', () => {
  let provider: Server;
  let small: SmallServer;
  let answer: { readonly type: string; readonly count: number; readonly beginning: Buffer };
  const sockets = new Set<Socket>();

  beforeAll(async () => {
    provider = createServer((socket) => {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .once('data', () => {
          const head = `HTTP/1.1 200 OK\r\ncontent-type: ${answer.type}\r\ntransfer-encoding: chunked\r\n\r\n`;
          socket.write(head);
          pipeline(spaces(answer.count, answer.beginning), socket).catch(() => undefined);
        });
    }).listen(0, '127.0.0.1');
    await once(provider, 'listening');
    const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    const slugs = Object.keys(MODELS) as Slug[];
    small = await SmallServer.start({
      providers: slugs.map((slug) => ({
        slug,
        name: slug,
        adapter: ADAPTERS[slug],
        base_url: slug === 'bedrock' ? url : `${url}/v1`,
      })),
      models: slugs.map((slug) =>
        demoModel(`${slug}/x`, [{ provider: slug, upstream_model_id: MODELS[slug] }]),
      ),
    });
    for (const provider of slugs) {
      const key =
        provider === 'bedrock' ? 'ABSKQmVkcm9ja0FQSUtleS10ZXN0LTAxMjM0NTY3ODk=' : `sk-ant-${'0'.repeat(40)}`;
      expect((await post('/byok', small.server.managementKey, { provider, key })).status).toBe(201);
    }
  });
  afterAll(async () => {
    await small.stop();
    for (const socket of sockets) socket.destroy();
    provider.close();
  });

  function post(path: string, key: string, body: object): Promise<Response> {
    return fetch(`${small.origin}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  it.each(['/api/v1/chat/completions', '/byway.v1.ChatService/CreateChatCompletion'])(
    'of a request to %s are answered',
    async (path) => {
      await small.watch(path, async () => {
        const socket = connect(small.server.port, '127.0.0.1');
        const head = `POST ${path} HTTP/1.1\r\nhost: byway\r\nauthorization: Bearer ${small.server.apiKey}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n`;
        socket.write(head);
        const [answered] = await Promise.all([
          once(socket, 'data'),
          pipeline(spaces(3e6, Buffer.from('{}')), socket, { end: false }),
        ]);
        expect(String(answered)).toMatch(/^HTTP\/1.1 400 /);
        socket.destroy();
      });
      small.expectSmall();
    },
    60_000,
  );

  it.each([
    ['openai', 'an answer in one piece', false, 'application/json', Buffer.from('{')],
    ['openai', 'a line of a stream', true, 'text/event-stream', Buffer.from('data:')],
    ['anthropic', 'a line of a stream', true, 'text/event-stream', Buffer.from('data:')],
    ['bedrock', 'a frame', true, 'application/vnd.amazon.eventstream', beginningOfFrame()],
  ] as const)(
    'of %s, %s, are its fault',
    async (slug, what, stream, type, beginning) => {
      answer = { type, count: 12e6, beginning };
      const body = { model: `${slug}/x`, stream, messages: [{ role: 'user', content: 'Hello' }] };
      await small.watch(what, async () =>
        expect((await post('/chat/completions', small.server.apiKey, body)).status).toBe(502),
      );
      small.expectSmall();
    },
    60_000,
  );
});
