/** The built server with a heap of 512 MB, and more large bodies at once than it could hold. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callRaw, enveloped } from '../support/raw-rpc.js';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';

const TEXT = 'All work and no play. '.repeat(1_300_000);
const CHAT = { model: 'demo/echo', messages: [{ role: 'user', content: TEXT }] };
const RPC_CHAT = { chat: { model: 'demo/echo', messages: [{ role: 'user', content: { text: TEXT } }] } };

/** Twice of what a heap of 512 MB may hold of bodies with 28 MB. */
const AT_ONCE = 10;

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

/** A call of gRPC, whose bodies announce no length; its status. */
async function grpc(path: string, body: Buffer): Promise<number> {
  const { error } = await callRaw({
    url: origin() + path,
    contentType: 'application/grpc+json',
    headers: { authorization: `Bearer ${server.apiKey}`, 'grpc-encoding': 'gzip' },
    body: enveloped(body, 1),
  });
  return error?.code ?? 0;
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
    expect((await fetch(`${origin()}/healthz`)).status).toBe(200);
    // What they held is given back.
    for (let again = 0; again < 6; again++) {
      expect(await post('/api/v1/chat/completions', JSON.stringify(CHAT))).not.toBe(429);
    }
  },
  120_000,
);
