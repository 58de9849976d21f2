import { createClient, type Transport } from '@connectrpc/connect';
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node';
import { expect, it } from 'vitest';
import { ChatService } from '../../../gen/byway/v1/chat_pb.js';
import { CLAUDE, startMessages } from '../messages/messages.fixture.js';

const TRANSPORTS: readonly [string, (baseUrl: string) => Transport][] = [
  ['Connect', (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1' })],
  ['gRPC', (baseUrl) => createGrpcTransport({ baseUrl })],
  ['gRPC-Web', (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' })],
];

it.each(TRANSPORTS)(
  'what was adapted is metadata of an answer over %s, whole and streamed',
  async (_, transportTo) => {
    const { gateway } = await startMessages();
    const client = createClient(ChatService, transportTo(gateway.url));
    const chat = {
      model: CLAUDE,
      messages: [{ role: 'user', content: { form: { case: 'text' as const, value: 'Hello' } } }],
      temperature: 1.5,
      user: 'u',
    };
    const told: (string | null)[] = [];
    const options = {
      headers: { authorization: `Bearer ${gateway.apiKey}` },
      onHeader: (headers: Headers) => void told.push(headers.get('x-byway-adapted')),
    };
    await client.createChatCompletion({ chat }, options);
    for await (const _chunk of client.streamChatCompletion({ chat }, options));
    expect(told).toEqual(['temperature', 'temperature']);
  },
);
