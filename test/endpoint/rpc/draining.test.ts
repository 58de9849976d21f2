/** What comes while the gateway drains: operations are refused in the words of their protocol, what watches it is answered. */
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { enveloped } from '../../support/raw-rpc.js';
import { waitFor } from '../../support/wait-for.js';

const CHAT = JSON.stringify({ model: 'demo/echo', messages: [{ role: 'user', content: 'Hello' }] });
const RPC_CHAT = JSON.stringify({
  chat: { model: 'demo/echo', messages: [{ role: 'user', content: { text: 'Hello' } }] },
});
const MESSAGES = JSON.stringify({ ...JSON.parse(CHAT), max_tokens: 5 });

type Secret = 'apiKey' | 'managementKey' | 'operatorKey';

interface Late {
  readonly name: string;
  readonly line: string;
  readonly secret?: Secret;
  readonly type?: string;
  readonly body?: string | Buffer;
  readonly answer: RegExp;
}

const REFUSED =
  /^HTTP\/1.1 503 (?=[\s\S]*connection: close\r\n)(?=[\s\S]*retry-after: 5\r\n)[\s\S]*"reason":"shutting_down"/i;
const json = 'application/json';
const chat = '/byway.v1.ChatService/CreateChatCompletion';

const LATE: readonly Late[] = [
  {
    name: 'a chat',
    line: 'POST /api/v1/chat/completions',
    secret: 'apiKey',
    type: json,
    body: CHAT,
    answer: REFUSED,
  },
  {
    name: 'a message',
    line: 'POST /api/v1/messages',
    ...{ secret: 'apiKey', type: json, body: MESSAGES },
    answer:
      /^HTTP\/1.1 503 [\s\S]*retry-after: 5\r\n[\s\S]*"type":"error","error":\{"type":"overloaded_error"[\s\S]*"shutting_down"/i,
  },
  { name: 'a list', line: 'GET /api/v1/keys', secret: 'managementKey', answer: REFUSED },
  { name: 'a public list', line: 'GET /api/v1/models', answer: REFUSED },
  {
    name: 'a call of Connect',
    line: `POST ${chat}`,
    ...{ secret: 'apiKey', type: json, body: RPC_CHAT },
    answer: /^HTTP\/1.1 503 [\s\S]*retry-after: 5\r\n[\s\S]*"code":"unavailable"[\s\S]*"shutting_down"/i,
  },
  {
    name: 'a call of gRPC-Web',
    line: `POST ${chat}`,
    ...{ secret: 'apiKey', type: 'application/grpc-web+json', body: enveloped(Buffer.from(RPC_CHAT)) },
    answer: /^HTTP\/1.1 200 [\s\S]*grpc-status: 14\r\n/i,
  },
  {
    name: 'a call without a valid credential',
    line: 'GET /api/v1/keys',
    answer: /^HTTP\/1.1 401 [\s\S]*Missing Authentication header/,
  },
  { name: 'liveness', line: 'GET /healthz', answer: /^HTTP\/1.1 200 [\s\S]*\{"status":"ok"\}/ },
  { name: 'readiness', line: 'GET /readyz', answer: REFUSED },
  { name: 'metrics', line: 'GET /metrics', secret: 'operatorKey', answer: /^HTTP\/1.1 200 [\s\S]*byway_/ },
  {
    name: 'gRPC health',
    line: 'POST /grpc.health.v1.Health/Check',
    ...{ type: json, body: '{}' },
    answer: /^HTTP\/1.1 200 [\s\S]*NOT_SERVING/,
  },
];

/** A request of which all but the last bytes of its head have been sent. */
async function begin({ url, ...keys }: TestGateway, { line, secret, type, body = '' }: Late) {
  const socket: Socket = connect(Number(new URL(url).port), '127.0.0.1');
  const read = { text: '' };
  socket.setEncoding('utf8').on('data', (piece: string) => {
    read.text += piece;
  });
  socket.on('error', () => undefined);
  const head = [
    `${line} HTTP/1.1`,
    'Host: localhost',
    ...(secret === undefined ? [] : [`Authorization: Bearer ${keys[secret]}`]),
    ...(type === undefined ? [] : [`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`]),
  ];
  await new Promise<void>((resolve) => socket.write(`${head.join('\r\n')}\r\n`, () => resolve()));
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return {
    async finish() {
      socket.write('\r\n');
      socket.write(body);
      await ended;
      return read.text;
    },
  };
}

it.each(LATE)('$name that comes while the gateway drains', async (late) => {
  const gateway = await startGateway({ env: { BYWAY_DRAIN_MS: '10000' } });
  const begun = await begin(gateway, late);
  await waitFor(async () => {
    const open = await new Promise<number>((resolve) =>
      gateway.server.server.getConnections((_, count) => resolve(count)),
    );
    expect(open).toBe(1);
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const stopped = gateway.drain.stop();
  expect(await begun.finish()).toMatch(late.answer);
  await stopped;
});
