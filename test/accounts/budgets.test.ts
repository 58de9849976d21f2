import { expect, test } from 'vitest';
import { BUDGET_INTERVALS } from '../../src/accounts/workspaces/budget.js';
import { deleteBudget, getBudget, listBudgets, putBudget } from '../../src/accounts/workspaces/budgets.js';
import { isUuid } from '../../src/base/ids.js';
import { START } from '../identity/world.js';
import { entry, insertEntries } from '../store/rows.js';
import { type Control, createControl, NOT_FOUND, newWorkspace } from './control.js';

const ALL = { offset: 0, limit: 50 };
const DAY_MS = 86_400_000;

const put = (
  { budgets, accountId }: Control,
  interval: (typeof BUDGET_INTERVALS)[number],
  limitNanoUsd: bigint,
  includeByokInBudgets: boolean | null = null,
  workspace = 'default',
) => putBudget(budgets, accountId, workspace, interval, { limitNanoUsd, includeByokInBudgets });

test('a budget is read back, for every interval, by id and slug', async () => {
  const control = await createControl();
  const { budgets, accountId, workspaceId } = control;
  for (const interval of BUDGET_INTERVALS) {
    const record = await put(control, interval, 1_500_000_001n);
    expect(record.budget).toMatchObject({ workspaceId, interval, limitNanoUsd: 1_500_000_001n });
    expect(record.budget).toMatchObject({ createdAt: START, updatedAt: START });
    expect(isUuid(record.budget.id)).toBe(true);
    expect(record).toMatchObject({ spentNanoUsd: 0n, includeByokInBudgets: false });
    expect(await getBudget(budgets, accountId, workspaceId, interval)).toEqual(record);
    expect(await getBudget(budgets, accountId, 'default', interval)).toEqual(record);
  }
});

test('setting it again changes only the limit; the same limit changes nothing', async () => {
  const control = await createControl();
  const first = await put(control, 'daily', 5n);
  control.world.clock.nowMs = START + 1000;
  expect(await put(control, 'daily', 5n)).toEqual(first);
  const changed = await put(control, 'daily', 6n);
  expect(changed.budget).toEqual({ ...first.budget, limitNanoUsd: 6n, updatedAt: START + 1000 });
});

test('include_byok is one flag for all budgets of a workspace; omitted it stays unchanged', async () => {
  const control = await createControl();
  const { budgets, accountId } = control;
  await newWorkspace(control, 'team');
  await put(control, 'daily', 5n, true);
  expect((await put(control, 'lifetime', 5n)).includeByokInBudgets).toBe(true);
  expect((await getBudget(budgets, accountId, 'default', 'daily')).includeByokInBudgets).toBe(true);
  expect((await put(control, 'daily', 5n, null, 'team')).includeByokInBudgets).toBe(false);
  expect((await put(control, 'lifetime', 5n, false)).includeByokInBudgets).toBe(false);
  expect((await listBudgets(budgets, accountId, 'default', ALL)).includeByokInBudgets).toBe(false);
});

test('spent is the sum of the ledger in the window: credits, and with the flag BYOK too', async () => {
  const control = await createControl();
  const { world, workspaceId: workspace_id, budgets, accountId } = control;
  const midnight = Date.parse('2026-03-18T00:00:00Z');
  const monday = Date.parse('2026-03-16T00:00:00Z');
  const first = Date.parse('2026-03-01T00:00:00Z');
  const rows = [
    entry('now', { workspace_id, amount_nano_usd: 1n, created_at: midnight }),
    entry('fee', { workspace_id, kind: 'byok_fee', amount_nano_usd: 2n, created_at: midnight }),
    entry('byok', { workspace_id, kind: 'byok_cost', amount_nano_usd: 1000n, created_at: midnight }),
    entry('top-up', { workspace_id, kind: 'top_up', amount_nano_usd: 9999n, created_at: midnight }),
    entry('elsewhere', { workspace_id: 'other', amount_nano_usd: 777n, created_at: midnight }),
    entry('yesterday', { workspace_id, amount_nano_usd: 10n, created_at: midnight - 1 }),
    entry('last week', { workspace_id, amount_nano_usd: 20n, created_at: monday - 1 }),
    entry('last month', { workspace_id, amount_nano_usd: 40n, created_at: first - 1 }),
    entry('byok then', { workspace_id, kind: 'byok_cost', amount_nano_usd: 2000n, created_at: first - 1 }),
  ];
  await insertEntries(world.database, rows);
  const spent = async () => {
    const { records } = await listBudgets(budgets, accountId, 'default', ALL);
    return records.map(({ budget, spentNanoUsd }) => [budget.interval, spentNanoUsd]);
  };
  for (const interval of BUDGET_INTERVALS.toReversed()) await put(control, interval, 5n);
  expect(await spent()).toEqual([
    ['daily', 3n],
    ['weekly', 13n],
    ['monthly', 33n],
    ['lifetime', 73n],
  ]);
  await put(control, 'daily', 5n, true);
  expect(await spent()).toEqual([
    ['daily', 1003n],
    ['weekly', 1013n],
    ['monthly', 1033n],
    ['lifetime', 3073n],
  ]);
});

test('each resets at midnight UTC at the end of its interval, lifetime never', async () => {
  const control = await createControl();
  for (const [interval, resets] of [
    ['daily', Date.parse('2026-03-19T00:00:00Z')],
    ['weekly', Date.parse('2026-03-23T00:00:00Z')],
    ['monthly', Date.parse('2026-04-01T00:00:00Z')],
    ['lifetime', null],
  ] as const) {
    expect((await put(control, interval, 1n)).resetsAt).toBe(resets);
  }
  control.world.clock.nowMs = START + DAY_MS;
  const daily = await getBudget(control.budgets, control.accountId, 'default', 'daily');
  expect(daily.resetsAt).toBe(Date.parse('2026-03-20T00:00:00Z'));
});

test('a list has pages, shortest interval first, with the count of all', async () => {
  const control = await createControl();
  for (const interval of ['lifetime', 'daily', 'monthly'] as const) await put(control, interval, 1n);
  const page = await listBudgets(control.budgets, control.accountId, 'default', { offset: 1, limit: 1 });
  expect(page.records.map(({ budget }) => budget.interval)).toEqual(['monthly']);
  expect(page.totalCount).toBe(3);
});

test.each([0n, -1n, 10n ** 18n + 1n])(
  'a limit of %s nano-USD is 400, and nothing is stored',
  async (limit) => {
    const control = await createControl();
    await expect(put(control, 'daily', limit, true)).rejects.toMatchObject({
      reason: 'invalid_request',
      httpStatus: 400,
      violations: [{ field: 'limit_usd', rule: 'range' }],
    });
    const listed = await listBudgets(control.budgets, control.accountId, 'default', ALL);
    expect(listed).toEqual({ records: [], totalCount: 0, includeByokInBudgets: false });
  },
);

test('a missing budget, a missing workspace and one of another account are 404', async () => {
  const control = await createControl();
  const { budgets, accountId, otherAccount } = control;
  await put(control, 'daily', 1n);
  await deleteBudget(budgets, accountId, 'default', 'daily');
  for (const workspace of ['default', 'nothing', otherAccount.workspace.id]) {
    await expect(getBudget(budgets, accountId, workspace, 'daily')).rejects.toMatchObject(NOT_FOUND);
    await expect(deleteBudget(budgets, accountId, workspace, 'daily')).rejects.toMatchObject(NOT_FOUND);
  }
  await expect(put(control, 'daily', 1n, null, 'nothing')).rejects.toMatchObject(NOT_FOUND);
  await expect(put(control, 'daily', 1n, null, otherAccount.workspace.id)).rejects.toMatchObject(NOT_FOUND);
  await expect(listBudgets(budgets, accountId, otherAccount.workspace.id, ALL)).rejects.toMatchObject(
    NOT_FOUND,
  );
});
