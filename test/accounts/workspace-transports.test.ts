import { describe, expect, test } from 'vitest';
import { topUp } from '../../src/ledger/credits.js';
import { entry, insertEntries } from '../store/rows.js';
import { broken, NOW, refused, UUID, withTransports } from './transports.js';

/** What SDKs of compatible services demand of a workspace, and means nothing here. */
const NEUTRAL = {
  created_by: null,
  default_image_model: null,
  default_provider_sort: null,
  default_text_model: null,
  io_logging_api_key_ids: null,
  io_logging_sampling_rate: 0,
  is_data_discount_logging_enabled: false,
  is_observability_broadcast_enabled: false,
  is_observability_io_logging_enabled: false,
};

describe('workspaces over REST', () => {
  test('records are complete, by id and by slug, and conflicts are 409', async () => {
    const { rest } = await withTransports();
    const record = { id: UUID, default_guardrail_id: UUID, created_at: NOW, updated_at: NOW };
    const input = { name: 'Team', slug: 'team' };
    const created = await rest('POST', '/workspaces', input);
    const data = { ...record, ...input, description: null, ...NEUTRAL };
    expect(created).toEqual({ status: 201, body: { data } });
    expect(await rest('GET', '/workspaces/team')).toEqual({ ...created, status: 200 });
    expect(await rest('POST', '/workspaces', input)).toEqual(refused(409, 'already_exists'));
    expect(await rest('PATCH', '/workspaces/team', { slug: 'default' })).toEqual(
      refused(409, 'already_exists'),
    );
    expect(await rest('PATCH', '/workspaces/team', { slug: null, name: null })).toEqual(
      broken(['slug', 'not_null'], ['name', 'not_null']),
    );
    expect(await rest('PATCH', '/workspaces/team', { name: 'T', description: 'D' })).toMatchObject({
      status: 200,
      body: { data: { name: 'T', slug: 'team', description: 'D' } },
    });
    expect(await rest('GET', '/workspaces?limit=1')).toMatchObject({
      status: 200,
      body: { data: { length: 1 }, total_count: 2 },
    });
    expect(await rest('DELETE', '/workspaces/default')).toEqual(refused(409, 'in_use'));
    expect(await rest('DELETE', '/workspaces/team')).toEqual({ status: 200, body: { deleted: true } });
    expect(await rest('DELETE', '/workspaces/team')).toEqual(refused(404, 'not_found'));
  });

  test('members', async () => {
    const { control, rest } = await withTransports();
    const members = '/workspaces/default/members';
    const member = {
      id: UUID,
      workspace_id: control.workspaceId,
      user_id: 'user_a',
      created_at: NOW,
      role: 'member',
    };
    expect(await rest('POST', `${members}/add`, { user_ids: ['user_a'] })).toEqual({
      status: 200,
      body: { added_count: 1, data: [member] },
    });
    expect(await rest('GET', members)).toEqual({ status: 200, body: { data: [member], total_count: 1 } });
    expect(await rest('POST', `${members}/remove`, { user_ids: ['user_a', 'user_b'] })).toEqual({
      status: 200,
      body: { removed_count: 1 },
    });
    expect(await rest('POST', `${members}/add`, { user_ids: ['a', ''] })).toEqual(
      broken(['user_ids[1]', 'length']),
    );
  });

  test('budgets', async () => {
    const { control, rest } = await withTransports();
    const budgets = '/workspaces/default/budgets';
    const budget = {
      id: UUID,
      workspace_id: control.workspaceId,
      interval: 'monthly',
      reset_interval: 'monthly',
      limit_usd: 2.5,
      spent_usd: 0,
      resets_at: '2026-04-01T00:00:00.000Z',
      created_at: NOW,
      updated_at: NOW,
    };
    const put = await rest('PUT', `${budgets}/monthly`, { limit_usd: 2.5, include_byok_in_budgets: true });
    expect(put).toEqual({ status: 200, body: { data: budget, include_byok_in_budgets: true } });
    expect(await rest('GET', `${budgets}/monthly`)).toEqual(put);
    const lifetime = { ...budget, interval: 'lifetime', reset_interval: null, resets_at: null };
    expect(await rest('PUT', `${budgets}/lifetime`, { limit_usd: 2.5 })).toEqual({
      status: 200,
      body: { data: lifetime, include_byok_in_budgets: true },
    });
    expect(await rest('GET', budgets)).toEqual({
      status: 200,
      body: { data: [budget, lifetime], total_count: 2, include_byok_in_budgets: true },
    });
    expect(await rest('PUT', `${budgets}/daily`, {})).toEqual(broken(['limit_usd', 'required']));
    expect(await rest('PUT', `${budgets}/daily`, { limit_usd: 0 })).toEqual(broken(['limit_usd', 'range']));
    expect(await rest('PUT', `${budgets}/daily`, { limit_usd: 1, include_byok_in_budgets: null })).toEqual(
      broken(['include_byok_in_budgets', 'not_null']),
    );
    expect(await rest('GET', `${budgets}/yearly`)).toMatchObject({ status: 404 });
    const { body } = await rest('PUT', `${budgets}/yearly`, { limit_usd: '1' });
    expect(body).toMatchObject({
      error: {
        metadata: {
          violations: [
            { field: 'interval', rule: 'enum', message: 'must be one of daily, weekly, monthly, lifetime' },
            { field: 'limit_usd', rule: 'type' },
          ],
        },
      },
    });
    expect(await rest('GET', `${budgets}/daily`)).toEqual(refused(404, 'not_found'));
    expect(await rest('DELETE', `${budgets}/monthly`)).toEqual({ status: 200, body: { deleted: true } });
    expect(await rest('DELETE', `${budgets}/monthly`)).toEqual(refused(404, 'not_found'));
  });
});

describe('account resources over REST', () => {
  test('preferences', async () => {
    const { rest } = await withTransports();
    const nothing = { allowed_providers: null, ignored_providers: null, zdr: false };
    const defaults = { ...nothing, data_collection: null, default_sort: null };
    expect(await rest('GET', '/preferences')).toEqual({
      status: 200,
      body: { data: { ...defaults, warnings: [] } },
    });
    const input = {
      allowed_providers: ['openai'],
      ignored_providers: [],
      zdr: true,
      data_collection: 'deny',
      default_sort: 'latency',
    };
    expect(await rest('PATCH', '/preferences', input)).toEqual({
      status: 200,
      body: { data: { ...input, warnings: [] } },
    });
    expect(await rest('PATCH', '/preferences', {})).toEqual({
      status: 200,
      body: { data: { ...input, warnings: [] } },
    });
    expect(await rest('PATCH', '/preferences', { ...defaults, zdr: false })).toEqual({
      status: 200,
      body: { data: { ...defaults, warnings: [] } },
    });
    expect(await rest('PATCH', '/preferences', { zdr: null })).toEqual(broken(['zdr', 'not_null']));
    expect(await rest('PATCH', '/preferences', { ignored_providers: ['', 'a', ''] })).toEqual(
      broken(['ignored_providers[0]', 'length'], ['ignored_providers[2]', 'length']),
    );
    expect(await rest('PATCH', '/preferences', { default_sort: 'best' })).toEqual(
      broken(['default_sort', 'enum']),
    );
  });

  test('credits are top-ups and what was charged, fees included', async () => {
    const { control, rest } = await withTransports();
    const { accountId: account_id, world } = control;
    await insertEntries(world.database, [
      entry('spend', { account_id, amount_nano_usd: 3n }),
      entry('fee', { account_id, kind: 'byok_fee', amount_nano_usd: 4n }),
      entry('byok', { account_id, kind: 'byok_cost', amount_nano_usd: 1000n }),
      entry('other', { amount_nano_usd: 1000n }),
    ]);
    await topUp({ ...control.workspaces, store: control.credits }, account_id, 12_500_000_001n);
    expect(await rest('GET', '/credits')).toEqual({
      status: 200,
      body: { data: { total_credits: 12.500000001, total_usage: 0.000000007 } },
    });
  });

  test('activity, filters and violations', async () => {
    const { rest } = await withTransports();
    const none = { status: 200, body: { data: [], total_count: 0, total_count_exact: true } };
    expect(await rest('GET', '/activity?from=2026-03-01&to=2026-03-31&api_key_hash=x&offset=0')).toEqual(
      none,
    );
    expect(await rest('GET', '/activity?from=x&to=2026-02-30&limit=0')).toEqual(
      broken(['limit', 'range'], ['from', 'date'], ['to', 'date']),
    );
    expect(await rest('GET', '/activity?workspace_id=x')).toEqual(broken(['workspace_id', 'known']));
    expect(await rest('GET', '/activity?group_by=date,week')).toEqual(broken(['group_by', 'in']));
  });
});
