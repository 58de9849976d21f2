import { describe, expect, it } from 'vitest';
import { guardrail, setLimit, workspaceBudget } from '../../support/limits.js';
import { blocked, COST_USD, forAccount, type MoneyGateway, startMoneyGateway } from '../../support/money.js';
import { addKey, generation, type ProvidersGateway, startProviders } from '../../support/providers.js';
import { bodyOf, caller, recordOf, refusalOf } from '../../support/rest.js';
import { CACHE, cacheOf, cacheOfEach } from './cached.js';

/** A further key of the account; its secret. */
async function furtherKey({ manage }: MoneyGateway, more: object = {}): Promise<string> {
  const made = await manage('POST', '/keys', { name: 'Further', ...more });
  expect(made.status).toBe(201);
  return String(bodyOf(made).key);
}

const chatOf =
  (gateway: MoneyGateway, key: string, more: object = {}) =>
  () =>
    gateway.chat('test/free', { ...CACHE, ...more }, key);

describe('an answer is shared', () => {
  it('by the keys of a workspace', async () => {
    const gateway = await startMoneyGateway();
    const further = await furtherKey(gateway);
    expect(await cacheOfEach(chatOf(gateway, gateway.apiKey), chatOf(gateway, further))).toEqual([
      ...['miss', 'hit'],
    ]);
  });

  it('with no other workspace of the account', async () => {
    const gateway = await startMoneyGateway();
    const { id } = recordOf(await gateway.manage('POST', '/workspaces', { name: 'Other', slug: 'other' }));
    const other = await furtherKey(gateway, { workspace_id: id });
    expect(
      await cacheOfEach(
        chatOf(gateway, gateway.apiKey),
        chatOf(gateway, other),
        chatOf(gateway, other),
        chatOf(gateway, gateway.apiKey),
      ),
    ).toEqual(['miss', 'miss', 'hit', 'hit']);
  });

  it('with no other account', async () => {
    const gateway = await startMoneyGateway();
    const other = forAccount(gateway, await gateway.addAccount());
    expect(await cacheOfEach(chatOf(gateway, gateway.apiKey), chatOf(other, other.apiKey))).toEqual([
      ...['miss', 'miss'],
    ]);
  });

  it('among requests for one end user alone, where the key requires one', async () => {
    const gateway = await startMoneyGateway();
    const required = await furtherKey(gateway, { end_user_required: true });
    const forUser = (user: string) => chatOf(gateway, required, { user });
    expect(
      await cacheOfEach(
        chatOf(gateway, gateway.apiKey),
        forUser('ann'),
        forUser('ann'),
        forUser('bob'),
        chatOf(gateway, gateway.apiKey, { user: 'ann' }),
      ),
    ).toEqual(['miss', 'miss', 'hit', 'miss', 'hit']);
  });

  it('with no key that is not admitted to the BYOK key that has paid for it', async () => {
    const gateway = await startProviders('shared capacity');
    const further = await furtherKey(gateway);
    const own = await addKey(gateway, 'alpha', 'sk-fake-0123456789abcdefghij', {
      allowed_api_key_hashes: [gateway.apiKeyHash],
    });
    const ask = (key: string) => () => gateway.chat('test/m', CACHE, key);
    const first = await ask(gateway.apiKey)();
    expect(await generation(gateway, { id: bodyOf(first).id as string })).toMatchObject({ byok_key_id: own });
    expect([cacheOf(first), ...(await cacheOfEach(ask(further), ask(further)))]).toEqual([
      ...['miss', 'miss', 'hit'],
    ]);
  });

  it('with nobody once the BYOK key that has paid for it is gone', async () => {
    const gateway = await startProviders(null);
    const id = await addKey(gateway, 'alpha', 'sk-fake-0123456789abcdefghij');
    await addKey(gateway, 'beta', 'sk-fake-0123456789abcdefghij');
    const ask = () => gateway.ask('in one piece', CACHE);
    const before = await cacheOfEach(ask, ask);
    await gateway.manage('DELETE', `/byok/${id}`);
    expect([before, await ask()]).toMatchObject([
      ['miss', 'hit'],
      { provider: 'beta', headers: { 'x-byway-cache': 'miss' } },
    ]);
  });
});

const kept = async (model = 'test/m'): Promise<ProvidersGateway> => {
  const gateway = await startProviders('shared capacity');
  for (const outcome of ['miss', 'hit']) expect(cacheOf(await gateway.chat(model, CACHE))).toBe(outcome);
  return gateway;
};

describe('who could not ask can not read', () => {
  it('what a provider has said that a guardrail forbids since then', async () => {
    const gateway = await kept();
    await guardrail(gateway, { ignored_providers: ['alpha'] }, 'key');
    const answer = await gateway.ask('in one piece', CACHE);
    expect([cacheOf(answer), answer.provider]).toEqual(['miss', 'beta']);
  });

  it('what a model has said that a guardrail forbids since then', async () => {
    const gateway = await kept();
    await guardrail(gateway, { ignored_models: ['test/m'] }, 'default');
    const answer = await gateway.chat('test/m', CACHE);
    expect([answer.status, cacheOf(answer)]).toEqual([404, null]);
  });

  it.each<readonly [string, (gateway: MoneyGateway) => Promise<unknown>, number, string]>([
    ['the limit of the key', (gateway) => setLimit(gateway, { limit: COST_USD }), 403, 'key_limit_exceeded'],
    [
      'a guardrail',
      (gateway) => guardrail(gateway, { limit_usd: COST_USD }, 'key'),
      ...([403, 'guardrail_budget_exceeded'] as const),
    ],
    [
      'a budget of the workspace',
      (gateway) => workspaceBudget(gateway, 'monthly', { limit_usd: COST_USD }),
      ...([403, 'workspace_budget_exceeded'] as const),
    ],
  ])('once %s is spent', async (_, set, status, reason) => {
    const gateway = await startMoneyGateway();
    await set(gateway);
    expect(cacheOf(await gateway.chat('test/paid', CACHE))).toBe('miss');
    for (const stream of [false, true])
      expect(await blocked(gateway.chat('test/paid', { ...CACHE, stream }))).toMatchObject({
        status,
        reason,
      });
    expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ status, reason });
  });

  it('once the credits are spent', async () => {
    const gateway = await startMoneyGateway({ credits: 10_000_000n });
    expect(cacheOf(await gateway.chat('test/paid', CACHE))).toBe('miss');
    expect(refusalOf(await gateway.chat('test/paid', CACHE))).toEqual([402, 'insufficient_credits']);
  });

  it('once its run, or its end user, has spent its limit', async () => {
    const gateway = await startMoneyGateway();
    await setLimit(gateway, { end_user_limit: COST_USD });
    const ask = (headers: Record<string, string>) =>
      caller(gateway, gateway.apiKey)(
        'POST',
        '/chat/completions',
        { model: 'test/paid', messages: [{ role: 'user', content: 'Hi' }], ...CACHE },
        headers,
      );
    const inRun = { 'x-byway-run': 'r', 'x-byway-run-limit-usd': String(COST_USD) };
    const asAnn = { 'x-byway-end-user': 'ann' };
    expect(cacheOf(await ask({ ...inRun, ...asAnn }))).toBe('miss');
    expect(refusalOf(await ask(inRun))).toEqual([402, 'run_limit_exceeded']);
    expect(refusalOf(await ask(asAnn))).toEqual([403, 'end_user_limit_exceeded']);
    expect(cacheOf(await ask({}))).toBe('hit');
  });

  it('but what requests in flight hold refuses no answer of the cache', async () => {
    const gateway = await startMoneyGateway({ env: { BYWAY_RESERVATION_WAIT_MS: '0' } });
    expect(cacheOf(await gateway.chat('test/paid', CACHE))).toBe('miss');
    await setLimit(gateway, { limit: 2 * COST_USD });
    const slow = gateway.chat('test/slow', { max_tokens: 100 });
    await expect.poll(async () => (await gateway.chat('test/paid')).status).toBe(429);
    expect(cacheOf(await gateway.chat('test/paid', CACHE))).toBe('hit');
    expect((await slow).status).toBe(200);
  });
});

type Demand = readonly [
  where: string,
  demand: (gateway: MoneyGateway) => Promise<unknown>,
  withdraw: (gateway: MoneyGateway, made: unknown) => Promise<unknown>,
];

const RULES = [{ enforce_zdr: true }, { data_collection: 'deny' }] as const;
const NONE = { enforce_zdr: false, data_collection: null };
const withdrawGuardrail: Demand[2] = (gateway, made) =>
  gateway.manage('PATCH', `/guardrails/${(made as { id: string }).id}`, NONE);

const DEMANDS: readonly Demand[] = [
  ...RULES.flatMap((rule) =>
    (['key', 'member', 'default'] as const).map(
      (to): Demand => [
        `a guardrail of the ${to === 'default' ? 'workspace' : to} (${Object.keys(rule)})`,
        (gateway) => guardrail(gateway, rule, to),
        withdrawGuardrail,
      ],
    ),
  ),
  ...[{ zdr: true }, { data_collection: 'deny' }].map(
    (preference): Demand => [
      `the account (${Object.keys(preference)})`,
      (gateway) => gateway.manage('PATCH', '/preferences', preference),
      (gateway) => gateway.manage('PATCH', '/preferences', { zdr: false, data_collection: null }),
    ],
  ),
];

describe('nothing is read or kept where it is demanded that nothing is retained', () => {
  it.each(DEMANDS)('by %s', async (_, demand, withdraw) => {
    const gateway = await startProviders('shared capacity');
    const ask = (text: string) => () =>
      gateway.chat('test/m', { ...CACHE, messages: [{ role: 'user', content: text }] });
    await ask('before')();
    const made = await demand(gateway);
    expect(await cacheOfEach(ask('before'), ask('meanwhile'), ask('meanwhile'))).toEqual([null, null, null]);
    await withdraw(gateway, made);
    expect(await cacheOfEach(ask('before'), ask('meanwhile'))).toEqual(['hit', 'miss']);
  });

  it.each([{ zdr: true }, { data_collection: 'deny' }])('by the request (%j)', async (provider) => {
    const gateway = await startProviders('shared capacity');
    const ask = () => gateway.ask('in one piece', { ...CACHE, provider });
    expect(await cacheOfEach(ask, ask)).toEqual([null, null]);
    expect(gateway.alpha.requests).toHaveLength(2);
  });
});
