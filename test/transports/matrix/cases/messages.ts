import type { MessageInitShape } from '@bufbuild/protobuf';
import { expect } from 'vitest';
import { type MessagesRequestSchema, MessagesService } from '../../../../gen/byway/v1/messages_pb.js';
import { answers, by, type Case, fails, RPC_ONLY } from '../case.js';

const { createMessage: create, streamMessage: stream, countTokens: count } = MessagesService.method;

type Messages = MessageInitShape<typeof MessagesRequestSchema>;

const HELLO: NonNullable<Messages['messages']> = [
  { role: 'user', content: { form: { case: 'text', value: 'Hello there' } } },
];

/** A request with the account's API key. */
function messages(request: Messages) {
  return { as: by.apiKey, ask: () => ({ request: { messages: HELLO, maxTokens: 64, ...request } }) };
}

/** All forms of the members, and some that the contract does not name. */
const EVERYTHING: Messages = {
  models: { values: ['test/m2', 'test/m1'] },
  system: { form: { case: 'blocks', value: { values: [{ type: 'text', text: 'Be kind.' }] } } },
  messages: [
    {
      role: 'user',
      content: {
        form: { case: 'blocks', value: { values: [{ type: 'text', text: 'Look:', extra: { deep: [1] } }] } },
      },
      extra: { weight: 0.5 },
    },
  ],
  tools: [{ name: 'weather', input_schema: { type: 'object', properties: {} } }],
  toolChoice: { type: 'auto' },
  stopSequences: { values: ['STOP'] },
  temperature: 0.5,
  topP: 1,
  metadata: { user_id: 'somebody' },
  extra: { diagnostics: { previous_message_id: null } },
};

const USAGE = { output_tokens: expect.any(Number), is_byok: false, cost: expect.any(Number) };

/** Requests in the Messages format. Their errors over REST are Anthropic's, which no other transport has. */
export const MESSAGES_CASES: readonly Case[] = [
  answers(create, 'an echo', messages({ model: 'test/m1' }), {
    type: 'message',
    model: 'test/m1',
    usage: USAGE,
  }),
  answers(create, 'every form of a request', messages(EVERYTHING), { model: 'test/m2' }),
  answers(stream, 'an echo', messages({ model: 'test/m1' }), { type: 'message_stop' }),
  answers(stream, 'every form of a request', messages(EVERYTHING), { type: 'message_stop' }),
  answers(count, 'a prompt', messages({ model: 'test/m1' }), { input_tokens: expect.any(Number) }),
  ...[create, stream].flatMap((method) => [
    fails(
      method,
      'an unknown model',
      { ...messages({ model: 'test/m' }), kinds: RPC_ONLY },
      { status: 400, reason: 'unknown_model' },
    ),
    fails(
      method,
      'what the provider refuses',
      { ...messages({ model: 'demo/status-400' }), kinds: RPC_ONLY },
      { status: 400, reason: 'context_length_exceeded' },
    ),
  ]),
];
