/** Limits of an answer that a host finds too large: `docs/providers/README.md#limits-of-an-answer-that-are-too-large`. */
import { describe, expect, it } from 'vitest';
import { generation, MODES, type ProvidersGateway, startProviders } from '../../support/providers.js';
import { bodyOf, type Row } from '../../support/rest.js';

/** Words by which a host says the most that it takes of any chat, and how much that is. */
const LARGEST: readonly (readonly [host: string, message: string, most: number])[] = [
  ['DeepSeek', 'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', 8192],
  ['Alibaba', '<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]', 8192],
  [
    'Groq',
    '`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model',
    8192,
  ],
  ['Groq, by model', 'max_tokens for `llama-3.1-8b-instant` must be less than or equal to 8000', 8000],
  [
    'OpenAI',
    'max_tokens is too large: 64000. This model supports at most 16384 completion tokens, whereas you provided 64000.',
    16_384,
  ],
  [
    'Volcengine',
    'The parameter `max_completion_tokens` specified in the request are not valid: integer above maximum value, expected a value <= 12288, but got 64000 instead.',
    12_288,
  ],
  [
    'Anthropic',
    'max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-sonnet',
    8192,
  ],
  [
    'Amazon Bedrock',
    'The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096.',
    4096,
  ],
  [
    'Google',
    'Unable to submit request because it has a maxOutputTokens value of 64000 but the supported range is from 1 (inclusive) to 8193 (exclusive).',
    8192,
  ],
];

/** Words that say what the context leaves beside this prompt. */
const LEFT: typeof LARGEST = [
  [
    'vLLM',
    "'max_tokens' or 'max_completion_tokens' is too large: 64000. This model's maximum context length is 20000 tokens and your request has 16614 input tokens (64000 > 20000 - 16614).",
    3386,
  ],
  [
    'vLLM since 2026',
    "This model's maximum context length is 32768 tokens. However, you requested 64000 output tokens and your prompt contains at least 769 input tokens, for a total of at least 64769 tokens.",
    31_999,
  ],
  [
    'older vLLM, OpenAI',
    "This model's maximum context length is 65536 tokens. However, you requested 103057 tokens (39057 in the messages, 64000 in the completion). Please reduce the length of the messages or completion.",
    26_479,
  ],
  [
    'OpenRouter',
    "This endpoint's maximum context length is 65536 tokens. However, you requested about 73991 tokens (9000 of text input, 991 of tool input, 64000 in the output). Please reduce the length of either one.",
    55_545,
  ],
  [
    'SGLang',
    "Requested token count exceeds the model's maximum context length of 65536 tokens. You requested a total of 69000 tokens: 5000 tokens from the input messages and 64000 tokens for the completion.",
    60_536,
  ],
  [
    'Together',
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 65536. Given: 3000 `inputs` tokens and 64000 `max_new_tokens`',
    62_536,
  ],
  ['Anthropic', 'input length and `max_tokens` exceed context limit: 188240 + 64000 > 200000', 11_760],
];

/** Models that are known to write more than anybody asks for here. */
const start = () => startProviders('BYOK keys', { maxCompletionTokens: 200_000 });
const refusal = (message: string) => ({ status: 400, body: { error: { message, code: 400 } } });
const messages = [{ role: 'user', content: 'Hello' }];
const limitsAt = ({ alpha }: ProvidersGateway) =>
  alpha.requests.map(({ text }) => {
    const { max_tokens, max_completion_tokens } = JSON.parse(text) as Row;
    return max_completion_tokens ?? max_tokens;
  });

describe('a limit that the host finds too large', () => {
  it.each(
    [...LARGEST, ...LEFT].flatMap(([host, words, most]) =>
      MODES.map((mode) => [host, mode, words, most] as const),
    ),
  )('in the words of %s, %s, is asked for again with what the host takes', async (_, mode, words, most) => {
    const gateway = await start();
    gateway.alpha.plan('m', refusal(words), {});
    const heard = await gateway.ask(mode, { messages, max_tokens: 64_000 });
    expect(heard).toMatchObject({ status: 200, provider: 'alpha' });
    expect(limitsAt(gateway)).toEqual([64_000, most]);
    const { provider_responses } = await generation(gateway, heard);
    expect((provider_responses as Row[]).map(({ adapted }) => adapted)).toEqual([['max_tokens']]);
  });

  it('of every chat is remembered for those that ask for more', async () => {
    const gateway = await start();
    gateway.alpha.plan('m', refusal(String(LARGEST[0]?.[1])), {});
    for (const max_completion_tokens of [64_000, 32_000, 100]) {
      await gateway.ask('in one piece', { messages, max_completion_tokens });
    }
    expect(limitsAt(gateway)).toEqual([64_000, 8192, 8192, 100]);
  });

  it('beside one prompt is not: other prompts leave other room', async () => {
    const gateway = await start();
    gateway.alpha.plan('m', refusal(String(LEFT[0]?.[1])), {});
    for (const _ of [1, 2]) await gateway.ask('in one piece', { messages, max_tokens: 64_000 });
    expect(limitsAt(gateway)).toEqual([64_000, 3386, 64_000]);
  });

  it.each(MODES)('is lowered for Messages too, %s', async (mode) => {
    const gateway = await start();
    gateway.alpha.plan('m', refusal(String(LEFT[0]?.[1])), {});
    const answer = await gateway.use('POST', '/messages', {
      model: 'test/m',
      max_tokens: 64_000,
      stream: mode === 'streamed',
      messages,
    });
    expect([answer.status, answer.text.includes('Grüezi')]).toEqual([200, true]);
    expect(limitsAt(gateway).at(-1)).toBe(3386);
  });

  it('is the prompt’s fault where hardly anything is left', async () => {
    const words =
      "This model's maximum context length is 20000 tokens. However, you requested 83900 tokens (19900 in the messages, 64000 in the completion).";
    const gateway = await start();
    for (const fake of [gateway.alpha, gateway.beta]) fake.plan('m', refusal(words), refusal(words));
    const answer = await gateway.use('POST', '/chat/completions', {
      model: 'test/m',
      messages,
      max_tokens: 64_000,
    });
    expect(bodyOf(answer).error).toMatchObject({ metadata: { reason: 'context_length_exceeded' } });
    expect(limitsAt(gateway)).toEqual([64_000]);
  });

  it('stays where the request may not be adapted, and where the request itself says the words', async () => {
    const words = String(LARGEST[0]?.[1]);
    for (const more of [{ provider: { adapt: false } }, { messages: [{ role: 'user', content: words }] }]) {
      const gateway = await start();
      for (const fake of [gateway.alpha, gateway.beta]) fake.plan('m', refusal(words), refusal(words));
      expect(await gateway.ask('in one piece', { messages, max_tokens: 64_000, ...more })).toMatchObject({
        status: 400,
      });
      expect(limitsAt(gateway)).toEqual([64_000]);
    }
  });
});
