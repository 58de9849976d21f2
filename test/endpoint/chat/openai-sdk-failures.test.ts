import {
  APIConnectionError,
  APIError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from 'openai';
import { describe, expect, it } from 'vitest';
import { FAKE_API_KEY } from '../../support/fakes/fake-openai.js';
import { setLimit } from '../../support/limits.js';
import { expectSettled, keyRecord } from '../../support/money.js';
import { chunksOf, REQUEST, sdk, startSdk } from '../../support/openai-sdk.js';
import { generation, hear, type ProvidersGateway, share, TOKEN_USD } from '../../support/providers.js';
import { type Row, rowsOf } from '../../support/rest.js';
import { waitFor } from '../../support/wait-for.js';

async function failure(call: PromiseLike<unknown>): Promise<APIError> {
  const thrown = await Promise.resolve(call).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof APIError)) throw new Error(`no APIError: ${String(thrown)}`, { cause: thrown });
  return thrown;
}

type ErrorClass = new (...args: never[]) => APIError;
const OUTAGE = { status: 503, body: { error: { message: 'Busy' } } };
const LIMITED = { status: 429, headers: { 'retry-after': '3' } };
const TOO_LONG = { status: 400, body: { error: { message: 'Too long.', code: 'context_length_exceeded' } } };

/** A failing chat, the class that the SDK throws, its status, our reason, and a part of the message. */
const FAILURES: readonly (readonly [
  string,
  (gateway: ProvidersGateway) => Promise<unknown> | unknown,
  object,
  ErrorClass,
  number,
  string,
  string,
])[] = [
  [
    'no model of that name',
    () => {},
    { model: 'test/x' },
    BadRequestError,
    400,
    'unknown_model',
    'did you mean',
  ],
  ['a broken rule', () => {}, { temperature: 3 }, BadRequestError, 400, 'invalid_request', 'temperature'],
  [
    'what the provider refuses',
    (gateway) => both(gateway, TOO_LONG),
    {},
    BadRequestError,
    400,
    'context_length_exceeded',
    'maximum context length',
  ],
  [
    'a limit that is reached',
    (gateway) => setLimit(gateway, { limit: 0 }),
    {},
    PermissionDeniedError,
    403,
    'key_limit_exceeded',
    'Key limit exceeded (total limit)',
  ],
  [
    'no compliant endpoint',
    () => {},
    { provider: { only: ['nobody'] } },
    NotFoundError,
    404,
    'no_endpoint',
    'provider.only',
  ],
  [
    'rate limits everywhere',
    (gateway) => both(gateway, LIMITED),
    {},
    RateLimitError,
    429,
    'upstream_rate_limited',
    'rate limiting',
  ],
  [
    'an outage everywhere',
    (gateway) => both(gateway, OUTAGE),
    {},
    InternalServerError,
    502,
    'upstream_failed',
    'Busy',
  ],
];

function both({ alpha, beta }: ProvidersGateway, plan: object): void {
  for (const fake of [alpha, beta]) fake.plan('m', plan);
}

describe('failures as the openai SDK reports them', () => {
  it.each(FAILURES)('%s', async (_, prepare, more, errorClass, status, reason, words) => {
    const { gateway, openai } = await startSdk();
    await prepare(gateway);
    for (const stream of [false, true]) {
      const error = await failure(openai.chat.completions.create({ ...REQUEST, stream, ...more }));
      expect(error).toBeInstanceOf(errorClass);
      expect(error).toMatchObject({ status, error: { code: status, metadata: { reason } } });
      expect(error.message).toContain(words);
      expect(error.headers?.get('retry-after') ?? null).toBe(status === 429 ? '3' : null);
    }
  });

  it('a missing and a wrong credential: AuthenticationError; a management key: PermissionDeniedError', async () => {
    const { gateway } = await startSdk();
    const ask = (key: string) => failure(sdk(gateway, key).chat.completions.create(REQUEST));
    expect(await ask('bw-v1-wrong')).toBeInstanceOf(AuthenticationError);
    expect(await ask(gateway.managementKey)).toBeInstanceOf(PermissionDeniedError);
  });

  it('no credits: an APIError with status 402', async () => {
    const { gateway } = await startSdk(null);
    await share(gateway, 'alpha', FAKE_API_KEY);
    const poor = await gateway.addAccount({ credits: 0n });
    const error = await failure(sdk(gateway, poor.apiKey).chat.completions.create(REQUEST));
    expect(error).toMatchObject({ status: 402, error: { metadata: { reason: 'insufficient_credits' } } });
  });

  it('a stream that breaks: its content so far, then an APIError with our message', async () => {
    const { gateway, openai } = await startSdk();
    gateway.alpha.plan('m', {
      chunks: chunksOf([{ content: 'Half' }], 'stop').slice(0, 1),
      isDoneMissing: true,
    });
    let text = '';
    const stream = await openai.chat.completions.create({ ...REQUEST, stream: true });
    const error = await failure(
      (async () => {
        for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
      })(),
    );
    expect(text).toBe('Half');
    expect(error.message).toContain('ended the answer before it was complete');
    expect(error).not.toBeInstanceOf(APIConnectionError);
  });
});

/** Answers that are finished: test/endpoint/leaving. */
const CUTTING = { BYWAY_ON_DISCONNECT: 'cancel' };

describe('an abort, where answers are cut', () => {
  it.each([1, 10, 40])(
    'after %i tokens of a stream: the provider sees it, and what was produced is billed',
    async (count) => {
      const { gateway, openai } = await startSdk('shared capacity', CUTTING);
      const words = Array.from({ length: count }, () => 'word');
      gateway.alpha.plan('m', { words, stallAfter: count + 1 });
      const stream = await openai.chat.completions.create({ ...REQUEST, stream: true });
      let text = '';
      let id = '';
      for await (const chunk of stream) {
        ({ id } = chunk);
        text += chunk.choices[0]?.delta.content ?? '';
        if (text.length === 4 * count) stream.controller.abort();
      }
      await waitFor(() => expect(gateway.alpha.aborts).toBe(1));
      const usage = Number((count * TOKEN_USD.alpha).toFixed(9));
      await waitFor(async () =>
        expect(await generation(gateway, { id })).toMatchObject({
          cancelled: true,
          tokens_completion: count,
          usage,
          finish_reason: null,
        }),
      );
      expect(await keyRecord(gateway)).toMatchObject({ usage });
      expect(gateway.beta.requests).toHaveLength(0);
      await expectSettled(gateway);
    },
  );

  it('before an answer: the provider sees it, nothing is charged, and no other provider is called', async () => {
    const { gateway, openai } = await startSdk('shared capacity', CUTTING);
    gateway.alpha.plan('m', { delayMs: 60_000 });
    for (const stream of [false, true]) {
      const before = gateway.alpha.requests.length;
      const leaving = new AbortController();
      const request = openai.chat.completions.create({ ...REQUEST, stream }, { signal: leaving.signal });
      await waitFor(() => expect(gateway.alpha.requests).toHaveLength(before + 1));
      leaving.abort();
      await expect(request).rejects.toBeInstanceOf(APIUserAbortError);
      await waitFor(() => expect(gateway.alpha.aborts).toBe(before + 1));
    }
    const rows = await waitFor(async () => {
      const found = rowsOf(await gateway.manage('GET', '/generations'));
      expect(found).toHaveLength(2);
      return found;
    });
    for (const row of rows)
      expect(row).toMatchObject({ cancelled: true, usage: 0, provider: null } satisfies Row);
    expect(gateway.beta.requests).toHaveLength(0);
    await expectSettled(gateway);
    gateway.alpha.plan('m', {});
    expect(hear(await gateway.chat('test/m'))).toMatchObject({ status: 200, provider: 'alpha' });
  });
});
