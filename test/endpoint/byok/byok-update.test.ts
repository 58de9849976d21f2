import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchGateway } from '../../support/gateway.js';
import { bodyOf, type Call, caller, type Row, recordOf, refused, rowsOf } from '../../support/rest.js';
import { everyKindOfProvider } from '../provider-kinds.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let manage: Call;
let key: Row;

/** A key whose every updatable member that can be cleared has a value. */
const state = () => ({
  name: 'Before',
  is_required: true,
  declared_zdr: false,
  allowed_models: ['openai/gpt'],
  allowed_api_key_hashes: [gateway.apiKeyHash],
  allowed_user_ids: ['user_1'],
});

beforeAll(async () => {
  gateway = await launchGateway({ catalog: everyKindOfProvider() });
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  manage = caller(gateway, gateway.managementKey);
  key = recordOf(
    await manage('POST', '/byok', { provider: 'openai', key: 'sk-proj-0123456789abcxyz', ...state() }),
  );
});

const patch = (body: unknown) => manage('PATCH', `/byok/${key.id}`, body);
const read = async () => recordOf(await manage('GET', `/byok/${key.id}`));

describe('PATCH /byok/{id}: omitted keeps, null clears, a value replaces', () => {
  it('without members changes nothing and answers 200 with the record', async () => {
    const answer = await patch({});
    expect([answer.status, bodyOf(answer)]).toEqual([200, { data: key }]);
    expect(await read()).toEqual(key);
  });

  it.each<[string, unknown]>([
    ['name', 'After'],
    ['name', ''],
    ['disabled', true],
    ['is_required', false],
    ['is_byok_only', true],
    ['allowed_models', ['a/b', 'openai/gpt']],
    ['allowed_models', []],
    ['allowed_user_ids', ['user_2']],
    ['allowed_user_ids', []],
  ])('sets %s to %j and keeps all other members', async (member, value) => {
    const changed = recordOf(await patch({ [member]: value }));
    // Made when the record is read.
    expect(changed).toEqual({ ...key, [member]: value, warnings: expect.any(Array) });
    expect(await read()).toEqual(changed);
  });

  it.each(['name', 'declared_zdr', 'allowed_models', 'allowed_api_key_hashes', 'allowed_user_ids'])(
    'null clears %s and keeps all other members',
    async (member) => {
      const changed = recordOf(await patch({ [member]: null }));
      expect(changed).toEqual({ ...key, [member]: null, warnings: expect.any(Array) });
      expect(await read()).toEqual(changed);
    },
  );

  it.each(['disabled', 'is_fallback', 'is_required', 'is_byok_only', 'sort_order', 'key'])(
    'null for %s is refused',
    async (member) => {
      const answer = await refused(gateway, () => patch({ [member]: null, name: 'x' }));
      expect(answer).toEqual([400, 'invalid_request', `${member} not_null`]);
    },
  );

  it('replaces the hashes by an array of live ones', async () => {
    const { hash } = recordOf(await manage('POST', '/keys', { name: 'n' }));
    const changed = recordOf(await patch({ allowed_api_key_hashes: [hash] }));
    expect(changed).toEqual({ ...key, allowed_api_key_hashes: [hash] });
  });

  it('declared_zdr goes from false to null and back', async () => {
    expect(recordOf(await patch({ declared_zdr: null })).declared_zdr).toBeNull();
    expect(recordOf(await patch({ declared_zdr: false })).declared_zdr).toBe(false);
  });

  it('key replaces the credential in place, and the label follows', async () => {
    const { warnings, ...changed } = recordOf(await patch({ key: 'sk-other-9876543210zyxcba' }));
    const { warnings: before, ...rest } = key;
    expect(changed).toEqual({ ...rest, label: 'sk-...cba' });
    expect([before, warnings]).toEqual([expect.any(Array), expect.any(Array)]);
    expect(recordOf(await patch({ name: 'x' })).label).toBe('sk-...cba');
  });
});

describe('what PATCH /byok/{id} refuses, writing nothing', () => {
  it.each<[object | string, ...string[]]>([
    [{ name: 'x'.repeat(256) }, 'name length'],
    [{ declared_zdr: true }, 'declared_zdr not_exempting'],
    [{ sort_order: -1 }, 'sort_order range'],
    [{ sort_order: 1.5 }, 'sort_order type'],
    [{ sort_order: '0' }, 'sort_order type'],
    [{ key: '' }, 'key required'],
    [{ key: '{"a":1}' }, 'key type'],
    [{ key: 7 }, 'key type'],
    [{ disabled: 'no' }, 'disabled type'],
    [{ provider: 'openai' }, 'provider read_only'],
    [{ workspace_id: 'x' }, 'workspace_id read_only'],
    [{ id: 'x' }, 'id read_only'],
    [{ label: 'x' }, 'label read_only'],
    [{ created_at: 'x' }, 'created_at read_only'],
    [{ isFallback: true }, 'isFallback unknown'],
    [{ is_fallback: true }, 'is_required prioritized_only'],
    [{ is_fallback: true, is_required: false, is_byok_only: true }, 'is_byok_only prioritized_only'],
    [
      { name: 'x'.repeat(256), allowed_api_key_hashes: ['f'.repeat(64)], is_fallback: true, key: '[]' },
      'allowed_api_key_hashes[0] live',
      'is_required prioritized_only',
      'key type',
      'name length',
    ],
    ['[]', ' type'],
    ['', ' required'],
  ])('%j', async (body, ...violations) => {
    const answer = await refused(gateway, () => patch(body));
    expect([answer.slice(0, 2), answer.slice(2).toSorted()]).toEqual([[400, 'invalid_request'], violations]);
  });

  it('a change that conflicts with the stored state', async () => {
    await patch({ is_required: false });
    await patch({ is_fallback: true });
    for (const member of ['is_required', 'is_byok_only']) {
      const answer = await refused(gateway, () => patch({ [member]: true }));
      expect(answer).toEqual([400, 'invalid_request', `${member} prioritized_only`]);
    }
    expect(recordOf(await patch({ is_fallback: false, is_required: true }))).toMatchObject({
      is_required: true,
    });
  });
});

describe('sort_order and sections', () => {
  let ids: unknown[];

  beforeEach(async () => {
    manage = caller(gateway, (await gateway.addAccount()).managementKey);
    ids = [];
    for (let index = 0; index < 5; index++) {
      const body = {
        provider: 'openai',
        key: 'sk-proj-0123456789abcxyz',
        name: `${index}`,
        is_fallback: index > 2,
      };
      ids.push(recordOf(await manage('POST', '/byok', body)).id);
    }
  });

  /** The names of each section in its order; positions must be 0..n-1 without gaps. */
  async function sections(): Promise<string> {
    const rows = rowsOf(await manage('GET', '/byok'));
    const inOrder = (is_fallback: boolean) =>
      rows
        .filter((row) => row.is_fallback === is_fallback)
        .toSorted((a, b) => Number(a.sort_order) - Number(b.sort_order));
    for (const isFallback of [false, true]) {
      expect(inOrder(isFallback).map((row) => row.sort_order)).toEqual(
        inOrder(isFallback).map((_, index) => index),
      );
    }
    const names = (isFallback: boolean) => inOrder(isFallback).map(({ name }) => name);
    return `${names(false).join('')}/${names(true).join('')}`;
  }

  it.each<[number, object, string]>([
    [0, { sort_order: 2 }, '120/34'],
    [2, { sort_order: 0 }, '201/34'],
    [0, { sort_order: 1 }, '102/34'],
    [0, { sort_order: 0 }, '012/34'],
    [0, { sort_order: 99 }, '120/34'],
    [0, { is_fallback: true }, '12/340'],
    [0, { is_fallback: true, sort_order: 0 }, '12/034'],
    [0, { is_fallback: true, sort_order: 99 }, '12/340'],
    [3, { is_fallback: false, sort_order: 1 }, '0312/4'],
    [3, { is_fallback: true }, '012/34'],
    [4, { is_fallback: false }, '0124/3'],
  ])('key %d with %j: %s', async (index, change, expected) => {
    const changed = recordOf(await manage('PATCH', `/byok/${ids[index]}`, change));
    expect(await sections()).toBe(expected);
    expect(recordOf(await manage('GET', `/byok/${ids[index]}`))).toEqual(changed);
  });

  it('50 parallel changes of different fields and positions lose nothing and leave no gap', async () => {
    const changes = Array.from({ length: 50 }, (_, index) => {
      const id = ids[index % 5];
      const kinds = [
        { name: `${index % 5}` },
        { disabled: true },
        { allowed_models: ['m'] },
        { allowed_user_ids: ['u'] },
        { sort_order: index % 3 },
      ];
      return manage('PATCH', `/byok/${id}`, kinds[Math.floor(index / 5) % 5]);
    });
    expect((await Promise.all(changes)).map(({ status }) => status)).toEqual(changes.map(() => 200));
    const expected = { disabled: true, allowed_models: ['m'], allowed_user_ids: ['u'] };
    expect(rowsOf(await manage('GET', '/byok'))).toEqual(ids.map(() => expect.objectContaining(expected)));
    expect((await sections()).length).toBe(6);
  });
});
