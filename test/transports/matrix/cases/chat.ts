import type { JsonObject, MessageInitShape } from '@bufbuild/protobuf';
import { expect } from 'vitest';
import { type ChatRequestSchema, ChatService } from '../../../../gen/byway/v1/chat_pb.js';
import { answers, by, type Case, fails } from '../case.js';

const { createChatCompletion: create, streamChatCompletion: stream } = ChatService.method;

type Chat = MessageInitShape<typeof ChatRequestSchema>;

const HELLO: NonNullable<Chat['messages']> = [
  { role: 'user', content: { form: { case: 'text', value: 'Hello there' } } },
];

/** A chat with the account's API key. */
function chat(request: Chat) {
  return { as: by.apiKey, ask: () => ({ chat: { messages: HELLO, ...request } }) };
}

const FUNCTION: JsonObject = {
  name: 'weather',
  parameters: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } },
};
const TOOLS: Chat = { model: 'demo/tools', tools: [{ type: 'function', function: FUNCTION }] };

/** Everything that a request can have: all its forms, and members that the contract does not name. */
const EVERYTHING: Chat = {
  models: { values: ['test/m2', 'test/m1'] },
  messages: [
    { role: 'system', content: { form: { case: 'text', value: 'Be kind.' } }, name: 'rules' },
    {
      role: 'assistant',
      toolCalls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', toolCallId: 'c1', content: { form: { case: 'text', value: '1' } } },
    {
      role: 'user',
      content: {
        form: {
          case: 'parts',
          value: { values: [{ type: 'text', text: 'Look:', extra: { cache: [1, null] } }] },
        },
      },
      extra: { weight: 0.5 },
    },
  ],
  provider: {
    order: { values: ['a'] },
    maxPrice: {
      prompt: { form: { case: 'text', value: '5' } },
      image: { form: { case: 'number', value: 1 } },
    },
    timeoutsMs: { total: 60_000 },
  },
  maxTokens: 8,
  temperature: 0.5,
  topP: 1,
  user: 'somebody',
  stop: { form: { case: 'texts', value: { values: ['STOP'] } } },
  extra: { min_p: 0.1, nested: { deep: [true, null, 'x'] } },
};

const USAGE = { total_tokens: expect.any(Number), is_byok: false, cost: expect.any(Number) };
const ATTEMPT = { is_byok: true, byok_key_id: expect.any(String), latency_ms: 0, adapted: null };

const answered: readonly Case[] = [create, stream].flatMap((method) => [
  answers(method, 'an echo', chat({ model: 'test/m1' }), { model: 'test/m1', provider: 'a', usage: USAGE }),
  answers(method, 'reasoning', chat({ model: 'demo/reasoner' }), { model: 'demo/reasoner', usage: USAGE }),
  answers(method, 'a tool call', chat(TOOLS), { model: 'demo/tools', usage: USAGE }),
  answers(method, 'every form of a request', chat(EVERYTHING), { model: 'test/m2', provider: 'a' }),
  answers(
    method,
    'the next attempt after a key that fails',
    {
      as: by.apiKey,
      async ask(world) {
        await world.addByokKey({ key: 'demo-status-500-abcdefgh' });
        return { chat: { model: 'test/m2', messages: HELLO } };
      },
    },
    { provider: 'a', usage: { is_byok: false } },
  ),
]);

const refused: readonly Case[] = [create, stream].flatMap((method) => [
  fails(
    method,
    'every broken rule at once',
    chat({ messages: [{ role: 'nobody' }], temperature: 3, maxTokens: 0, topK: -1 }),
    { status: 400, reason: 'invalid_request' },
  ),
  fails(method, 'an unknown model, with the nearest', chat({ model: 'test/m' }), {
    status: 400,
    reason: 'unknown_model',
  }),
  fails(
    method,
    'nothing that is allowed to serve',
    chat({ model: 'test/m1', provider: { only: { values: ['demo'] } } }),
    { status: 404, reason: 'no_endpoint', metadata: { reasons: { request_only: 3 } } },
  ),
  fails(
    method,
    'no credits',
    { ...chat({ model: 'test/m1' }), credits: 0n },
    { status: 402, reason: 'insufficient_credits' },
  ),
  fails(
    method,
    'rate limits everywhere',
    {
      as: by.apiKey,
      // A key of its own, since a way that was limited rests.
      async ask(world) {
        await world.addByokKey({ key: 'demo-status-429-abcdefgh', isByokOnly: true });
        return { chat: { model: 'test/m2', messages: HELLO } };
      },
    },
    {
      status: 429,
      reason: 'upstream_rate_limited',
      retryAfter: '2',
      metadata: { provider_responses: [{ provider: 'a', status: 429, error: null, ...ATTEMPT }] },
    },
  ),
  fails(method, 'what the provider refuses', chat({ model: 'demo/status-400' }), {
    status: 400,
    reason: 'context_length_exceeded',
    message: expect.stringContaining('maximum context length'),
  }),
  fails(method, 'a broken connection', chat({ model: 'demo/reset' }), {
    status: 502,
    reason: 'upstream_failed',
    metadata: { provider_responses: [{ status: null, error: 'reset' }] },
  }),
  fails(method, 'a content filter', chat({ model: 'demo/content-filter' }), {
    status: 400,
    reason: 'content_filter',
  }),
]);

/** Chats, in one piece and streamed. */
export const CHAT_CASES: readonly Case[] = [
  ...answered,
  ...refused,
  fails(stream, 'a stream that breaks after three words', chat({ model: 'demo/break-after-3' }), {
    status: 502,
    message: 'The connection to the provider was reset',
  }),
];
