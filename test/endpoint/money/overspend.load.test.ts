import { describe, expect, it } from 'vitest';
import { temporaryDatabaseUrl, usualKind } from '../../support/database.js';
import { guardrail, setLimit, workspaceBudget } from '../../support/limits.js';
import { expectSettled, keyRecord, type MoneyGateway, mustSucceed } from '../../support/money.js';
import { type Answer, caller, recordOf } from '../../support/rest.js';
import { GREEDY_KINDS, type GreedyGateway, type GreedyKind, startGreedy } from './greedy-hosts.js';

const BURST = 100;

/** What the account's key has spent at list price, in USD. */
async function spentUsd(gateway: MoneyGateway): Promise<number> {
  const { usage, byok_usage } = await keyRecord(gateway);
  return Number(usage) + Number(byok_usage);
}

/** What one request of the kind costs. */
async function costUsd(gateway: GreedyGateway, kind: GreedyKind): Promise<number> {
  const before = await spentUsd(gateway);
  await mustSucceed(gateway.ask(kind));
  return (await spentUsd(gateway)) - before;
}

const burst = (ask: (index: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: BURST }, (_, index) => ask(index)));

describe.each(['shared', 'byok'] as const)('a hundred requests at once over %s capacity', (capacity) => {
  // With keys of one's own every third: they differ in who pays alone.
  const kinds = GREEDY_KINDS.filter((_, index) => capacity === 'shared' || index % 3 === 0);

  it.each(kinds.map((kind) => [kind.name, kind] as const))(
    'overspend a limit by at most the most of one: %s',
    async (_, kind) => {
      const gateway = await startGreedy([kind], capacity, { env: { BYWAY_RESERVATION_WAIT_MS: '60000' } });
      const most = await costUsd(gateway, kind);
      for (const limitUsd of [0.05, 0.5]) {
        const before = await spentUsd(gateway);
        const limit = Number((before + limitUsd).toFixed(9));
        await setLimit(gateway, { limit, include_byok_in_limit: true });
        const answers = await burst(() => gateway.ask(kind));
        const refused = kind.path === '/messages' ? 402 : 403;
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, refused]));
        expect((await spentUsd(gateway)) - before).toBeLessThan(limitUsd + most);
        await expectSettled(gateway);
      }
    },
  );
});

const LIMITED: readonly (readonly [
  name: string,
  set: (gateway: MoneyGateway, usd: number) => Promise<unknown>,
])[] = [
  ['a key limit', (gateway, limit) => setLimit(gateway, { limit })],
  ['a guardrail budget', (gateway, limit_usd) => guardrail(gateway, { limit_usd }, 'default')],
  ['a workspace budget', (gateway, limit_usd) => workspaceBudget(gateway, 'monthly', { limit_usd })],
];

/** Kinds of about the same cost, so that the dearest of them hides no overspending of the others. */
const MIXED = GREEDY_KINDS.filter(({ host }) => host === 'openai');

/** The most that a request of these kinds costs. */
async function dearestUsd(gateway: GreedyGateway): Promise<number> {
  let dearest = 0;
  for (const kind of MIXED) dearest = Math.max(dearest, await costUsd(gateway, kind));
  return dearest;
}

const anyKind = (index: number): GreedyKind => MIXED[index % MIXED.length] as GreedyKind;

it.each(LIMITED)('%s is overspent by at most the dearest of all kinds at once', async (_, set) => {
  const gateway = await startGreedy(MIXED, 'shared');
  const dearest = await dearestUsd(gateway);
  const before = await spentUsd(gateway);
  await set(gateway, Number((before + 0.5).toFixed(9)));
  await burst((index) => gateway.ask(anyKind(index)));
  expect((await spentUsd(gateway)) - before).toBeLessThan(0.5 + dearest);
  await expectSettled(gateway);
});

it('credits are overspent by at most the dearest of all kinds at once', async () => {
  const gateway = await startGreedy(MIXED, 'shared');
  const dearest = await dearestUsd(gateway);
  const poor = await gateway.addAccount({ credits: 500_000_000n });
  await burst((index) => gateway.ask(anyKind(index), poor.apiKey));
  const { total_usage } = recordOf(await caller(gateway, poor.managementKey)('GET', '/credits'));
  expect(Number(total_usage)).toBeLessThan(0.5 + dearest);
  await expectSettled(gateway);
});

describe.runIf(usualKind() === 'postgres')('two processes with one database', () => {
  it('overspend a limit by at most the dearest of all kinds at once', async () => {
    const options = {
      env: {
        BYWAY_DATABASE_URL: await temporaryDatabaseUrl('postgres'),
        BYWAY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
      },
    };
    const first = await startGreedy(MIXED, 'shared', options);
    const dearest = await dearestUsd(first);
    const second = await startGreedy(MIXED, 'shared', options);
    for (const limitUsd of [0.05, 0.5]) {
      const before = await spentUsd(first);
      await setLimit(first, { limit: Number((before + limitUsd).toFixed(9)) });
      await burst((index) => (index % 2 === 0 ? first : second).ask(anyKind(index >> 1), first.apiKey));
      expect((await spentUsd(first)) - before).toBeLessThan(limitUsd + dearest);
      await expectSettled(first);
    }
  });
});
