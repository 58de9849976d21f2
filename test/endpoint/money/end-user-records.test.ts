import { describe, expect, it } from 'vitest';
import { usageViolations } from '../../../src/store/usage/usage-check.js';
import { clockAt } from '../../support/clock.js';
import {
  COST_USD,
  expectSettled,
  type MoneyGateway,
  mustSucceed,
  startMoneyGateway,
} from '../../support/money.js';
import { bodyOf, caller, type Row, recordOf, refusalOf, rowsOf } from '../../support/rest.js';

/** A chat with headers. */
const chat = (gateway: MoneyGateway, headers: Record<string, string>, model = 'test/paid') =>
  mustSucceed(
    gateway.use('POST', '/chat/completions', { model, messages: [{ role: 'user', content: 'Hi' }] }, headers),
  );

const NAMED = {
  'x-byway-end-user': 'Ann, the 1st',
  'x-claude-code-agent-id': 'agent-2',
  'x-claude-code-parent-agent-id': 'agent-1',
};

const endUsers = (gateway: MoneyGateway, query = '', key = gateway.apiKeyHash) =>
  gateway.manage('GET', `/keys/${key}/end-users${query}`);

describe('a record says for whom and by which agent a request was made', () => {
  it('in the record itself, in lists and in exports', async () => {
    const gateway = await startMoneyGateway();
    const { id } = await chat(gateway, NAMED);
    await chat(gateway, { 'x-openai-subagent': 'review' });
    const said = {
      run_id: null,
      run: null,
      end_user: 'Ann, the 1st',
      agent_id: 'agent-2',
      parent_agent_id: 'agent-1',
    };
    expect(recordOf(await gateway.use('GET', `/generation?id=${id}`))).toMatchObject(said);
    const [codex, claude] = rowsOf(await gateway.manage('GET', '/generations'));
    expect(claude).toMatchObject(said);
    expect(codex).toMatchObject({ end_user: null, agent_id: 'review', parent_agent_id: null });
    const csv = (await gateway.manage('GET', '/generations/export?format=csv')).text.split('\r\n');
    expect(csv[0]?.split(',').slice(-11)).toEqual([
      'run_id',
      'run',
      'end_user',
      'agent_id',
      'parent_agent_id',
      'api_type',
      'native_tokens_prompt',
      'native_tokens_completion',
      'total_cost',
      'external_user',
      'cached',
    ]);
    expect(csv[1]).toMatch(
      /,,,"Ann, the 1st",agent-2,agent-1,completions,\d+,\d+,[\d.e-]+,"Ann, the 1st",false$/,
    );
  });

  it('and is found by it, a page after the other, also among several', async () => {
    const gateway = await startMoneyGateway();
    for (let count = 0; count < 3; count++) await chat(gateway, NAMED);
    await chat(gateway, { 'x-byway-end-user': 'bob', 'x-claude-code-agent-id': 'agent-3' });
    await chat(gateway, {});
    const found = async (query: string) =>
      rowsOf(await gateway.manage('GET', `/generations?${query}`)).map((row) => row.end_user);
    const ann = 'Ann, the 1st';
    expect(await found(`end_user=${encodeURIComponent(ann)}`)).toEqual([ann, ann, ann]);
    expect(await found('end_user=bob')).toEqual(['bob']);
    expect(await found('end_user=bob,carol')).toEqual(['bob']);
    expect(await found('end_user=carol')).toEqual([]);
    expect(await found('agent_id=agent-2')).toEqual([ann, ann, ann]);
    expect(await found('agent_id=agent-2&end_user=bob')).toEqual([]);
    expect(await found('parent_agent_id=agent-1')).toEqual([ann, ann, ann]);
    expect(await found('run=none')).toEqual([]);
    expect(await found('run_id=none')).toEqual([]);
    const first = bodyOf(await gateway.manage('GET', '/generations?agent_id=agent-2&limit=2'));
    expect(first).toMatchObject({ total_count: 3, total_count_exact: true });
    const next = String((first.links as Row).next);
    expect(next).toContain('agent_id=agent-2');
    const page = await gateway.manage('GET', next.slice(next.indexOf('/generations')));
    expect(rowsOf(page)).toHaveLength(1);
    const exported = await gateway.manage('GET', '/generations/export?end_user=bob');
    expect(exported.text.trim().split('\n')).toHaveLength(1);
    expect(refusalOf(await gateway.manage('GET', '/generations?end_user=a,,b'))).toEqual([
      400,
      'invalid_request',
      'end_user words',
    ]);
  });

  it('without what is malformed', async () => {
    const gateway = await startMoneyGateway();
    const { id } = await chat(gateway, {
      'x-claude-code-agent-id': 'x'.repeat(129),
      'x-claude-code-parent-agent-id': 'a b',
    });
    expect(recordOf(await gateway.use('GET', `/generation?id=${id}`))).toMatchObject({
      agent_id: null,
      parent_agent_id: null,
    });
  });
});

describe('activity', () => {
  it('is grouped by end user and agent, with everybody else, and is exact', async () => {
    const gateway = await startMoneyGateway();
    for (let count = 0; count < 3; count++) await chat(gateway, NAMED);
    await chat(gateway, { 'x-byway-end-user': 'bob' }, 'test/free');
    await chat(gateway, { 'x-openai-subagent': 'review' });
    await chat(gateway, {});
    const activity = async (query: string) => rowsOf(await gateway.manage('GET', `/activity?${query}`));
    expect(await activity('group_by=end_user')).toMatchObject([
      { end_user: null, requests: 2, usage: 2 * COST_USD },
      { end_user: 'Ann, the 1st', requests: 3, usage: 3 * COST_USD },
      { end_user: 'bob', requests: 1, usage: 0 },
    ]);
    expect(await activity('group_by=agent')).toMatchObject([
      { agent_id: null, requests: 2 },
      { agent_id: 'agent-2', requests: 3 },
      { agent_id: 'review', requests: 1 },
    ]);
    const [row = {}] = await activity('group_by=run');
    expect(row).toMatchObject({ run_id: null, run: null, requests: 6, usage: 5 * COST_USD });
    expect(Object.keys(row)).not.toContain('end_user');
    expect(await activity('group_by=model,end_user')).toMatchObject([
      { model: 'test/free', end_user: 'bob' },
      { model: 'test/paid', end_user: null },
      { model: 'test/paid', end_user: 'Ann, the 1st', latency_ms: expect.any(Number) },
    ]);
    expect(await activity(`group_by=end_user&api_key_hash=${gateway.apiKeyHash}`)).toHaveLength(3);
    expect(await activity(`group_by=end_user&workspace_id=${gateway.workspaceId}`)).toHaveLength(3);
    expect(await activity('group_by=end_user&to=2001-01-01')).toEqual([]);
    expect(await usageViolations(gateway.gateway.database)).toEqual([]);
    await expectSettled(gateway);
  });

  it('of requests without any name is in no table of its own', async () => {
    const gateway = await startMoneyGateway();
    await chat(gateway, {});
    await chat(gateway, { 'x-claude-code-parent-agent-id': 'agent-1' });
    const { query } = gateway.gateway.database;
    for (const table of ['usage_attribution', 'end_user'] as const)
      expect(await query.selectFrom(table).selectAll().execute()).toEqual([]);
  });
});

describe('the end users of a key', () => {
  it('are listed with what they have spent and have left, who was served last first', async () => {
    const clock = clockAt('2026-03-04T12:00:00.000Z');
    const gateway = await startMoneyGateway({ clock });
    await gateway.manage('PATCH', `/keys/${gateway.apiKeyHash}`, { end_user_limit: 1 });
    for (const [index, endUser] of ['ann', 'bob', 'ann', 'cid'].entries()) {
      clock.set(`2026-03-04T12:00:0${index}.000Z`);
      await chat(gateway, { 'x-byway-end-user': endUser });
    }
    expect(bodyOf(await endUsers(gateway))).toEqual({
      data: [
        {
          end_user: 'cid',
          usage: 0.01,
          byok_usage: 0,
          requests: 1,
          remaining: 0.99,
          last_at: '2026-03-04T12:00:03.000Z',
        },
        {
          end_user: 'ann',
          usage: 0.02,
          byok_usage: 0,
          requests: 2,
          remaining: 0.98,
          last_at: '2026-03-04T12:00:02.000Z',
        },
        {
          end_user: 'bob',
          usage: 0.01,
          byok_usage: 0,
          requests: 1,
          remaining: 0.99,
          last_at: '2026-03-04T12:00:01.000Z',
        },
      ],
      total_count: 3,
    });
    const page = bodyOf(await endUsers(gateway, '?offset=1&limit=1'));
    expect(page).toMatchObject({ data: [{ end_user: 'ann' }], total_count: 3 });
    await gateway.manage('PATCH', `/keys/${gateway.apiKeyHash}`, { end_user_limit: null });
    expect(rowsOf(await endUsers(gateway, '?limit=1'))).toMatchObject([{ remaining: null }]);
  });

  it('are shown to whoever administers the key, as long as it lives', async () => {
    const gateway = await startMoneyGateway();
    await chat(gateway, { 'x-byway-end-user': 'ann' });
    const path = `/keys/${gateway.apiKeyHash}/end-users`;
    expect((await gateway.use('GET', path)).status).toBe(403);
    const stranger = await gateway.addAccount();
    expect((await caller(gateway, stranger.managementKey)('GET', path)).status).toBe(404);
    expect((await endUsers(gateway)).status).toBe(200);
    await gateway.manage('DELETE', `/keys/${gateway.apiKeyHash}`);
    expect((await endUsers(gateway)).status).toBe(404);
  });
});

describe('what a key says of its end users', () => {
  it('is set, kept, changed and cleared like its limit, and shown to the key itself', async () => {
    const gateway = await startMoneyGateway();
    const patch = async (body: object) =>
      recordOf(await gateway.manage('PATCH', `/keys/${gateway.apiKeyHash}`, body));
    const said = (limit: number | null, reset: string | null, required: boolean) => ({
      end_user_limit: limit,
      end_user_limit_reset: reset,
      end_user_required: required,
    });
    expect(recordOf(await gateway.use('GET', '/key'))).toMatchObject(said(null, null, false));
    expect(await patch(said(2.5, 'weekly', true))).toMatchObject(said(2.5, 'weekly', true));
    expect(await patch({ name: 'Renamed' })).toMatchObject(said(2.5, 'weekly', true));
    expect(await patch({ end_user_limit_reset: null })).toMatchObject(said(2.5, null, true));
    expect(recordOf(await gateway.use('GET', '/key'))).toMatchObject(said(2.5, null, true));
    expect(await patch({ end_user_limit: null, end_user_required: false })).toMatchObject(
      said(null, null, false),
    );
    const made = await gateway.manage('POST', '/keys', { name: 'New', ...said(0, 'monthly', true) });
    expect(recordOf(made)).toMatchObject(said(0, 'monthly', true));
  });

  it('is refused where it is no amount, no interval, or nothing', async () => {
    const gateway = await startMoneyGateway();
    const refusal = async (body: object) =>
      refusalOf(await gateway.manage('PATCH', `/keys/${gateway.apiKeyHash}`, body));
    expect(await refusal({ end_user_limit: -1 })).toEqual([400, 'invalid_request', 'end_user_limit range']);
    expect(await refusal({ end_user_limit: 1e9 + 1 })).toEqual([
      400,
      'invalid_request',
      'end_user_limit range',
    ]);
    expect((await refusal({ end_user_limit_reset: 'hourly' }))[0]).toBe(400);
    expect((await refusal({ end_user_required: null }))[0]).toBe(400);
  });
});
