import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/base/ids.js';
import { launchGateway } from '../../support/gateway.js';
import { bodyOf, type Call, caller, recordOf, refused } from '../../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let manage: Call;

beforeAll(async () => {
  gateway = await launchGateway();
  manage = caller(gateway, gateway.managementKey);
});
afterAll(() => gateway.stop());

const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('POST /keys', () => {
  it('answers 201 with every member of the record and, this once, the secret', async () => {
    const created = await manage('POST', '/keys', { name: 'Mine' });
    expect(created.status).toBe(201);
    const { data, key, ...others } = bodyOf(created);
    expect(others).toEqual({});
    expect(key).toMatch(/^bw-v1-[0-9a-f]{64}$/);
    const secret = String(key);
    expect(data).toEqual({
      hash: sha256Hex(secret),
      name: 'Mine',
      label: `${secret.slice(0, 9)}...${secret.slice(-3)}`,
      disabled: false,
      limit: null,
      limit_remaining: null,
      limit_reset: null,
      include_byok_in_limit: false,
      usage: 0,
      usage_daily: 0,
      usage_weekly: 0,
      usage_monthly: 0,
      byok_usage: 0,
      byok_usage_daily: 0,
      byok_usage_weekly: 0,
      byok_usage_monthly: 0,
      created_at: TIMESTAMP,
      updated_at: TIMESTAMP,
      expires_at: null,
      creator_user_id: gateway.ownerUserId,
      workspace_id: gateway.workspaceId,
      external_user: null,
      end_user_limit: null,
      end_user_limit_reset: null,
      end_user_required: false,
      cache_ttl: null,
    });
    const read = await manage('GET', `/keys/${sha256Hex(secret)}`);
    expect(bodyOf(read)).toEqual({ data });
    expect((await caller(gateway, secret)('GET', '/key')).status).toBe(200);
  });

  it('stores every member that it accepts', async () => {
    const sent = {
      name: 'All of it',
      limit: 12.5,
      limit_reset: 'weekly',
      include_byok_in_limit: true,
      expires_at: '2099-12-31T23:59:59.999Z',
      workspace_id: gateway.workspaceId,
      creator_user_id: 'user_of_ours',
      end_user_limit: 0.5,
      end_user_limit_reset: 'daily',
      end_user_required: true,
    };
    const created = recordOf(await manage('POST', '/keys', sent));
    expect(created).toMatchObject({ ...sent, limit_remaining: 12.5 });
    expect(recordOf(await manage('GET', `/keys/${created.hash}`))).toEqual(created);
  });

  it.each(['limit', 'limit_reset', 'expires_at', 'workspace_id', 'creator_user_id'])(
    'takes null for %s as none',
    async (member) => {
      const defaults = { workspace_id: gateway.workspaceId, creator_user_id: gateway.ownerUserId };
      const created = recordOf(await manage('POST', '/keys', { name: 'n', [member]: null }));
      expect(created[member]).toBe(member in defaults ? defaults[member as keyof typeof defaults] : null);
    },
  );

  it.each([
    [0, 0],
    [0.000000001, 0.000000001],
    [1e9, 1e9],
    [999999999.5, 999999999.5],
    [10.1, 10.1],
  ])('takes a limit of %d USD exactly', async (limit, shown) => {
    const created = recordOf(await manage('POST', '/keys', { name: 'n', limit }));
    expect([created.limit, created.limit_remaining]).toEqual([shown, shown]);
  });

  it.each(['daily', 'weekly', 'monthly'])('takes limit_reset %s', async (limit_reset) => {
    expect(recordOf(await manage('POST', '/keys', { name: 'n', limit_reset }))).toMatchObject({
      limit_reset,
    });
  });

  it('counts characters of a name, not bytes: 1 to 255', async () => {
    for (const name of ['x', 'é'.repeat(255), '🔑'.repeat(255)]) {
      expect(recordOf(await manage('POST', '/keys', { name })).name).toBe(name);
    }
  });

  it('takes a time with an offset and shows it in UTC', async () => {
    const created = recordOf(
      await manage('POST', '/keys', { name: 'n', expires_at: '2099-01-01T01:00:00+02:00' }),
    );
    expect(created.expires_at).toBe('2098-12-31T23:00:00.000Z');
  });
});

const LONG = 'x'.repeat(256);

describe('what POST /keys refuses, writing nothing', () => {
  it.each<[unknown, ...string[]]>([
    [{}, 'name required'],
    [{ name: '' }, 'name required'],
    [{ name: LONG }, 'name length'],
    [{ name: 'n', limit: -0.01 }, 'limit range'],
    [{ name: 'n', limit: 1000000000.5 }, 'limit range'],
    [{ name: 'n', limit: 0.0000000001 }, 'limit decimals'],
    [{ name: 'n', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at future'],
    [{ name: 'n', expires_at: 'tomorrow' }, 'expires_at timestamp'],
    [{ name: 'n', expires_at: '2099-02-30T00:00:00Z' }, 'expires_at timestamp'],
    [{ name: 'n', expires_at: '2099-01-01' }, 'expires_at timestamp'],
    [{ name: 'n', workspace_id: 'nowhere' }, 'workspace_id known'],
    [{ name: 'n', workspace_id: '00000000-0000-4000-8000-000000000000' }, 'workspace_id known'],
    [{ name: 'n', workspace_id: '' }, 'workspace_id known'],
    [{ name: 'n', creator_user_id: LONG }, 'creator_user_id length'],
    [{ name: 'n', creator_user_id: '' }, 'creator_user_id length'],
    [
      { name: '', limit: -1, expires_at: '2020-01-01T00:00:00Z', workspace_id: 'nowhere' },
      'name required',
      'limit range',
      'expires_at future',
      'workspace_id known',
    ],
  ])('broken rules, all at once: %j', async (body, ...violations) => {
    const answer = await refused(gateway, () => manage('POST', '/keys', body));
    expect([answer.slice(0, 2), answer.slice(2).toSorted()]).toEqual([
      [400, 'invalid_request'],
      violations.toSorted(),
    ]);
  });

  it.each<[unknown, ...string[]]>([
    [{ name: 5 }, 'name type'],
    [{ name: null }, 'name not_null'],
    [{ name: ['n'] }, 'name type'],
    [{ name: '\ud800' }, 'name type'],
    [{ name: 'n', limit: '5' }, 'limit type'],
    [{ name: 'n', limit: true }, 'limit type'],
    [{ name: 'n', limit_reset: 'yearly' }, 'limit_reset enum'],
    [{ name: 'n', limit_reset: 'MONTHLY' }, 'limit_reset enum'],
    [{ name: 'n', limit_reset: 3 }, 'limit_reset type'],
    [{ name: 'n', include_byok_in_limit: null }, 'include_byok_in_limit not_null'],
    [{ name: 'n', include_byok_in_limit: 1 }, 'include_byok_in_limit type'],
    [{ name: 'n', expires_at: 4070908800 }, 'expires_at type'],
    [{ name: 'n', disabled: true }, 'disabled unknown'],
    [{ name: 'n', hash: 'a'.repeat(64) }, 'hash unknown'],
    [{ name: 'n', creatorUserId: 'u' }, 'creatorUserId unknown'],
    [{ name: 'n', __proto_: 1 }, '__proto_ unknown'],
    [{ naem: 'n', limit: 'x', limit_reset: 1 }, 'naem unknown', 'limit type', 'limit_reset type'],
    [{ name: '', limit: '5' }, 'limit type'],
  ])(
    'violations of type and unknown names, all at once and before any rule: %j',
    async (body, ...violations) => {
      const answer = await refused(gateway, () => manage('POST', '/keys', body));
      expect(answer).toEqual([400, 'invalid_request', ...violations]);
    },
  );

  it('a member named __proto__ is unknown like any other', async () => {
    const answer = await refused(gateway, () =>
      manage('POST', '/keys', '{"name":"n","__proto__":{"limit":1}}'),
    );
    expect(answer).toEqual([400, 'invalid_request', '__proto__ unknown']);
  });

  it('an infinite limit, which JSON can spell, is out of range', async () => {
    const answer = await refused(gateway, () => manage('POST', '/keys', '{"name":"n","limit":1e999}'));
    expect(answer).toEqual([400, 'invalid_request', 'limit range']);
  });

  it('a foreign workspace, with the same message as an unknown one', async () => {
    const other = await gateway.addAccount();
    const ask = (workspace_id: string) => manage('POST', '/keys', { name: 'n', workspace_id });
    const foreign = await ask(other.workspaceId);
    expect(foreign.text).toBe((await ask('00000000-0000-4000-8000-000000000000')).text);
    expect(await refused(gateway, () => ask(other.workspaceId))).toEqual([
      400,
      'invalid_request',
      'workspace_id known',
    ]);
  });

  it('an unknown member with the nearest known name', async () => {
    const { text } = await manage('POST', '/keys', { name: 'n', limt: 5, expire_at: null });
    expect(text).toContain('did you mean limit?');
    expect(text).toContain('did you mean expires_at?');
  });

  it('an unknown query parameter', async () => {
    const answer = await refused(gateway, () => manage('POST', '/keys?dry_run=1&dry_run=2', { name: 'n' }));
    expect(answer).toEqual([400, 'invalid_request', 'dry_run unknown', 'dry_run unknown']);
  });
});
