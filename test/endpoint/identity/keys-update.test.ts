import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchGateway } from '../../support/gateway.js';
import { bodyOf, type Call, caller, type Row, recordOf, refused } from '../../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let manage: Call;
let key: Row;

/** A key whose every updatable member differs from its default. */
const STATE = {
  name: 'Before',
  limit: 10,
  limit_reset: 'weekly',
  include_byok_in_limit: true,
};

beforeAll(async () => {
  gateway = await launchGateway();
  manage = caller(gateway, gateway.managementKey);
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  key = recordOf(await manage('POST', '/keys', STATE));
  // The clock advances, so that every change of `updated_at` is visible.
  await sleep(2);
});

const patch = (body: unknown) => manage('PATCH', `/keys/${key.hash}`, body);
const read = async () => recordOf(await manage('GET', `/keys/${key.hash}`));

describe('PATCH /keys/{hash}: omitted, null and a value', () => {
  it('without members changes nothing, not even updated_at, and answers 200 with the record', async () => {
    const answer = await patch({});
    expect([answer.status, bodyOf(answer)]).toEqual([200, { data: key }]);
    expect(await read()).toEqual(key);
  });

  it.each([
    ['name', 'After'],
    ['disabled', true],
    ['limit', 2.5],
    ['limit', 0],
    ['limit_reset', 'daily'],
    ['limit_reset', 'monthly'],
    ['include_byok_in_limit', false],
  ])('sets %s to %j and keeps all other members', async (member, value) => {
    const changed = recordOf(await patch({ [member]: value }));
    const follows = member === 'limit' ? { limit_remaining: value } : {};
    expect(changed).toEqual({ ...key, ...follows, [member]: value, updated_at: changed.updated_at });
    expect(String(changed.updated_at) > String(key.updated_at)).toBe(true);
    expect(await read()).toEqual(changed);
  });

  it.each([
    ['limit', { limit: null, limit_remaining: null }],
    ['limit_reset', { limit_reset: null }],
  ])('null removes %s', async (member, follows) => {
    const changed = recordOf(await patch({ [member]: null }));
    expect(changed).toEqual({ ...key, ...follows, updated_at: changed.updated_at });
    expect(await read()).toEqual(changed);
  });

  it.each(['name', 'disabled', 'include_byok_in_limit'])('null for %s is refused', async (member) => {
    const answer = await refused(gateway, () => patch({ [member]: null, limit: 1 }));
    expect(answer).toEqual([400, 'invalid_request', `${member} not_null`]);
  });

  it('an equal value changes nothing', async () => {
    const answer = recordOf(await patch({ ...STATE, disabled: false }));
    expect(answer).toEqual(key);
  });

  it('several members at once are one change', async () => {
    const changed = recordOf(await patch({ name: 'Other', limit: null, limit_reset: null, disabled: true }));
    expect(changed).toMatchObject({ name: 'Other', limit: null, limit_reset: null, disabled: true });
    expect(changed.include_byok_in_limit).toBe(true);
  });

  it('can enable a disabled key again, with the same secret', async () => {
    const created = bodyOf(await manage('POST', '/keys', { name: 'n' }));
    const { hash } = created.data as { hash: string };
    const own = caller(gateway, String(created.key));
    await manage('PATCH', `/keys/${hash}`, { disabled: true });
    expect((await own('GET', '/key')).status).toBe(401);
    await manage('PATCH', `/keys/${hash}`, { disabled: false });
    expect((await own('GET', '/key')).status).toBe(200);
  });
});

describe('what PATCH /keys/{hash} refuses, writing nothing', () => {
  it.each<[unknown, ...string[]]>([
    [{ name: '' }, 'name length'],
    [{ name: 'x'.repeat(256) }, 'name length'],
    [{ limit: -1 }, 'limit range'],
    [{ limit: 1000000001 }, 'limit range'],
    [{ limit: 1.0000000001 }, 'limit decimals'],
    [{ name: '', limit: -1 }, 'name length', 'limit range'],
    [{ name: 1 }, 'name type'],
    [{ disabled: 'true' }, 'disabled type'],
    [{ disabled: 0 }, 'disabled type'],
    [{ limit: '10' }, 'limit type'],
    [{ limit: {} }, 'limit type'],
    [{ limit_reset: 'hourly' }, 'limit_reset enum'],
    [{ limit_reset: '' }, 'limit_reset enum'],
    [{ limit_reset: false }, 'limit_reset type'],
    [{ include_byok_in_limit: 'yes' }, 'include_byok_in_limit type'],
    [{ nmae: 'x' }, 'nmae unknown'],
    [{ workspace_id: 'x' }, 'workspace_id read_only'],
    [{ expires_at: null }, 'expires_at read_only'],
    [{ creator_user_id: 'u' }, 'creator_user_id read_only'],
    [{ hash: 'a'.repeat(64) }, 'hash read_only'],
    [{ usage: 0 }, 'usage read_only'],
    [{ limit_remaining: 5 }, 'limit_remaining read_only'],
    [{ key: 'bw-v1-x' }, 'key unknown'],
    [{ update_mask: 'name' }, 'update_mask unknown'],
    [
      { nmae: 'x', name: null, disabled: 1, limit: [] },
      'nmae unknown',
      'name not_null',
      'disabled type',
      'limit type',
    ],
    [[], ' type'],
    ['null', ' type'],
    ['"name"', ' type'],
    ['', ' required'],
  ])('%j', async (body, ...violations) => {
    const answer = await refused(gateway, () => patch(body));
    expect([answer.slice(0, 2), answer.slice(2)]).toEqual([[400, 'invalid_request'], violations]);
  });

  it('a query parameter', async () => {
    const call = () => manage('PATCH', `/keys/${key.hash}?name=x`, { name: 'y' });
    expect(await refused(gateway, call)).toEqual([400, 'invalid_request', 'name unknown']);
  });

  it('read-only members are refused also where a whole record is sent back', async () => {
    const { name, disabled, limit, limit_reset, include_byok_in_limit, ...others } = key;
    const { end_user_limit, end_user_limit_reset, end_user_required, cache_ttl, ...readOnly } = others;
    const answer = await refused(gateway, () => patch(key));
    expect(answer.slice(2)).toEqual(
      Object.keys(readOnly).map((member) => expect.stringContaining(`${member} read_only`)),
    );
    const ofEndUsers = { end_user_limit, end_user_limit_reset, end_user_required, cache_ttl };
    const updatable = { name, disabled, limit, limit_reset, include_byok_in_limit, ...ofEndUsers };
    expect((await patch(updatable)).status).toBe(200);
  });
});

describe('parallel updates', () => {
  it('50 of them, each of one field, lose nothing', async () => {
    const changes: Row[] = Array.from({ length: 10 }, () => [
      { name: 'Parallel' },
      { disabled: true },
      { limit: 77.5 },
      { limit_reset: 'monthly' },
      { include_byok_in_limit: false },
    ]).flat();
    const answers = await Promise.all(changes.map(patch));
    expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
    expect(await read()).toMatchObject(Object.assign({}, ...changes));
  });

  it('50 names end as one of them, and every answer shows its own', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `Name ${index}`);
    const answers = await Promise.all(names.map(async (name) => recordOf(await patch({ name })).name));
    expect(answers).toEqual(names);
    expect(names).toContain((await read()).name);
  });

  it('a deletion between them ends in 404, never in a record that comes back', async () => {
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, () => patch({ name: 'Early' })),
      manage('DELETE', `/keys/${key.hash}`),
      ...Array.from({ length: 10 }, () => patch({ name: 'Late', disabled: true })),
    ]);
    expect(answers.every(({ status }) => status === 200 || status === 404)).toBe(true);
    expect((await manage('GET', `/keys/${key.hash}`)).status).toBe(404);
  });
});
