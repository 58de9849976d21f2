import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { describe, expect, it } from 'vitest';
import { ChatService } from '../../../gen/byway/v1/chat_pb.js';
import { FAKE_API_KEY } from '../../support/fakes/fake-openai.js';
import { guardrail, setLimit, workspaceBudget } from '../../support/limits.js';
import { expectSettled, keyRecord } from '../../support/money.js';
import {
  addKey,
  attempts,
  hear,
  type ProvidersGateway,
  startProviders,
  TOKEN_USD,
} from '../../support/providers.js';
import { type Answer, bodyOf, type Row, recordOf } from '../../support/rest.js';
import { waitFor } from '../../support/wait-for.js';

/** What each chat reserves, and nearly all of what a limit allows. */
const MAX_TOKENS = 1_000;
const RESERVED_USD = MAX_TOKENS * TOKEN_USD.alpha;
/** What each chat costs. */
const COST_USD = 4 * TOKEN_USD.alpha;
const ONE_AT_A_TIME = { limit: RESERVED_USD };

interface Options {
  readonly waitMs?: number;
  readonly delayMs?: number;
  readonly credits?: bigint;
}

/** A gateway whose first provider takes its time. */
async function start({ waitMs, delayMs = 100, credits }: Options = {}): Promise<ProvidersGateway> {
  const gateway = await startProviders('shared capacity', {
    ...(waitMs !== undefined && { env: { BYWAY_RESERVATION_WAIT_MS: String(waitMs) } }),
    ...(credits !== undefined && { credits }),
  });
  gateway.alpha.plan('m', { delayMs });
  return gateway;
}

function chat(gateway: ProvidersGateway, more: object = {}): Promise<Answer> {
  return gateway.chat('test/m', { max_tokens: MAX_TOKENS, ...more });
}

/** The error of a chat that is refused, with its metadata and its headers. */
function refusalIn(answer: Answer): Row {
  const { code, metadata } = bodyOf(answer).error as { code: number; metadata: Row };
  return { code, retryAfter: Number(answer.headers['retry-after']), ...metadata };
}

/** A chat that holds what it reserved until the provider answers. */
async function inFlight(
  gateway: ProvidersGateway,
  more: object = {},
): Promise<{ readonly answer: Promise<Answer> }> {
  const before = gateway.alpha.requests.length;
  const answer = chat(gateway, more);
  await waitFor(() => expect(gateway.alpha.requests.length).toBe(before + 1));
  return { answer };
}

type Setting = readonly [string, (gateway: ProvidersGateway) => Promise<unknown>];
const SETTINGS: readonly Setting[] = [
  ['the limit of a key', (gateway) => setLimit(gateway, ONE_AT_A_TIME)],
  ['the budget of a guardrail', (gateway) => guardrail(gateway, { limit_usd: RESERVED_USD }, 'member')],
  [
    'the budget of a workspace',
    (gateway) => workspaceBudget(gateway, 'monthly', { limit_usd: RESERVED_USD }),
  ],
  ['the credits of the account', async () => undefined],
];
const creditsFor = (name: string) => (name.startsWith('the credits') ? { credits: 100_000_000n } : {});

describe('money that requests in flight hold and nobody has spent', () => {
  it.each(SETTINGS)('is waited for: ten chats at once under %s are all served', async (name, set) => {
    const gateway = await start({ delayMs: 30, ...creditsFor(name) });
    await set(gateway);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => chat(gateway, { stream: at % 2 === 0 })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect((await keyRecord(gateway)).usage).toBeCloseTo(10 * COST_USD, 9);
    await expectSettled(gateway);
  });

  it.each(SETTINGS)('is refused with 429 limit_reserved where that takes too long: %s', async (name, set) => {
    const gateway = await start({ waitMs: 100, delayMs: 1_500, ...creditsFor(name) });
    await set(gateway);
    const held = await inFlight(gateway);
    const refused = refusalIn(await chat(gateway));
    expect(refused).toMatchObject({
      ...{ code: 429, reason: 'limit_reserved' },
      ...{ limit_usd: RESERVED_USD, spent_usd: 0, reserved_usd: RESERVED_USD },
    });
    expect(refused).toHaveProperty('resets_at');
    expect(refused.retryAfter).toBeGreaterThanOrEqual(1);
    expect(refused.retryAfter).toBeLessThanOrEqual(5);
    expect((await held.answer).status).toBe(200);
    await expectSettled(gateway);
  });

  it('is not waited for with BYWAY_RESERVATION_WAIT_MS=0, in the words of each API', async () => {
    const gateway = await start({ waitMs: 0, delayMs: 1_000 });
    await setLimit(gateway, ONE_AT_A_TIME);
    const held = await inFlight(gateway);
    expect(refusalIn(await chat(gateway, { stream: true }))).toMatchObject({
      code: 429,
      reason: 'limit_reserved',
    });
    const messages = await gateway.use('POST', '/messages', {
      model: 'test/m',
      max_tokens: MAX_TOKENS,
      messages: [{ role: 'user', content: 'Hello' }],
    });
    expect([messages.status, bodyOf(messages)]).toMatchObject([
      429,
      { type: 'error', error: { type: 'rate_limit_error', metadata: { reason: 'limit_reserved' } } },
    ]);
    const transport = createGrpcTransport({ baseUrl: gateway.url });
    const asked = createClient(ChatService, transport).createChatCompletion(
      {
        chat: {
          model: 'test/m',
          maxTokens: MAX_TOKENS,
          messages: [{ role: 'user', content: { form: { case: 'text', value: 'Hi' } } }],
        },
      },
      { headers: { authorization: `Bearer ${gateway.apiKey}` } },
    );
    await expect(asked).rejects.toThrow('resource_exhausted');
    expect((await held.answer).status).toBe(200);
  });

  it('goes to whoever came first', async () => {
    const gateway = await start();
    await setLimit(gateway, ONE_AT_A_TIME);
    const answers: Promise<Answer>[] = [(await inFlight(gateway, { user: '0' })).answer];
    for (let at = 1; at < 6; at += 1) {
      answers.push(chat(gateway, { user: String(at) }));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await Promise.all(answers);
    expect(gateway.alpha.requests.map(({ body }) => (body as Row).user)).toEqual([
      '0',
      '1',
      '2',
      '3',
      '4',
      '5',
    ]);
  });

  it('goes to a large request before small ones that came later, and to these once that has ended', async () => {
    const gateway = await start();
    await setLimit(gateway, ONE_AT_A_TIME);
    const answers: Promise<Answer>[] = [(await inFlight(gateway, { user: 'first' })).answer];
    const ask = async (user: string, max_tokens: number) => {
      answers.push(chat(gateway, { user, max_tokens }));
      await new Promise((resolve) => setTimeout(resolve, 20));
    };
    // Alone it is more than the limit.
    await ask('large', 4 * MAX_TOKENS);
    for (const user of ['small 1', 'small 2', 'small 3']) await ask(user, 1);
    const ended = await Promise.all(answers);
    expect(ended.map(({ status }) => status)).toEqual(ended.map(() => 200));
    const order = gateway.alpha.requests.map(({ body }) => (body as Row).user);
    expect(order.slice(0, 3)).toEqual(['first', 'large', 'small 1']);
    await expectSettled(gateway);
  });

  it('is not kept from others by a client that leaves while it waits', async () => {
    const gateway = await start({ delayMs: 300 });
    await setLimit(gateway, ONE_AT_A_TIME);
    const held = await inFlight(gateway);
    const leaving = new AbortController();
    const left = fetch(`${gateway.rest}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'test/m',
        max_tokens: MAX_TOKENS,
        messages: [{ role: 'user', content: 'left' }],
      }),
      signal: leaving.signal,
    }).catch(() => 'left');
    await new Promise((resolve) => setTimeout(resolve, 50));
    const next = chat(gateway);
    leaving.abort();
    expect(await left).toBe('left');
    expect([(await held.answer).status, (await next).status]).toEqual([200, 200]);
    expect(gateway.alpha.requests).toHaveLength(2);
    await expectSettled(gateway);
  });

  it('makes nobody wait whose own key can serve the request', async () => {
    const gateway = await start({ delayMs: 1_500, credits: 100_000_000n });
    const held = await inFlight(gateway);
    await addKey(gateway, 'beta', FAKE_API_KEY);
    const served = hear(await chat(gateway));
    expect(await attempts(gateway, served)).toEqual(['beta 200 null']);
    expect(gateway.alpha.requests).toHaveLength(1);
    await held.answer;
  });

  it('lets at most 100 requests of an account wait, and refuses further ones at once', async () => {
    const gateway = await start({ waitMs: 2_000, delayMs: 3_500 });
    await setLimit(gateway, ONE_AT_A_TIME);
    const held = await inFlight(gateway);
    const waiting = Array.from({ length: 120 }, async () => {
      const startedAt = Date.now();
      const { status } = await chat(gateway);
      return { status, ms: Date.now() - startedAt };
    });
    await held.answer;
    const ended = await Promise.all(waiting);
    expect(ended.filter(({ status, ms }) => status === 429 && ms < 1_500)).toHaveLength(20);
    await expectSettled(gateway);
  });

  it('is told by the explanation as what a chat would wait for', async () => {
    for (const credits of [undefined, 100_000_000n]) {
      const gateway = await start({ delayMs: 1_000, ...(credits !== undefined && { credits }) });
      if (credits === undefined) await setLimit(gateway, ONE_AT_A_TIME);
      const explained = async () =>
        recordOf(await gateway.use('POST', '/routing/explain', { model: 'test/m', max_tokens: MAX_TOKENS }))
          .refused;
      expect(await explained()).toBeNull();
      const held = await inFlight(gateway);
      expect(await explained()).toMatchObject({ reason: 'limit_reserved' });
      await held.answer;
      expect(await explained()).toBeNull();
    }
  });
});

it('a limit that is spent is refused at once, with what was spent and what is reserved', async () => {
  const gateway = await start();
  await setLimit(gateway, { limit: COST_USD, limit_reset: 'daily' });
  await chat(gateway);
  expect(refusalIn(await chat(gateway))).toMatchObject({
    ...{ code: 403, reason: 'key_limit_exceeded', interval: 'daily' },
    ...{
      limit_usd: COST_USD,
      spent_usd: COST_USD,
      reserved_usd: 0,
      resets_at: expect.stringMatching(/^20.*Z$/),
    },
  });
});
