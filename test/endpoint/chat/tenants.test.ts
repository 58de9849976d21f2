import { describe, expect, it } from 'vitest';
import { clockAt } from '../../support/clock.js';
import { forAccount } from '../../support/money.js';
import { generation, hear, MODES, type ProvidersGateway, startProviders } from '../../support/providers.js';
import { bodyOf, type Row, recordOf } from '../../support/rest.js';
import { DEEDS, MEMBERS, plansFor, refusing } from './hostile-deeds.js';

const START = Date.UTC(2026, 0, 5);

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
      loud.alpha.plan('m', ...plansFor(answer));
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
      { provider: 'beta', health: { state: 'ok' } },
      { provider: 'alpha', health: { state: 'resting' } },
    ]);
    const { data: listed } = bodyOf(await gateway.manage('GET', '/generations'));
    expect(listed).toContainEqual(expect.objectContaining({ id: heard.id, excluded_counts: { resting: 1 } }));
    const exported = await gateway.manage('GET', '/generations/export');
    expect(exported.text).toContain('"excluded_counts":{"resting":1}');
  });
});
