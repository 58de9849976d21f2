import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchGateway } from '../../support/gateway.js';
import { callRaw, enveloped } from '../../support/raw-rpc.js';
import { send } from '../../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
beforeAll(async () => {
  gateway = await launchGateway();
});
afterAll(() => gateway.stop());

const CHAT = { model: 'test/m1', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] };

const RPC_CHAT = { chat: { ...CHAT, messages: [{ role: 'user', content: { text: 'Hello' } }] } };

/** The headers of a REST answer. */
async function rest(method: string, path: string, secret: string, body?: object, headers: object = {}) {
  const answer = await send(gateway.rest + path, method, {
    headers: { 'x-api-key': secret, ...headers },
    body,
  });
  expect(answer.status).toBe(200);
  return answer.headers;
}

async function rpc(contentType: string, method = 'byway.v1.ChatService/StreamChatCompletion') {
  const isHealth = method.endsWith('/Watch');
  const answer = await callRaw({
    url: `${gateway.url}/${method}`,
    contentType,
    body: enveloped(isHealth ? Buffer.from('{"service":"none"}') : Buffer.from(JSON.stringify(RPC_CHAT))),
    headers: { authorization: `Bearer ${gateway.apiKey}`, ...(isHealth && { 'connect-timeout-ms': '300' }) },
  });
  return Object.fromEntries(answer.headers);
}

const STREAMS: readonly (readonly [string, () => Promise<Record<string, unknown>>])[] = [
  ['a chat', () => rest('POST', '/chat/completions', gateway.apiKey, { ...CHAT, stream: true })],
  ['a message', () => rest('POST', '/messages', gateway.apiKey, { ...CHAT, stream: true })],
  ['an export as JSON lines', () => rest('GET', '/generations/export?format=jsonl', gateway.managementKey)],
  ['an export as CSV', () => rest('GET', '/generations/export?format=csv', gateway.managementKey)],
  ['Connect', () => rpc('application/connect+json')],
  ['gRPC', () => rpc('application/grpc+json')],
  ['gRPC-Web', () => rpc('application/grpc-web+json')],
  ['a watch of health', () => rpc('application/connect+json', 'grpc.health.v1.Health/Watch')],
];

describe('what comes in pieces tells proxies to neither collect nor change it', () => {
  it.each(STREAMS)('%s', async (_, ask) => {
    expect(await ask()).toMatchObject({
      'x-accel-buffering': 'no',
      'cache-control': 'no-store, no-transform',
    });
  });

  it('what comes in one piece does not', async () => {
    const headers = await rest('POST', '/chat/completions', gateway.apiKey, CHAT);
    expect([headers['x-accel-buffering'], headers['cache-control']]).toEqual([undefined, 'no-store']);
  });
});
