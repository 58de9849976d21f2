/** What all accounts share, through the public transport: an ordinary account beside one that fills it. */
import { describe, expect, it, vi } from 'vitest';
import { DATABASE_KINDS, temporaryDatabaseUrl } from '../../support/database.js';
import {
  blocked,
  COST_USD,
  countAdmitted,
  expectSettled,
  forAccount,
  keyRecord,
  type MoneyGateway,
  startMoneyGateway,
} from '../../support/money.js';
import { addKey, expectAnswerFrom, hear, MODES, startProviders } from '../../support/providers.js';
import { bodyOf, caller, recordOf, rowsOf, send } from '../../support/rest.js';
import { waitFor } from '../../support/wait-for.js';

const UNKNOWN_KEY = `bw-v1-${'0'.repeat(64)}`;
const SLOW_KEY = 'sk-slow-0123456789abcdefghij';

/** A gateway, and another account of it, which is hostile. */
async function startTwo(options: Parameters<typeof startMoneyGateway>[0] = {}) {
  const gateway = await startMoneyGateway(options);
  return { gateway, hostile: forAccount(gateway, await gateway.addAccount()) };
}

/** The same many times, some at once. */
async function often(times: number, call: (index: number) => Promise<unknown>): Promise<void> {
  const AT_ONCE = 20;
  for (let first = 0; first < times; first += AT_ONCE) {
    const few = Array.from({ length: Math.min(AT_ONCE, times - first) }, (_, index) => call(first + index));
    await Promise.all(few);
  }
}

/** A chat of the account is answered by what it asked for, and its key is charged for it and nothing else. */
async function expectServed(tenant: MoneyGateway): Promise<void> {
  const before = Number((await keyRecord(tenant)).usage);
  const heard = hear(await tenant.chat('test/paid'));
  expect(heard).toMatchObject({ status: 200, error: null, model: 'test/paid', usage: { cost: COST_USD } });
  expect(Number((await keyRecord(tenant)).usage) - before).toBeCloseTo(COST_USD, 9);
}

async function makeKey({ manage }: MoneyGateway, name: string): Promise<{ key: string; hash: string }> {
  const made = await manage('POST', '/keys', { name });
  return { key: String(bodyOf(made).key), hash: String(recordOf(made).hash) };
}

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const databaseOf = async () => ({ BYWAY_DATABASE_URL: await temporaryDatabaseUrl(kind) });

  it('credentials, policies and routes that one account changes in a loop are still those of another', async () => {
    const { gateway, hostile } = await startTwo({ env: await databaseOf() });
    let isOver = false;
    const loops = Array.from({ length: 4 }, async (_, loop) => {
      while (!isOver) {
        const { key, hash } = await makeKey(hostile, `Key ${loop}`);
        await hostile.chat('test/free', {}, key);
        const made = await hostile.manage('POST', '/guardrails', {
          name: 'No',
          allowed_models: ['test/free'],
        });
        const guardrail = `/guardrails/${recordOf(made).id}`;
        await hostile.manage('POST', `${guardrail}/assignments/keys`, { key_hashes: [hash] });
        expect((await hostile.chat('test/paid', {}, key)).status).toBeGreaterThanOrEqual(400);
        await hostile.manage('DELETE', `/keys/${hash}`);
        expect((await hostile.chat('test/free', {}, key)).status).toBe(401);
        await hostile.manage('DELETE', guardrail);
      }
    });
    try {
      for (let round = 0; round < 20; round += 1) await expectServed(gateway);
    } finally {
      isOver = true;
      await Promise.all(loops);
    }
  });

  it('look-ups, connections and groups of writes that one account fills answer and charge another', async () => {
    const { gateway, hostile } = await startTwo({ env: await databaseOf() });
    const unknown = caller(gateway, UNKNOWN_KEY);
    const { accountId, apiKeyHash } = hostile;
    const bursts = Promise.all(
      Array.from({ length: 150 }, () => [
        hostile.chat('test/paid'),
        hostile.use('GET', '/key'),
        unknown('GET', '/key'),
        hostile.manage('PATCH', `/keys/${apiKeyHash}`, { name: accountId }),
      ]).flat(),
    );
    for (let round = 0; round < 5; round += 1) await expectServed(gateway);
    const statuses = new Set((await bursts).map(({ status }) => status));
    expect(statuses).toEqual(new Set([200, 401]));
    await expectServed(gateway);
  });

  it('calls of administration are counted for each key: one that has none left takes none of another', async () => {
    const env = { ...(await databaseOf()), BYWAY_ADMIN_RATE_PER_MINUTE: '5' };
    const { gateway, hostile } = await startTwo({ env });
    const calls = await Promise.all(Array.from({ length: 30 }, () => hostile.manage('GET', '/keys')));
    expect(calls.filter(({ status }) => status === 200)).toHaveLength(5);
    const { status, headers } = await gateway.manage('GET', '/keys');
    expect([status, headers['x-ratelimit-remaining']]).toEqual([200, '4']);
  });
});

it('unknown credentials from the address that accounts share refuse no account that was found before', async () => {
  const { gateway, hostile } = await startTwo({ failedPerSecond: 2 });
  const { rest } = gateway;
  const rename = () => hostile.manage('PATCH', `/keys/${hostile.apiKeyHash}`, { name: 'Hostile' });
  await rename();
  await expectServed(gateway);
  const unknown = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      send(`${rest}/key`, 'GET', {
        headers: { authorization: `Bearer bw-v1-${String(index).padStart(64, '0')}` },
      }),
    ),
  );
  expect(new Set(unknown.map(({ status }) => status)).has(200)).toBe(false);
  expect((await caller(gateway, UNKNOWN_KEY)('GET', '/key')).status).toBe(429);
  // After it every credential is looked up again.
  expect((await rename()).status).toBe(200);
  await expectServed(gateway);
});

it('what is reserved for the requests in flight of one account counts for no other', async () => {
  const { gateway, hostile } = await startTwo();
  await gateway.manage('PATCH', `/keys/${gateway.apiKeyHash}`, { limit: 2.5 * COST_USD });
  const admitted = countAdmitted(gateway);
  const slow = Array.from({ length: 200 }, () => hostile.chat('test/slow', { stream: true }));
  await vi.waitFor(() => expect(admitted()).toBe(200), 10_000);
  for (let round = 0; round < 3; round += 1) await expectServed(gateway);
  expect(await blocked(gateway.chat('test/paid'))).toMatchObject({ reason: 'key_limit_exceeded' });
  await Promise.all(slow);
  expect(Number((await keyRecord(hostile)).usage)).toBeCloseTo(200 * COST_USD, 9);
  await expectSettled(gateway);
});

describe('provider keys', () => {
  it('of one account that fill the memory are read and used for nobody else, nor another’s for it', {
    timeout: 60_000,
  }, async () => {
    const gateway = await startProviders('BYOK keys', { env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' } });
    const hostile = forAccount(gateway, await gateway.addAccount());
    expectAnswerFrom(await gateway.ask('in one piece'), 'alpha');
    const read = vi.spyOn(gateway.gateway.stores.credentials, 'storedKeysOf');
    await often(560, (index) => addKey(hostile, 'alpha', `sk-${index}-`.padEnd(64_000, 'x')));
    const refused = hear(await hostile.chat('test/m', { provider: { allow_fallbacks: false } }));
    expect(refused.status).toBeGreaterThanOrEqual(400);
    const sent = gateway.alpha.requests.length;
    expectAnswerFrom(await gateway.ask('in one piece'), 'alpha');
    expectAnswerFrom(await gateway.ask('streamed'), 'alpha');
    expect(gateway.alpha.requests.length).toBe(sent + 2);
    expect(read.mock.calls.map(([workspaceId]) => workspaceId)).toEqual([
      hostile.workspaceId,
      gateway.workspaceId,
    ]);
  });

  it('that one account tests at a host that never answers leave tests and chats of another', async () => {
    const gateway = await startProviders('BYOK keys', {
      env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1', BYWAY_MAX_IN_FLIGHT_PER_ACCOUNT: '10' },
    });
    const hostile = forAccount(gateway, await gateway.addAccount());
    const id = await addKey(hostile, 'alpha', SLOW_KEY);
    gateway.alpha.planKey(SLOW_KEY, { stallAfter: 0 });
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${hostile.managementKey}` };
    const hanging = Array.from({ length: 60 }, () =>
      fetch(`${gateway.rest}/byok/${id}/test`, { method: 'POST', headers, signal: leaving.signal }),
    );
    await waitFor(() => expect(gateway.alpha.requests.length).toBe(10));
    const own = rowsOf(await gateway.manage('GET', '/byok')).find(({ provider }) => provider === 'alpha');
    expect(recordOf(await gateway.manage('POST', `/byok/${own?.id}/test`))).toMatchObject({ ok: true });
    for (const mode of MODES) expectAnswerFrom(await gateway.ask(mode), 'alpha');
    leaving.abort();
    await Promise.allSettled(hanging);
  });
});

it('lists of models of one account, their pages and names of the host, change nothing in those of another', async () => {
  const { gateway, hostile } = await startTwo();
  const before = (await gateway.use('GET', '/models/user')).text;
  await often(80, async (index) => {
    const { key, hash } = await makeKey(hostile, `Key ${index}`);
    const allowed_models = ['test/free', `test/none-${index}`];
    const made = await hostile.manage('POST', '/guardrails', { name: 'No', allowed_models });
    await hostile.manage('POST', `/guardrails/${recordOf(made).id}/assignments/keys`, { key_hashes: [hash] });
    const headers = { authorization: `Bearer ${key}`, host: `host-${index}.example` };
    const list = await send(`${gateway.rest}/models/user`, 'GET', { headers });
    expect(rowsOf(list).map(({ id }) => id)).toEqual(['test/free']);
    for (let offset = 0; offset < 5; offset += 1) {
      await send(`${gateway.rest}/models/user?limit=1&offset=${offset}`, 'GET', { headers });
    }
  });
  expect((await gateway.use('GET', '/models/user')).text).toBe(before);
  expect((await caller(gateway)('GET', '/models')).text).not.toContain('host-');
  await expectServed(gateway);
});
