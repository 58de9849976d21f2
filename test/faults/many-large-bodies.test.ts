/** The built server with a heap of 512 MB, and more large bodies at once than it could hold. */
import http2 from 'node:http2';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';

const TEXT = 'All work and no play. '.repeat(1_300_000);
const CHAT = { model: 'demo/echo', messages: [{ role: 'user', content: TEXT }] };
const RPC_CHAT = { chat: { model: 'demo/echo', messages: [{ role: 'user', content: { text: TEXT } }] } };

/** More than a heap of 512 MB holds of bodies with 28 MB. */
const AT_ONCE = 24;

let server: ServerProcess;

beforeAll(async () => {
  server = await startServerProcess({ NODE_OPTIONS: '--max-old-space-size=512' });
}, 60_000);
afterAll(async () => expect(await server.stop()).toBe(0));

const origin = () => `http://127.0.0.1:${server.port}`;

async function post(path: string, body: string | Buffer, headers: Record<string, string> = {}) {
  const answer = await fetch(origin() + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
  await answer.arrayBuffer();
  return answer.status;
}

/** A call of gRPC, whose bodies announce no length; its status in trailers or headers. */
function grpc(path: string, body: Buffer): Promise<number> {
  const session = http2.connect(origin());
  return new Promise<number>((resolve) => {
    const ended = (status: unknown) => {
      resolve(Number(status));
      session.destroy();
    };
    session.on('error', () => ended(-1));
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      authorization: `Bearer ${server.apiKey}`,
      'content-type': 'application/grpc+json',
      'grpc-encoding': 'gzip',
      te: 'trailers',
    });
    stream.on('error', () => ended(-1));
    stream.on('response', (headers) => headers['grpc-status'] && ended(headers['grpc-status']));
    stream.on('trailers', (trailers) => ended(trailers['grpc-status']));
    stream.resume().end(enveloped(body));
  });
}

function enveloped(content: Buffer): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(1, 0);
  prefix.writeUInt32BE(content.length, 1);
  return Buffer.concat([prefix, content]);
}

const together = <T>(ask: () => Promise<T>) => Promise.all(Array.from({ length: AT_ONCE }, ask));
const RESOURCE_EXHAUSTED = 8;

/** By how they come. */
const WAYS: Readonly<Record<string, () => Promise<readonly (readonly [answer: number, refused: number])[]>>> =
  {
    'plain over REST': async () => {
      const body = JSON.stringify(CHAT);
      return (await together(() => post('/api/v1/chat/completions', body))).map((status) => [status, 429]);
    },
    'compressed over Connect': async () => {
      const body = gzipSync(JSON.stringify(RPC_CHAT));
      const path = '/byway.v1.ChatService/CreateChatCompletion';
      const statuses = await together(() => post(path, body, { 'content-encoding': 'gzip' }));
      return statuses.map((status) => [status, 429]);
    },
    'compressed over gRPC': async () => {
      const body = gzipSync(JSON.stringify(RPC_CHAT));
      const statuses = await together(() => grpc('/byway.v1.ChatService/CreateChatCompletion', body));
      return statuses.map((status) => [status, RESOURCE_EXHAUSTED]);
    },
    'compressed in streams of gRPC': async () => {
      const body = gzipSync(JSON.stringify(RPC_CHAT));
      const statuses = await together(() => grpc('/byway.v1.ChatService/StreamChatCompletion', body));
      return statuses.map((status) => [status, RESOURCE_EXHAUSTED]);
    },
  };

it.each(Object.entries(WAYS))(
  'many large bodies at once, %s: some are refused with what to do, and the process goes on',
  async (_, askAll) => {
    const answers = await askAll();
    expect(answers.filter(([answer, refused]) => answer === refused).length).toBeGreaterThan(0);
    expect(answers.map(([answer]) => answer)).not.toContain(-1);
    expect((await fetch(`${origin()}/healthz`)).status).toBe(200);
    // What they held is given back.
    for (let again = 0; again < 6; again++) {
      expect(await post('/api/v1/chat/completions', JSON.stringify(CHAT))).not.toBe(429);
    }
  },
  120_000,
);
