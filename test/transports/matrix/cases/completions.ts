import type { MessageInitShape } from '@bufbuild/protobuf';
import { expect } from 'vitest';
import { type CompletionRequestSchema, CompletionService } from '../../../../gen/byway/v1/completions_pb.js';
import { answers, by, type Case, fails } from '../case.js';

const { createCompletion: create, streamCompletion: stream } = CompletionService.method;

/** As it is written, not as a message that was made. */
type Completion = Omit<MessageInitShape<typeof CompletionRequestSchema>, '$typeName' | '$unknown'>;

const prompt: NonNullable<Completion['prompt']> = { form: { case: 'text', value: 'Hello there' } };

/** A request with the account's API key. */
function complete(request: Completion) {
  return { as: by.apiKey, ask: () => ({ request: { prompt, ...request } }) };
}

/** All forms of the members, and some that the contract does not name. */
const EVERYTHING: Completion = {
  models: { values: ['test/m2', 'test/m1'] },
  prompt: { form: { case: 'texts', value: { values: ['Hello there'] } } },
  suffix: 'and so on',
  maxTokens: 3,
  temperature: 0.5,
  topP: 1,
  n: 1,
  bestOf: 1,
  echo: false,
  logprobs: 2,
  stop: { form: { case: 'texts', value: { values: ['STOP'] } } },
  user: 'somebody',
  extra: { min_p: 0.1, deep: [{ deeper: [] }] },
};

const USAGE = { prompt_tokens: 2, completion_tokens: expect.any(Number), cost: expect.any(Number) };

export const COMPLETIONS_CASES: readonly Case[] = [
  answers(create, 'an echo', complete({ model: 'test/m1' }), {
    object: 'text_completion',
    model: 'test/m1',
    choices: [{ index: 0, text: expect.stringContaining('Hello there'), finish_reason: 'stop' }],
    usage: USAGE,
  }),
  answers(create, 'every form of a request', complete(EVERYTHING), {
    model: 'test/m2',
    choices: [{ finish_reason: 'length' }],
  }),
  answers(stream, 'an echo', complete({ model: 'test/m1' }), { object: 'text_completion', usage: USAGE }),
  answers(stream, 'every form of a request', complete(EVERYTHING), { model: 'test/m2' }),
  ...[create, stream].flatMap((method) => [
    fails(method, 'an unknown model', complete({ model: 'test/m' }), {
      status: 400,
      reason: 'unknown_model',
    }),
    fails(
      method,
      'several texts',
      complete({
        model: 'test/m1',
        prompt: { form: { case: 'texts', value: { values: ['a', 'b'] } } },
      }),
      { status: 400, violations: [{ field: 'prompt', rule: 'count' }] },
    ),
    fails(method, 'what the provider refuses', complete({ model: 'demo/status-400' }), {
      status: 400,
      reason: 'context_length_exceeded',
    }),
  ]),
];
