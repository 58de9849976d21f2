import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchPlatforms, PLATFORMS, type PlatformsGateway } from '../../support/platforms.js';
import { bodyOf, type Row } from '../../support/rest.js';

const OPENAI = PLATFORMS.find(({ slug }) => slug === 'openai') ?? PLATFORMS[0];

/** How hosts say it, with the counts that their words give. */
const WORDS: readonly (readonly [
  host: string,
  status: number,
  message: string,
  counts: readonly [number, number] | null,
])[] = [
  [
    'OpenAI',
    400,
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens. Please reduce the length of the messages.",
    [9001, 8192],
  ],
  [
    'vLLM',
    400,
    "This model's maximum context length is 8192 tokens. However, you requested 9001 tokens (8001 in the messages, 1000 in the completion).",
    [9001, 8192],
  ],
  [
    'Mistral',
    400,
    'Prompt contains 9001 tokens and 0 draft tokens, too large for model with 8192 maximum context length',
    [9001, 8192],
  ],
  [
    'llama.cpp',
    400,
    'request (9001 tokens) exceeds the available context size (8192 tokens), try increasing it',
    [9001, 8192],
  ],
  [
    'xAI',
    400,
    "This model's maximum prompt length is 8192 but the request contains 9001 tokens.",
    [9001, 8192],
  ],
  ['Fireworks', 400, 'The prompt is too long: 9001, model maximum context length: 8192', [9001, 8192]],
  [
    'Cerebras',
    400,
    'Please reduce the length of the messages or completion. Current length is 9001 while limit is 8192',
    [9001, 8192],
  ],
  [
    'Moonshot',
    400,
    'Invalid request: Your request exceeded model token limit: 8192 (requested: 9001)',
    [9001, 8192],
  ],
  ['Z.ai', 400, 'Prompt exceeds max length', null],
  [
    'vLLM since 2026',
    400,
    "This model's maximum context length is 8192 tokens. However, you requested 1000 output tokens and your prompt contains at least 8001 input tokens, for a total of at least 9001 tokens. Please reduce the length of the input prompt.",
    [9001, 8192],
  ],
  [
    'LM Studio',
    400,
    'Trying to keep the first 9001 tokens when context the overflows. However, the model is loaded with context length of only 8192 tokens, which is not enough.',
    [9001, 8192],
  ],
  ['Ollama', 400, 'prompt too long; exceeded max context length by 809 tokens', null],
  ['MiniMax', 400, 'invalid params, context window exceeds limit (2013)', null],
  ['OpenAI', 400, 'Your input exceeds the context window of this model. Please adjust your input.', null],
  [
    'Groq, of tokens a minute',
    413,
    'Request too large for model `m` in organization `o` service tier `on_demand` on tokens per minute (TPM): Limit 8192, Requested 9001, please reduce your message size and try again.',
    [9001, 8192],
  ],
  [
    'OpenAI, of tokens a minute',
    429,
    'Request too large for gpt-4o in organization o on tokens per min (TPM): Limit 8192, Requested 9001. The input or output tokens must be reduced in order to run successfully.',
    [9001, 8192],
  ],
  ['Amazon Bedrock', 400, 'Input is too long for requested model.', null],
  [
    'Google',
    400,
    'The input token count (9,001) exceeds the maximum number of tokens allowed (8,192).',
    [9001, 8192],
  ],
  [
    'Google Vertex AI',
    400,
    'Unable to submit request because the input token count is 9001 but model only supports up to 8192. Reduce the input token count and try again.',
    [9001, 8192],
  ],
];

describe('a prompt that is too long for the model', () => {
  let gateway: PlatformsGateway;
  const slug = String(OPENAI?.slug);
  beforeAll(async () => {
    gateway = await launchPlatforms([{ name: 'm' }]);
  });
  afterAll(() => gateway.stop());

  const chat = (more: object = {}) =>
    gateway.use('POST', '/chat/completions', {
      model: `${slug}/m`,
      messages: [{ role: 'user', content: 'Hello' }],
      ...more,
    });
  const message = (content = 'Hello') =>
    gateway.use('POST', '/messages', {
      model: `${slug}/m`,
      max_tokens: 10,
      messages: [{ role: 'user', content }],
    });
  const refuseWith = (status: number, text: string) => {
    if (OPENAI !== undefined)
      gateway.plan(OPENAI, 'm', {
        status,
        body: { error: { message: text, type: 'invalid_request_error', code: null } },
      });
  };

  it.each(WORDS)(
    'in the words of %s, is told chats as OpenAI tells it, and Messages as Claude Code reads it',
    async (_, status, text, counts) => {
      refuseWith(status, text);
      const [tokens, limit] = counts ?? [expect.any(Number), expect.any(Number)];
      const answer = await chat();
      expect([answer.status, bodyOf(answer).error]).toEqual([
        400,
        expect.objectContaining({
          code: 400,
          type: 'invalid_request_error',
          message: expect.stringMatching(
            /^This model's maximum context length is \d+ tokens\. However, your messages resulted in \d+ tokens\.$/,
          ),
          metadata: expect.objectContaining({
            reason: 'context_length_exceeded',
            prompt_tokens: tokens,
            context_length: limit,
          }),
        }),
      ]);
      const told = await message();
      expect([told.status, bodyOf(told)]).toMatchObject([
        400,
        {
          type: 'error',
          error: {
            type: 'invalid_request_error',
            message: expect.stringMatching(/^prompt is too long: \d+ tokens > \d+ maximum$/),
          },
        },
      ]);
      const words =
        String((bodyOf(told).error as Row).message)
          .match(/\d+/g)
          ?.map(Number) ?? [];
      expect(Number(words[0])).toBeGreaterThan(Number(words[1]));
    },
  );

  it('is not read out of words that the request itself says', async () => {
    const text = 'Prompt exceeds max length';
    refuseWith(400, `Bad content: ${text}`);
    expect(bodyOf(await chat({ messages: [{ role: 'user', content: text }] })).error).toMatchObject({
      metadata: { reason: 'upstream_invalid_request' },
    });
  });
});
