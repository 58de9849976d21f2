/** What hosts of OpenAI's format say in words of their own, each as it was reported: `docs/providers/README.md`. */
import { describe, expect, it } from 'vitest';
import { CallerText } from '../../../src/inference/attempts/caller-text.js';
import { Refusals } from '../../../src/inference/attempts/refusals.js';
import { HOST_REFUSALS } from '../../../src/providers/index.js';
import { reportedFailure, responseFailure } from '../../../src/providers/openai/host/error-response.js';
import { NOW } from '../../support/chat.js';
import { startTable } from './adapter.fixture.js';

function refusal(status: number, body: unknown) {
  return responseFailure({ status, headers: {}, text: JSON.stringify(body) }, NOW);
}

describe('content that a filter refused is told as such, whatever the host calls it', () => {
  it.each([
    [
      'Alibaba',
      400,
      {
        error: {
          code: 'data_inspection_failed',
          type: 'data_inspection_failed',
          message: 'Input data may contain inappropriate content.',
        },
      },
    ],
    [
      'Alibaba, by its own interface',
      400,
      { code: 'DataInspectionFailed', message: 'Input data may contain inappropriate content.' },
    ],
    [
      'Alibaba, behind a gateway',
      400,
      {
        error: { message: '<400> InternalError.Algo.DataInspectionFailed: Input text data may contain ...' },
      },
    ],
    [
      'DeepSeek',
      400,
      {
        error: {
          message: 'Content Exists Risk',
          type: 'invalid_request_error',
          code: 'invalid_request_error',
        },
      },
    ],
    ['Z.ai', 400, { error: { code: '1301', message: '系统检测到输入或生成内容可能包含不安全或敏感内容' } }],
    [
      'xAI',
      403,
      {
        code: 'The caller does not have permission to execute the specified operation',
        error: 'Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO',
      },
    ],
    [
      'OpenRouter',
      403,
      {
        error: {
          code: 403,
          message: 'x requires moderation on OpenAI. Your input was flagged for "violence".',
        },
      },
    ],
    ['Moonshot', 400, { error: { type: 'content_filter', message: 'The request was rejected' } }],
    [
      'new-api',
      400,
      { error: { code: 'sensitive_words_detected', message: 'input contains sensitive words' } },
    ],
  ])('%s', (_, status, body) => {
    expect(refusal(status, body)).toMatchObject({ kind: 'content_filter', status });
  });
});

it.each(['image', 'audio'])('%s input that llama.cpp can’t read is no failure of the server', (medium) => {
  const message = `${medium} input is not supported - hint: if this is unexpected, you may need to provide the mmproj`;
  const said = refusal(500, { error: { code: 500, message, type: 'server_error' } });
  expect(said).toMatchObject({ kind: 'invalid_request', status: 500 });
});

it('what a model failed to write is its failure, also where Groq’s word for it got lost', () => {
  const message =
    "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.";
  const said = refusal(400, { error: { message, type: 'invalid_request_error' } });
  expect(said).toMatchObject({ kind: 'upstream_error', status: 400 });
});

describe('an aggregator that passes on its provider’s error', () => {
  const passedOn = (raw: string, code = 400) => ({
    error: { message: 'Provider returned error', code, metadata: { raw, provider_name: 'DeepInfra' } },
  });
  const refusals = new Refusals(HOST_REFUSALS);

  it('says what that provider said, and why', () => {
    const inner = {
      error: { message: 'No.', type: 'invalid_request_error', param: 'top_k', code: 'unsupported_parameter' },
    };
    expect(refusal(400, passedOn(JSON.stringify(inner)))).toMatchObject({
      message: 'Provider returned error: No.',
      kind: 'invalid_request',
      providerError: { code: 'unsupported_parameter', type: 'invalid_request_error', param: 'top_k' },
    });
    expect(refusal(429, passedOn('m is temporarily rate-limited upstream', 429))).toMatchObject({
      message: 'Provider returned error: m is temporarily rate-limited upstream',
      kind: 'rate_limit',
    });
  });

  it('is understood where the prompt is too long, or a filter refused it', () => {
    const tooLong =
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.";
    for (const raw of [JSON.stringify({ error: { message: tooLong } }), tooLong]) {
      const failure = refusal(400, passedOn(raw));
      expect(refusals.overflowIn(failure, new CallerText({}))).toEqual({ tokens: 9001, limit: 8192 });
    }
    expect(refusal(400, passedOn('{"error":{"code":"content_filter","message":"x"}}')).kind).toBe(
      'content_filter',
    );
  });

  it('also amid a stream', () => {
    expect(
      reportedFailure(passedOn('{"error":{"message":"Worker limit reached"}}', 502).error),
    ).toMatchObject({ status: 502, message: 'Provider returned error: Worker limit reached' });
  });
});

describe('accounts that are empty', () => {
  it.each([
    [
      'MiniMax',
      429,
      { error: { type: 'insufficient_balance_error', message: 'insufficient balance (1008)' } },
    ],
    [
      'MiniMax, as its own failure',
      500,
      { type: 'error', error: { type: 'api_error', message: 'insufficient balance (1008)' } },
    ],
    [
      'OpenRouter',
      403,
      { error: { code: 403, message: 'Key limit exceeded (total limit). Manage it using …' } },
    ],
  ])('%s', (_, status, body) => {
    expect(refusal(status, body).kind).toBe('quota');
  });
});

describe('a limit of tokens a minute', () => {
  const said = (requested: number) => ({
    error: {
      message: `Request too large for gpt-4o on tokens per min (TPM): Limit 8192, Requested ${requested}.`,
      type: 'tokens',
      code: 'rate_limit_exceeded',
    },
  });

  it('is about the request where that has more tokens, and passes where it has not', () => {
    expect(refusal(429, said(9001)).kind).toBe('invalid_request');
    expect(refusal(429, said(8000)).kind).toBe('rate_limit');
  });
});

describe('an error in the place of an answer', () => {
  it.each([
    ['Alibaba', { code: 'InvalidParameter', message: 'said', request_id: 'r' }, 400, 'invalid_request'],
    ['Alibaba, a limit', { code: 'Throttling.RateQuota', message: 'said' }, 429, 'rate_limit'],
    ['Alibaba, a filter', { code: 'DataInspectionFailed', message: 'said' }, 400, 'content_filter'],
    [
      'MiniMax, a limit',
      { base_resp: { status_code: 1002, status_msg: 'said' }, choices: null },
      429,
      'rate_limit',
    ],
    [
      'MiniMax, a balance',
      { base_resp: { status_code: 1008, status_msg: 'said' }, choices: null },
      402,
      'quota',
    ],
    ['MiniMax, a key', { base_resp: { status_code: 1004, status_msg: 'said' } }, 401, 'auth'],
    [
      'MiniMax, a filter',
      { base_resp: { status_code: 1026, status_msg: 'said' }, choices: null },
      500,
      'content_filter',
    ],
    ['Zhipu', { code: 500, msg: 'said', success: false }, 500, 'upstream_error'],
    ['FastAPI', { detail: 'said' }, 500, 'upstream_error'],
  ] as const)('of %s has its words and its kind', async (_, answer, status, kind) => {
    const { complete, stream } = await startTable({ answer, chunks: [answer] });
    await expect(complete()).rejects.toMatchObject({ message: 'said', status, kind });
    expect((await stream()).thrown).toMatchObject({ message: 'said', status, kind });
  });

  it('is none where the answer says that all is well', async () => {
    const base_resp = { status_code: 0, status_msg: '' };
    const message = { role: 'assistant', content: 'Hi' };
    const answer = { base_resp, choices: [{ index: 0, message, finish_reason: 'stop' }] };
    const { complete } = await startTable({ answer });
    expect(await complete()).toMatchObject({ choices: [{ message: { content: 'Hi' } }] });
  });
});

describe('a conversation that a template can’t take', () => {
  const jinja = (words: string) => `\n------------\nWhile executing ...\nError: Jinja Exception: ${words}`;

  it.each([
    ['Conversation roles must alternate user/assistant/user/assistant/...', 'contract:turns'],
    ['System role not supported', 'contract:no_system'],
    ['System message must be at the beginning.', 'contract:system_first'],
    ['No user query found in messages.', 'contract:user_first'],
  ])('is an invalid request also with status 500, and teaches: %s', (words, lesson) => {
    const failure = refusal(500, { error: { code: 500, message: jinja(words), type: 'server_error' } });
    expect(failure.kind).toBe('invalid_request');
    const named = new Refusals(HOST_REFUSALS).membersIn(failure, new CallerText({}));
    expect(named).toEqual([{ name: lesson, isTaught: true }]);
    const said = new CallerText({ messages: [{ role: 'user', content: words }] });
    expect(new Refusals(HOST_REFUSALS).membersIn(failure, said)).toEqual([]);
  });

  it('is one where the template says what nobody knows', () => {
    expect(refusal(500, { error: { message: jinja('No audio.'), type: 'server_error' } }).kind).toBe(
      'invalid_request',
    );
    expect(refusal(500, { error: { message: 'Boom', type: 'server_error' } }).kind).toBe('upstream_error');
  });
});
