import { BadRequestError } from 'openai';
import { describe, expect, it } from 'vitest';
import { error as anthropicError } from '../../support/fakes/fake-anthropic/errors.js';
import { typed } from '../../support/fakes/fake-bedrock/errors.js';
import { googleError } from '../../support/fakes/fake-vertex/error.js';
import { REQUEST, sdk, startSdk } from '../../support/openai-sdk.js';
import type { Row } from '../../support/rest.js';
import { onPlatforms } from './platform.js';

/** OpenAI's error for a long conversation: https://platform.openai.com/docs/guides/error-codes */
const TOO_LONG = {
  status: 400,
  body: {
    error: {
      message: "This model's maximum context length is 8192 tokens.",
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    },
  },
};

describe('F21: a provider’s own words for an error', () => {
  const { ask, plan } = onPlatforms();

  it.each([
    [
      'openai',
      TOO_LONG,
      { code: 'context_length_exceeded', type: 'invalid_request_error', param: 'messages' },
    ],
    [
      'anthropic',
      anthropicError(400, 'invalid_request_error', 'prompt is too long: 200001 tokens > 200000 maximum'),
      { code: null, type: 'invalid_request_error', param: null },
    ],
    [
      'azure-catalog',
      { status: 400, body: { error: { code: 'unsupported_value', message: 'No.', param: 'temperature' } } },
      { code: 'unsupported_value', type: null, param: 'temperature' },
    ],
    [
      'bedrock-key',
      typed(400, 'ValidationException', 'Input is too long for requested model.'),
      { code: null, type: 'ValidationException', param: null },
    ],
    [
      'vertex-gemini',
      googleError(
        400,
        'INVALID_ARGUMENT',
        'The input token count exceeds the maximum number of tokens allowed.',
      ),
      { code: '400', type: 'INVALID_ARGUMENT', param: null },
    ],
    [
      'vertex-claude',
      anthropicError(400, 'invalid_request_error', 'prompt is too long'),
      { code: null, type: 'invalid_request_error', param: null },
    ],
  ])('are in the error’s metadata, at %s', async (slug, refusal, provider_error) => {
    plan(slug, refusal);
    const error = (await ask(slug)).error as Row;
    const isTooLong = slug !== 'azure-catalog';
    // In OpenAI's words, whoever said so.
    const param = isTooLong ? 'messages' : provider_error.param;
    expect(error).toMatchObject({ code: 400, type: 'invalid_request_error', param });
    expect(error.metadata).toMatchObject({
      reason: isTooLong ? 'context_length_exceeded' : 'upstream_invalid_request',
      provider_error,
    });
  });

  it('are where OpenAI’s client looks for them', async () => {
    const { gateway } = await startSdk();
    for (const fake of [gateway.alpha, gateway.beta]) fake.plan('m', TOO_LONG);
    const failure = sdk(gateway, gateway.apiKey).chat.completions.create(REQUEST);
    const thrown = await failure.catch((error: unknown) => error);
    if (!(thrown instanceof BadRequestError)) throw thrown;
    expect(thrown).toMatchObject({ type: 'invalid_request_error', param: 'messages' });
    expect(thrown.error).toMatchObject({ metadata: { provider_error: { code: 'context_length_exceeded' } } });
  });

  it('are those of the failure that the message is about, where several providers failed', async () => {
    const { gateway } = await startSdk();
    gateway.alpha.plan('m', { status: 429, body: { error: { message: 'Slow down', code: 'slow_down' } } });
    gateway.beta.plan('m', {
      status: 503,
      body: { error: { message: 'Busy', code: 'server_is_overloaded' } },
    });
    expect((await gateway.ask('in one piece')).error).toMatchObject({
      message: expect.stringContaining('Busy'),
      metadata: { provider_error: { code: 'server_is_overloaded', type: null, param: null } },
    });
  });

  it('are in the last chunk of a stream that broke', async () => {
    const { gateway } = await startSdk();
    const piece = { choices: [{ index: 0, delta: { content: 'Hi' } }] };
    gateway.alpha.plan('m', { chunks: [piece, { error: { message: 'Gone', type: 'server_error' } }] });
    expect((await gateway.ask('streamed')).error).toMatchObject({
      code: 502,
      metadata: { provider_error: { code: null, type: 'server_error', param: null } },
    });
  });

  it('are left out where the provider has none, and short', async () => {
    const { gateway } = await startSdk();
    const fail = async (body: unknown) => {
      for (const fake of [gateway.alpha, gateway.beta]) fake.plan('m', { status: 400, body });
      return (await gateway.ask('in one piece')).error?.metadata?.provider_error;
    };
    expect(await fail('<html>no</html>')).toBeUndefined();
    expect(await fail({ error: { message: 'No', code: 'x'.repeat(5000) } })).toMatchObject({
      code: 'x'.repeat(200),
    });
  });
});

describe('F25: the fingerprint of a provider’s system', () => {
  it('is in chunks only where the provider sends one, and always in an answer in one piece', async () => {
    const { gateway } = await startSdk();
    const chunk = { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] };
    gateway.alpha.plan('m', { chunks: [chunk] });
    expect((await gateway.ask('streamed')).text).not.toContain('system_fingerprint');
    gateway.alpha.plan('m', {});
    expect((await gateway.ask('streamed')).text).toContain('"system_fingerprint":"fp_fake"');
    const message = { role: 'assistant', content: 'Hi' };
    gateway.alpha.plan('m', { answer: { choices: [{ index: 0, message, finish_reason: 'stop' }] } });
    expect((await gateway.ask('in one piece')).text).toContain('"system_fingerprint":null');
  });
});
