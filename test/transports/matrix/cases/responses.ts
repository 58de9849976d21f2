import type { MessageInitShape } from '@bufbuild/protobuf';
import { expect } from 'vitest';
import { type ResponsesRequestSchema, ResponsesService } from '../../../../gen/byway/v1/responses_pb.js';
import { answers, by, type Case, fails, RPC_ONLY } from '../case.js';

const { createResponse: create, streamResponse: stream, countInputTokens: count } = ResponsesService.method;

type Responses = MessageInitShape<typeof ResponsesRequestSchema>;

const HELLO: NonNullable<Responses['input']> = { form: { case: 'text', value: 'Hello there' } };

/** A request with the account's API key. */
function responses(request: Responses) {
  return { as: by.apiKey, ask: () => ({ request }) };
}

const TOOL = { type: 'function', name: 'weather', parameters: { type: 'object', properties: {} } };

/** All forms of the members, and some that the contract does not name. */
const EVERYTHING: Responses = {
  models: { values: ['test/m2', 'test/m1'] },
  instructions: 'Be kind.',
  input: {
    form: {
      case: 'items',
      value: {
        values: [
          { type: 'message', extra: { role: 'user', content: [{ type: 'input_text', text: 'Look:' }] } },
          { extra: { role: 'user', content: 'there', weight: 0.5 } },
        ],
      },
    },
  },
  tools: [TOOL],
  toolChoice: { form: { case: 'mode', value: 'auto' } },
  reasoning: { summary: 'auto' },
  include: { values: ['reasoning.encrypted_content'] },
  text: { format: { type: 'text' } },
  metadata: { a: 'b' },
  temperature: 0.5,
  extra: { truncation: 'auto' },
};

const RESPONSE = {
  object: 'response',
  status: 'completed',
  model: 'test/m1',
  output: [expect.objectContaining({ type: 'message', status: 'completed' })],
  usage: { output_tokens: expect.any(Number), is_byok: false, cost: expect.any(Number) },
  store: false,
};

/** Requests in the Responses format. Their errors over REST are OpenAI's, which no other transport has. */
export const RESPONSES_CASES: readonly Case[] = [
  answers(create, 'an echo', responses({ input: HELLO, model: 'test/m1' }), RESPONSE),
  answers(create, 'every form of a request', responses(EVERYTHING), {
    model: 'test/m2',
    metadata: { a: 'b' },
    truncation: 'auto',
    tools: [{ ...TOOL, strict: null }],
  }),
  answers(stream, 'an echo', responses({ input: HELLO, model: 'test/m1' }), {
    type: 'response.completed',
    response: RESPONSE,
  }),
  answers(stream, 'every form of a request', responses(EVERYTHING), { type: 'response.completed' }),
  answers(count, 'a prompt', responses({ input: HELLO, model: 'test/m1' }), {
    input_tokens: expect.any(Number),
  }),
  ...[create, stream].flatMap((method) => [
    fails(
      method,
      'an unknown model',
      { ...responses({ input: HELLO, model: 'test/m' }), kinds: RPC_ONLY },
      { status: 400, reason: 'unknown_model' },
    ),
    fails(
      method,
      'what needs a stored response',
      {
        ...responses({ input: HELLO, model: 'test/m1', extra: { previous_response_id: 'resp_1' } }),
        kinds: RPC_ONLY,
      },
      { status: 400, reason: 'invalid_request' },
    ),
  ]),
];
