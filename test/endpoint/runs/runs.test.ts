import { describe, expect, it } from 'vitest';
import { RUN_LIFE_MS } from '../../../src/ledger/runs.js';
import { createRetention } from '../../../src/store/retention/retention.js';
import { setLimit } from '../../support/limits.js';
import {
  blocked,
  COST_USD,
  expectSettled,
  type MoneyGateway,
  mustSucceed,
  startMoneyGateway,
} from '../../support/money.js';
import { type Answer, bodyOf, type Row, recordOf, rowsOf } from '../../support/rest.js';

const MESSAGES = [{ role: 'user', content: 'Hello there' }];
const REACHED = { status: 402, reason: 'run_limit_exceeded' };

/** A chat that names a run, and what it may spend. */
function chatIn(
  { use }: Pick<MoneyGateway, 'use'>,
  run: string | null,
  limit: string | null = null,
  more: Row = {},
): Promise<Answer> {
  return use(
    'POST',
    '/chat/completions',
    { model: 'test/paid', messages: MESSAGES, ...more },
    {
      ...(run !== null && { 'x-byway-run': run }),
      ...(limit !== null && { 'x-byway-run-limit-usd': limit }),
    },
  );
}

async function runs({ manage }: Pick<MoneyGateway, 'manage'>, query = ''): Promise<readonly Row[]> {
  return rowsOf(await manage('GET', `/runs${query}`));
}

describe('a run', () => {
  it.each([
    ['in one piece', {}],
    ['streamed', { stream: true }],
  ])('is held to its limit by 200 requests at once, exactly (%s)', async (_, more) => {
    const gateway = await startMoneyGateway({ credits: 10n ** 12n });
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => chatIn(gateway, 'r', '0.1', { model: 'test/slow', ...more })),
    );
    // Of one account at most 100 wait for what is reserved.
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      const { status, reason } = await blocked(Promise.resolve(answer));
      expect([REACHED, { status: 429, reason: 'limit_reserved' }]).toContainEqual({ status, reason });
    }
    const served = answers.filter(({ status }) => status === 200).length;
    expect(served).toBe(10);
    expect(await runs(gateway)).toMatchObject([
      { name: 'r', requests: 10, usage: 10 * COST_USD, limit_usd: 0.1 },
    ]);
    await expectSettled(gateway);
    await mustSucceed(chatIn(gateway, 'other', '0.1'));
  });

  it('has the limit that the first request with one sets, and later ones lower and never raise', async () => {
    const gateway = await startMoneyGateway();
    await mustSucceed(chatIn(gateway, 'r'));
    expect((await runs(gateway))[0]).toMatchObject({ requests: 1 });
    expect((await runs(gateway))[0]).toMatchObject({ limit_usd: null });
    await mustSucceed(chatIn(gateway, 'r', '5'));
    await mustSucceed(chatIn(gateway, 'r', '0.04'));
    expect(await blocked(chatIn(gateway, 'r', '0.05'))).toMatchObject({
      status: 400,
      reason: 'run_limit_raised',
      limit_usd: 0.04,
    });
    await mustSucceed(chatIn(gateway, 'r', '0.04'));
    expect(await blocked(chatIn(gateway, 'r'))).toMatchObject({ ...REACHED, name: 'r', spent_usd: 0.04 });
    expect(await runs(gateway)).toMatchObject([{ limit_usd: 0.04, requests: 4, usage: 0.04 }]);
  });

  it('has the lowest limit of those that come at once', async () => {
    const gateway = await startMoneyGateway();
    const limits = Array.from({ length: 20 }, (_, index) => String(1 + index));
    const answers = await Promise.all(limits.map((limit) => chatIn(gateway, 'r', limit)));
    expect(answers[0]?.status).toBe(200);
    for (const { status } of answers) expect([200, 400]).toContain(status);
    expect(await runs(gateway)).toMatchObject([{ limit_usd: 1 }]);
  });

  it.each<[string, string | null, string | null]>([
    ['a limit without a run', null, '1'],
    ['an empty name', '', null],
    ['a name with a space', 'a b', null],
    ['a name that is too long', 'x'.repeat(129), null],
    ['a limit below 0', 'r', '-1'],
    ['a limit beyond 1e9', 'r', '1000000000.000000001'],
    ['a limit of ten decimals', 'r', '0.0000000001'],
    ['a limit that is no decimal', 'r', '1e3'],
  ])('is not begun by %s, which is 400', async (_, run, limit) => {
    const gateway = await startMoneyGateway();
    const refused = await chatIn(gateway, run, limit);
    expect([refused.status, bodyOf(refused)]).toMatchObject([
      400,
      { error: { metadata: { reason: 'invalid_request' } } },
    ]);
    expect(await runs(gateway)).toEqual([]);
  });

  it('keeps its limit where a request with a lower one is refused as invalid', async () => {
    const gateway = await startMoneyGateway();
    await mustSucceed(chatIn(gateway, 'r', '1'));
    for (const more of [{ model: 'test/unknown' }, { temperature: 9 }, { max_tokens: -1 }]) {
      expect((await chatIn(gateway, 'r', '0.5', more)).status).toBe(400);
    }
    expect(await runs(gateway)).toMatchObject([{ limit_usd: 1 }]);
    expect((await chatIn(gateway, 'new', '0.5', { model: 'test/unknown' })).status).toBe(400);
    expect(await runs(gateway)).toHaveLength(1);
  });

  it('of a limit of 0 serves nothing, over Messages with billing_error', async () => {
    const gateway = await startMoneyGateway();
    const headers = { 'x-byway-run': 'r', 'x-byway-run-limit-usd': '0' };
    const body = { model: 'test/paid', max_tokens: 10, messages: MESSAGES };
    const refused = await gateway.use('POST', '/messages', body, headers);
    expect([refused.status, bodyOf(refused)]).toMatchObject([402, { error: { type: 'billing_error' } }]);
    expect(refused.headers['x-byway-remaining-usd']).toBe('0');
  });

  it('is told of by X-Byway-Remaining-Usd and by explain, which sets nothing', async () => {
    const gateway = await startMoneyGateway();
    await setLimit(gateway, { limit: 5 });
    const explain = async (headers: Record<string, string>) =>
      recordOf(
        await gateway.use('POST', '/routing/explain', { model: 'test/paid', messages: MESSAGES }, headers),
      ).refused;
    const zero = { 'x-byway-run': 'r', 'x-byway-run-limit-usd': '0' };
    expect(await explain(zero)).toMatchObject({ reason: 'run_limit_exceeded' });
    expect(await runs(gateway)).toEqual([]);
    const first = await chatIn(gateway, 'r', '0.02');
    expect(first.headers['x-byway-remaining-usd']).toBe('0.01');
    expect(await explain({ 'x-byway-run': 'r' })).toBeNull();
    const streamed = await chatIn(gateway, 'r', null, { stream: true });
    expect(streamed.headers['x-byway-remaining-usd']).toBe('0');
    expect(await explain({ 'x-byway-run': 'r' })).toMatchObject({ reason: 'run_limit_exceeded' });
    expect((await gateway.chat('test/paid')).headers['x-byway-remaining-usd']).toBe('4.97');
  });

  it('is of one API key: another has its own of the same name, and sees its own alone', async () => {
    const gateway = await startMoneyGateway();
    await mustSucceed(chatIn(gateway, 'r', '0.01'));
    const made = bodyOf(await gateway.manage('POST', '/keys', { name: 'other' }));
    const other = (path: string, body?: object, headers = {}) =>
      gateway.use(body === undefined ? 'GET' : 'POST', path, body, {
        ...headers,
        authorization: `Bearer ${String(made.key)}`,
      });
    const body = { model: 'test/paid', messages: MESSAGES };
    await mustSucceed(other('/chat/completions', body, { 'x-byway-run': 'r' }));
    expect(await runs(gateway)).toHaveLength(2);
    expect(rowsOf(await other('/runs'))).toMatchObject([{ limit_usd: null, usage: COST_USD }]);
    expect(rowsOf(await other(`/runs?api_key_hash=${gateway.apiKeyHash}`))).toEqual([]);
    expect(await runs(gateway, `?api_key_hash=${gateway.apiKeyHash}`)).toMatchObject([{ limit_usd: 0.01 }]);
    expect(await runs(gateway, '?limit=1')).toHaveLength(1);
    expect(await runs(gateway, '?to=2020-01-01T00:00:00Z')).toEqual([]);
    expect((await gateway.manage('GET', '/runs?from=yesterday')).status).toBe(400);
  });

  it('ends 30 days after its last request: the name is a new run, and the ledger keeps what it was charged', async () => {
    const gateway = await startMoneyGateway();
    await mustSucceed(chatIn(gateway, 'r', '0.01'));
    await mustSucceed(chatIn(gateway, 'dropped', '0.01'));
    const { database } = gateway.gateway;
    const age = () =>
      database.transact([], (tx) =>
        tx
          .updateTable('run')
          .set({ last_at: Date.now() - RUN_LIFE_MS })
          .execute(),
      );
    await age();
    await mustSucceed(chatIn(gateway, 'r', '0.02'));
    expect((await runs(gateway)).filter(({ name }) => name === 'r')).toMatchObject([
      { limit_usd: 0.02, requests: 1, usage: COST_USD },
    ]);
    const log = { info: () => undefined, error: () => undefined };
    const clock = { now: () => Date.now() };
    const days = { records: null, ledger: null };
    await createRetention(database, days, { clock, meter: { dropped: () => undefined } }).run(log);
    expect(await runs(gateway)).toHaveLength(1);
    const entries = await database.query.selectFrom('ledger_entry').select('run_id').execute();
    expect(new Set(entries.flatMap(({ run_id }) => run_id ?? []))).toHaveProperty('size', 3);
    await expectSettled(gateway);
  });

  it('with a limit is one of 10,000 of its key', async () => {
    const gateway = await startMoneyGateway();
    const { database } = gateway.gateway;
    const row = {
      account_id: gateway.accountId,
      workspace_id: gateway.workspaceId,
      api_key_hash: gateway.apiKeyHash,
      ...{ limit_nano_usd: 1n, requests: 1, first_at: 1, last_at: Date.now() },
    };
    for (let first = 0; first < 10_000; first += 1_000) {
      const rows = Array.from({ length: 1_000 }, (_, index) => {
        const name = `run-${first + index}`;
        return { id: name, name, ...row };
      });
      await database.transact([], (tx) => tx.insertInto('run').values(rows).execute());
    }
    expect(await blocked(chatIn(gateway, 'r', '1'))).toMatchObject({ status: 429, reason: 'too_many_runs' });
    await mustSucceed(chatIn(gateway, 'r'));
    expect(await blocked(chatIn(gateway, 'r', '1'))).toMatchObject({ status: 429, reason: 'too_many_runs' });
  });
});
