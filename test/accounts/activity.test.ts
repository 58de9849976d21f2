import type { Insertable } from 'kysely';
import { expect, test } from 'vitest';
import { type ActivityQuery, listActivity } from '../../src/accounts/activity.js';
import { generationOfRow } from '../../src/store/records/generation-rows.js';
import type { GenerationTable } from '../../src/store/schema/usage-schema.js';
import { createUsageCounter } from '../../src/store/usage/usage-counter.js';
import { usageRow } from '../../src/store/usage/usage-rollup.js';
import { type Control, createControl, newWorkspace } from './control.js';

const DAY_TWO = Date.parse('2026-03-18T00:00:00Z');
const DAY_THREE = Date.parse('2026-03-19T00:00:00Z');

function generation(
  control: Control,
  id: string,
  over: Partial<Insertable<GenerationTable>> = {},
): Insertable<GenerationTable> {
  return {
    id,
    account_id: control.accountId,
    workspace_id: control.workspaceId,
    api_key_hash: 'key',
    user_id: 'user_a',
    request_id: id,
    model: 'a/one',
    provider: 'openai',
    endpoint: null,
    byok_key_id: null,
    streamed: 0,
    cancelled: 0,
    finish_reason: 'stop',
    native_finish_reason: null,
    latency_ms: null,
    generation_time_ms: null,
    tokens_prompt: 10,
    tokens_completion: 5,
    native_tokens_reasoning: 2,
    native_tokens_cached: 0,
    usage_nano_usd: 0n,
    upstream_inference_cost_nano_usd: null,
    byok_fee_nano_usd: 0n,
    provider_responses_json: '[]',
    created_at: DAY_TWO,
    ...over,
  };
}

async function record({ world: { database } }: Control, rows: readonly Insertable<GenerationTable>[]) {
  const countUsage = createUsageCounter(database.query);
  await database.transact([], async (tx) => {
    const recorded = await tx.insertInto('generation').values(rows).returningAll().execute();
    const usage = recorded
      .map(generationOfRow)
      .map((one) => usageRow({ ...one, runId: null, endUser: null }, one));
    for (const statement of countUsage(usage)) await tx.executeQuery(statement);
  });
}

async function withHistory() {
  const control = await createControl();
  const team = await newWorkspace(control, 'team');
  const rows = [
    generation(control, 'g1', { usage_nano_usd: 1n }),
    generation(control, 'g2', {
      created_at: DAY_THREE - 1,
      tokens_prompt: 3_000_000_000,
      usage_nano_usd: 50n,
      upstream_inference_cost_nano_usd: 1000n,
      byok_fee_nano_usd: 50n,
    }),
    generation(control, 'g3', { created_at: DAY_TWO - 1, usage_nano_usd: 7n }),
    generation(control, 'g4', { created_at: DAY_THREE, model: 'b/two' }),
    generation(control, 'g5', { provider: null, tokens_prompt: 0, tokens_completion: 0 }),
    generation(control, 'g6', { workspace_id: team.id }),
    generation(control, 'g7', { api_key_hash: 'other' }),
    generation(control, 'g8', { account_id: control.otherAccount.account.id, usage_nano_usd: 999n }),
  ];
  await record(control, rows);
  const all = { from: null, to: null, apiKeyHash: null, workspaceId: null, groupBy: null };
  const query = { ...all, offset: 0, limit: 50 };
  const read = (over: Partial<ActivityQuery> = {}) =>
    listActivity(control.activity, control.accountId, { ...query, ...over });
  return { control, team, read };
}

test('rows are by day, model, provider, workspace and key, newest day first', async () => {
  const { control, team, read } = await withHistory();
  const { workspaceId } = control;
  const one = { model: 'a/one', provider: 'openai', workspaceId, apiKeyHash: 'key', requests: 1 };
  const tokens = { promptTokens: 10, completionTokens: 5, reasoningTokens: 2, cachedTokens: 0 };
  const amounts = { usageNanoUsd: 0n, byokUsageNanoUsd: 0n, byokFeeNanoUsd: 0n };
  const nothing = { ...amounts, refused: 0, failed: 0, latencyMs: null, firstTokenMs: null };
  const { records, totalCount } = await read();
  expect(totalCount).toBe(6);
  expect(records.map(({ date }) => date)).toEqual([
    '2026-03-19',
    ...Array(4).fill('2026-03-18'),
    '2026-03-17',
  ]);
  expect(records[0]).toEqual({ ...one, ...tokens, ...nothing, date: '2026-03-19', model: 'b/two' });
  expect(records[5]).toEqual({ ...one, ...tokens, ...nothing, date: '2026-03-17', usageNanoUsd: 7n });
  const dayTwo = records.slice(1, 5);
  expect(dayTwo).toEqual(
    expect.arrayContaining([
      {
        ...one,
        ...tokens,
        ...nothing,
        date: '2026-03-18',
        requests: 2,
        promptTokens: 3_000_000_010,
        completionTokens: 10,
        reasoningTokens: 4,
        usageNanoUsd: 51n,
        byokUsageNanoUsd: 1000n,
        byokFeeNanoUsd: 50n,
      },
      {
        ...one,
        ...tokens,
        ...nothing,
        date: '2026-03-18',
        provider: null,
        failed: 1,
        promptTokens: 0,
        completionTokens: 0,
      },
      { ...one, ...tokens, ...nothing, date: '2026-03-18', workspaceId: team.id },
      { ...one, ...tokens, ...nothing, date: '2026-03-18', apiKeyHash: 'other' },
    ]),
  );
});

test('from and to are both inclusive', async () => {
  const { read } = await withHistory();
  const dates = async (over: Partial<ActivityQuery>) => [
    ...new Set((await read(over)).records.map(({ date }) => date)),
  ];
  expect(await dates({ from: '2026-03-18' })).toEqual(['2026-03-19', '2026-03-18']);
  expect(await dates({ to: '2026-03-18' })).toEqual(['2026-03-18', '2026-03-17']);
  expect(await dates({ from: '2026-03-18', to: '2026-03-18' })).toEqual(['2026-03-18']);
  await expect(dates({ from: '2026-03-19', to: '2026-03-18' })).rejects.toMatchObject({
    reason: 'invalid_request',
    violations: [{ field: 'from', rule: 'range' }],
  });
  expect((await read({ from: '2026-03-20' })).totalCount).toBe(0);
});

test('usage is filtered by key and workspace, in pages', async () => {
  const { team, read } = await withHistory();
  expect((await read({ apiKeyHash: 'other' })).totalCount).toBe(1);
  expect((await read({ apiKeyHash: 'nobody' })).totalCount).toBe(0);
  const own = await read({ workspaceId: team.id });
  expect(own.records.map(({ workspaceId }) => workspaceId)).toEqual([team.id]);
  const all = await read();
  const pages = [await read({ limit: 4 }), await read({ offset: 4, limit: 4 })];
  expect(pages.flatMap(({ records }) => records)).toEqual(all.records);
  expect(pages.map(({ totalCount }) => totalCount)).toEqual([6, 6]);
});

test('invalid dates and an unknown workspace are 400, all named at once', async () => {
  const { control, read } = await withHistory();
  for (const [from, to] of [
    ['2026-02-30', '2026-13-01'],
    ['2026-3-1', 'yesterday'],
    ['2026-03-18T00:00:00Z', ''],
  ] as const) {
    await expect(read({ from, to, workspaceId: control.otherAccount.workspace.id })).rejects.toMatchObject({
      reason: 'invalid_request',
      httpStatus: 400,
      violations: [
        { field: 'from', rule: 'date' },
        { field: 'to', rule: 'date' },
        { field: 'workspace_id', rule: 'known' },
      ],
    });
  }
  expect((await read({ from: '2024-02-29' })).totalCount).toBe(6);
});

test('usage is summed by what it is grouped by, and by nothing else', async () => {
  const { control, read } = await withHistory();
  const grouped = async (...groupBy: string[]) =>
    (await read({ groupBy })).records.map(({ date, hour, model, userId, api, requests }) =>
      [date, hour, model, userId, api, requests].filter((one) => one !== undefined),
    );
  expect(await grouped('date')).toEqual([
    ['2026-03-19', 1],
    ['2026-03-18', 5],
    ['2026-03-17', 1],
  ]);
  expect(await grouped('hour')).toEqual([
    ['2026-03-19T00:00:00Z', 1],
    ['2026-03-18T23:00:00Z', 1],
    ['2026-03-18T00:00:00Z', 4],
    ['2026-03-17T23:00:00Z', 1],
  ]);
  expect(await grouped('user', 'model', 'api')).toEqual([
    ['a/one', 'user_a', 'chat', 6],
    ['b/two', 'user_a', 'chat', 1],
  ]);
  expect((await read({ groupBy: ['provider'] })).records.map(({ provider }) => provider)).toEqual([
    null,
    'openai',
  ]);
  const [all] = (await read({ groupBy: ['workspace'], workspaceId: control.workspaceId })).records;
  expect(all).toMatchObject({ requests: 6, failed: 1, usageNanoUsd: 58n, byokFeeNanoUsd: 50n });
  await expect(read({ groupBy: ['date', 'day'] })).rejects.toMatchObject({
    violations: [{ field: 'group_by', rule: 'in' }],
  });
});

test('times are means over what was measured', async () => {
  const { control, read } = await withHistory();
  const at = { created_at: DAY_TWO, model: 'c/three' };
  const rows = [
    generation(control, 'm1', { ...at, latency_ms: 10, generation_time_ms: 90, tokens_prompt: 5 }),
    generation(control, 'm2', { ...at, latency_ms: 15, generation_time_ms: 185, native_tokens_cached: 3 }),
    generation(control, 'm3', { ...at, provider: null }),
  ];
  await record(control, rows);
  const { records } = await read({ groupBy: ['model'] });
  expect(records.find(({ model }) => model === 'c/three')).toMatchObject({
    latencyMs: 150,
    firstTokenMs: 12.5,
    cachedTokens: 3,
    failed: 1,
  });
});
