import { describe, expect, it } from 'vitest';
import { clockAt } from '../../support/clock.js';
import type { FakePlan } from '../../support/fakes/fake-openai/plan.js';
import { forAccount } from '../../support/money.js';
import { generation, hear, MODES, type ProvidersGateway, startProviders } from '../../support/providers.js';
import { bodyOf, type Row, recordOf } from '../../support/rest.js';

const START = Date.UTC(2026, 0, 5);

/** What an ordinary request asks for. */
const MEMBERS = {
  ...{ temperature: 0.2, top_p: 0.9, top_k: 5, seed: 7, stop: ['END'], max_tokens: 50 },
  ...{ frequency_penalty: 0.1, presence_penalty: 0.1, reasoning_effort: 'low', user: 'u', verbosity: 'low' },
};

const refusing = (message: string, more: object = {}): FakePlan => ({
  status: 400,
  body: { error: { message, type: 'invalid_request_error', param: null, code: null, ...more } },
});

/** What a hostile account asks, and what `alpha` answers to it. */
interface Deed {
  readonly does: string;
  readonly asks: object;
  readonly answers: readonly FakePlan[];
}

const ECHOED = 'x requested operation is unsupported';
const TWELVE = Object.keys(MEMBERS).join(', ');

const DEEDS: readonly Deed[] = [
  {
    does: 'sends a value that is refused',
    asks: { temperature: 1.9 },
    answers: [
      refusing("Unsupported value: 'temperature' does not support 1.9 with this model.", {
        param: 'temperature',
      }),
    ],
  },
  {
    does: 'sends a member that is refused',
    asks: { seed: 1 },
    answers: [refusing("Unsupported parameter: 'seed' is not supported with this model.", { param: 'seed' })],
  },
  {
    does: 'has words about the endpoint repeated to it',
    asks: { stop: [ECHOED] },
    answers: [`Invalid value: '${ECHOED}'`, `Invalid value: ${ECHOED}`, ECHOED].map((words) =>
      refusing(words),
    ),
  },
  {
    does: 'has words about twelve members repeated to it',
    asks: { ...MEMBERS, stop: [`Unrecognized request arguments supplied: ${TWELVE}`] },
    answers: [refusing(`Unrecognized request arguments supplied: ${TWELVE}`)],
  },
  {
    does: 'is refused twelve members at once',
    asks: MEMBERS,
    answers: [refusing(`Unrecognized request arguments supplied: ${TWELVE}`)],
  },
  {
    does: 'is refused stream_options',
    asks: { stream: true },
    answers: [refusing('Unrecognized request argument supplied: stream_options')],
  },
  {
    does: 'is refused the spelling of its token limit',
    asks: { max_tokens: 5 },
    answers: [refusing("Unsupported parameter: 'max_tokens' is not supported with this model.")],
  },
  {
    does: 'meets a 429 with Retry-After',
    asks: {},
    answers: [{ status: 429, headers: { 'retry-after': '60' } }],
  },
  {
    does: 'meets an endpoint that can’t answer',
    asks: {},
    answers: [refusing('This model is only supported in v1/responses and not in v1/chat/completions.')],
  },
  { does: 'meets failures', asks: {}, answers: Array.from({ length: 4 }, () => ({ status: 500 })) },
  {
    does: 'meets refused credentials',
    asks: {},
    answers: Array.from({ length: 4 }, () => ({ status: 401 })),
  },
  {
    does: 'pins the endpoint, and meets failures',
    asks: { provider: { only: ['alpha'], allow_fallbacks: false } },
    answers: Array.from({ length: 4 }, () => ({ status: 503 })),
  },
  {
    does: 'waits for no first byte',
    asks: { stream: true, provider: { timeouts_ms: { first_byte: 30 } } },
    answers: Array.from({ length: 4 }, () => ({ delayMs: 150 })),
  },
];

/** Everything that an ordinary account is told of its requests, and what is sent for it. */
async function ordinary(gateway: ProvidersGateway) {
  const before = gateway.alpha.requests.length;
  const heard: unknown[] = [];
  for (const mode of MODES) {
    const { status, provider, content, usage, headers, id } = await gateway.ask(mode, MEMBERS);
    const { provider_responses, excluded_counts, usage: charged } = await generation(gateway, { id });
    const responses = (provider_responses as Row[]).map(({ latency_ms, ...rest }) => rest);
    expect([status, provider]).toEqual([200, 'alpha']);
    heard.push({ status, provider, content, usage, responses, excluded_counts, charged });
    heard.push(headers['x-byway-adapted'] ?? null);
  }
  const route = recordOf(
    await gateway.use('POST', '/routing/explain', { model: 'test/m', provider: { sort: 'latency' } }),
  );
  const sent = gateway.alpha.requests.slice(before).map(({ text }) => JSON.parse(text));
  return { heard, sent, attempts: route.attempts };
}

describe('what one account does changes nothing for another on shared capacity', () => {
  it.each(DEEDS)('that $does', async ({ asks, answers }) => {
    const [quiet, loud] = await Promise.all([
      startProviders('shared capacity', { clock: clockAt(START) }),
      startProviders('shared capacity', { clock: clockAt(START) }),
    ]);
    const hostile = forAccount(loud, await loud.addAccount());
    for (const answer of answers) {
      loud.alpha.plan('m', answer, ...(answer.status === 400 ? [{}] : []));
      await hostile.chat('test/m', asks);
    }
    expect(loud.alpha.requests.length, 'what the hostile account has asked').toBeGreaterThan(0);
    loud.alpha.plan('m');
    const alone = await ordinary(quiet);
    expect(await ordinary(loud)).toEqual(alone);
  });
});

describe('what it met holds for the account itself, and for all once three have met it', () => {
  async function withAccounts(count: number) {
    const clock = clockAt(START);
    const gateway = await startProviders('shared capacity', { clock });
    const accounts = [];
    for (let n = 0; n < count; n++) accounts.push(forAccount(gateway, await gateway.addAccount()));
    const sentFor = async (account: { chat: ProvidersGateway['chat'] }, more: object) => {
      const before = gateway.alpha.requests.length;
      const heard = hear(await account.chat('test/m', more));
      const sent = gateway.alpha.requests.slice(before).map(({ text }) => Object.keys(JSON.parse(text)));
      return { heard, sent };
    };
    return { clock, gateway, accounts, sentFor };
  }

  it('a member that is refused', async () => {
    const { clock, gateway, accounts, sentFor } = await withAccounts(4);
    const isLeftOut = async (account: ProvidersGateway | (typeof accounts)[number]) => {
      const { sent } = await sentFor(account, { top_k: 5 });
      return sent.length === 1 && !sent[0]?.includes('top_k');
    };
    const [a, b, c, d] = accounts as [never, never, never, never];
    for (const account of [a, b]) {
      expect(await isLeftOut(account)).toBe(false);
      expect(await isLeftOut(account)).toBe(true);
    }
    clock.advance(30 * 60_000);
    expect(await isLeftOut(c)).toBe(false);
    expect([await isLeftOut(d), await isLeftOut(gateway)]).toEqual([true, true]);
    clock.advance(31 * 60_000);
    expect(await isLeftOut(d), 'two of the three met it longer ago than an hour').toBe(false);
  });

  it('one success with the member forgets it', async () => {
    const { gateway, accounts, sentFor } = await withAccounts(4);
    const [a, b, c, d] = accounts as [never, never, never, never];
    const refusal = refusing("Unsupported parameter: 'seed' is not supported with this model.");
    for (const account of [a, b, c]) {
      gateway.alpha.plan('m', refusal, {});
      await sentFor(account, { seed: 1 });
    }
    expect((await sentFor(d, { seed: 1 })).sent).toEqual([expect.not.arrayContaining(['seed'])]);
    const asItIs = { seed: 1, provider: { adapt: false } };
    expect((await sentFor(d, asItIs)).sent).toEqual([expect.arrayContaining(['seed'])]);
    for (const account of [a, d, gateway]) {
      expect((await sentFor(account as never, { seed: 1 })).sent).toEqual([expect.arrayContaining(['seed'])]);
    }
  });

  it('a provider that asks to wait, which is told in the record of whoever is served elsewhere', async () => {
    const { gateway, accounts, sentFor } = await withAccounts(3);
    for (const account of accounts) {
      expect((await sentFor(gateway, {})).heard.provider).toBe('alpha');
      gateway.alpha.plan('m', { status: 429, headers: { 'retry-after': '20' } }, {});
      expect((await sentFor(account, {})).heard.provider).toBe('beta');
    }
    const { heard, sent } = await sentFor(gateway, {});
    expect([heard.provider, sent]).toEqual(['beta', []]);
    expect((await generation(gateway, heard)).excluded_counts).toEqual({ resting: 1 });
    const { data } = bodyOf(await gateway.use('POST', '/routing/explain', { model: 'test/m' }));
    expect((data as Row).attempts).toMatchObject([
      { provider: 'beta', standing: { state: 'ok' } },
      { provider: 'alpha', standing: { state: 'resting' } },
    ]);
    const { data: listed } = bodyOf(await gateway.manage('GET', '/generations'));
    expect(listed).toContainEqual(expect.objectContaining({ id: heard.id, excluded_counts: { resting: 1 } }));
    const exported = await gateway.manage('GET', '/generations/export');
    expect(exported.text).toContain('"excluded_counts":{"resting":1}');
  });
});
