import { describe, expect, test } from 'vitest';
import { CLEAR, set } from '../../src/base/change.js';
import { systemIds } from '../../src/base/ids.js';
import type { ByokKeyUpdate, NewByokKey } from '../../src/byok/inputs.js';
import { ByokKeys } from '../../src/byok/keys.js';
import type { ByokKey } from '../../src/byok/types.js';
import { byokStore } from '../../src/store/byok-store.js';
import { openDuringTest } from '../support/database.js';
import {
  changing,
  DEFAULT_WORKSPACE,
  DELETED,
  DISABLED,
  EXPIRED,
  FOREIGN,
  FOREIGN_HASH,
  FOREIGN_WORKSPACE,
  LIVE,
  newKey,
  OWN,
  openDesk,
  refusal,
  SECOND_WORKSPACE,
  START,
  UNKNOWN_HASH,
} from './desk.js';
import { RESOURCE, SAMPLES } from './samples.js';

const ALL = { workspaceId: null, provider: null, offset: 0, limit: 100 };
const UNKNOWN_ID = 'ffffffff-ffff-4fff-8fff-ffffffffffff';

describe('create (spec 4.3)', () => {
  test('answers the record, with what was omitted at its default', async () => {
    const { keys } = await openDesk();
    const key = await keys.create(OWN, newKey());
    expect(key).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      accountId: OWN,
      workspaceId: DEFAULT_WORKSPACE,
      provider: 'openai',
      label: 'sk-...789',
      name: null,
      disabled: false,
      isFallback: false,
      isRequired: false,
      isByokOnly: false,
      declaredZdr: null,
      allowedModels: null,
      allowedApiKeyHashes: null,
      allowedUserIds: null,
      sortOrder: 0,
      createdAt: START,
      updatedAt: START,
    } satisfies ByokKey);
    expect(await keys.get(OWN, key.id)).toEqual(key);
  });

  test('stores every member that was sent, duplicates collapsed', async () => {
    const { keys } = await openDesk();
    const given = {
      provider: 'azure',
      key: SAMPLES.azure,
      name: 'production',
      disabled: true,
      isRequired: true,
      isByokOnly: true,
      declaredZdr: false,
      allowedModels: ['b', 'a', 'b'],
      allowedApiKeyHashes: [LIVE, LIVE, DISABLED],
      allowedUserIds: [],
      workspaceId: SECOND_WORKSPACE,
    };
    const key = await keys.create(OWN, newKey(given));
    const { key: _, ...stored } = {
      ...given,
      allowedModels: ['b', 'a'],
      allowedApiKeyHashes: [LIVE, DISABLED],
    };
    expect(await keys.get(OWN, key.id)).toMatchObject(stored);
  });

  test('puts a new key at the end of its section, counted by workspace and provider', async () => {
    const { keys } = await openDesk();
    const positions: number[] = [];
    for (const members of [
      {},
      {},
      { isFallback: true },
      { provider: 'mistral' },
      { workspaceId: SECOND_WORKSPACE },
      {},
      { isFallback: true },
    ]) {
      positions.push((await keys.create(OWN, newKey(members))).sortOrder);
    }
    expect(positions).toEqual([0, 1, 0, 0, 0, 2, 1]);
  });

  test.each<[string, Partial<NewByokKey>, string[]]>([
    ['an unknown provider', { provider: 'openay' }, ['provider known']],
    ['an unknown provider and an empty key', { provider: 'x', key: '' }, ['provider known', 'key required']],
    ['a bad credential', { key: 'sk key' }, ['key characters']],
    ['a long name', { name: 'x'.repeat(256) }, ['name length']],
    [
      'is_required with is_fallback',
      { isRequired: true, isFallback: true },
      ['is_required prioritized_only'],
    ],
    [
      'is_byok_only with is_fallback',
      { isByokOnly: true, isFallback: true },
      ['is_byok_only prioritized_only'],
    ],
    ['declared_zdr true', { declaredZdr: true }, ['declared_zdr not_exempting']],
    ['an empty hash filter', { allowedApiKeyHashes: [] }, ['allowed_api_key_hashes min_items']],
    ['an unknown workspace', { workspaceId: UNKNOWN_ID }, ['workspace_id known']],
    ['a malformed workspace', { workspaceId: '' }, ['workspace_id known']],
    ['a foreign workspace', { workspaceId: FOREIGN_WORKSPACE }, ['workspace_id known']],
    [
      'hashes that are not live',
      { allowedApiKeyHashes: [LIVE, DISABLED, EXPIRED, DELETED, FOREIGN_HASH, UNKNOWN_HASH] },
      [2, 3, 4, 5].map((index) => `allowed_api_key_hashes[${index}] live`),
    ],
    [
      'everything at once',
      {
        provider: 'azure',
        key: JSON.stringify([{ ...RESOURCE, api_key: 7, resource_type: 'x' }]),
        name: 'x'.repeat(256),
        isRequired: true,
        isByokOnly: true,
        isFallback: true,
        declaredZdr: true,
        allowedModels: [''],
        allowedApiKeyHashes: ['x', UNKNOWN_HASH],
        allowedUserIds: Array(101).fill('u'),
        workspaceId: FOREIGN_WORKSPACE,
      },
      [
        'key[0].api_key type',
        'key[0].resource_type value',
        'name length',
        'is_required prioritized_only',
        'is_byok_only prioritized_only',
        'declared_zdr not_exempting',
        'allowed_models[0] length',
        'allowed_api_key_hashes[0] pattern',
        'allowed_user_ids max_items',
        'workspace_id known',
        'allowed_api_key_hashes[1] live',
      ],
    ],
  ])('refuses %s, and stores nothing', async (_, members, expected) => {
    const { keys } = await openDesk();
    expect(await refusal(keys.create(OWN, newKey(members)))).toEqual(expected);
    expect((await keys.list(OWN, ALL)).totalCount).toBe(0);
  });

  test('a mistyped provider is answered with the nearest name', async () => {
    const { keys } = await openDesk();
    const call = keys.create(OWN, newKey({ provider: 'mistrall' }));
    await expect(call).rejects.toThrow('provider: is not a known provider; did you mean mistral?');
  });
});

describe('get, list and remove', () => {
  test('a malformed, an unknown and a foreign id are one and the same 404 (interface section 3)', async () => {
    const { keys } = await openDesk();
    const { id } = await keys.create(FOREIGN, newKey());
    for (const wrong of [id, UNKNOWN_ID, 'not-a-uuid', '', id.toUpperCase()]) {
      expect(await refusal(keys.get(OWN, wrong))).toBe('not_found');
      expect(await refusal(keys.update(OWN, wrong, changing({})))).toBe('not_found');
      expect(await refusal(keys.remove(OWN, wrong))).toBe('not_found');
    }
    expect(await refusal(keys.get(FOREIGN, id))).toBe('accepted');
  });

  test('lists come by creation time, then id, and only of the account', async () => {
    const { keys, clock } = await openDesk();
    await keys.create(FOREIGN, newKey());
    const made: ByokKey[] = [];
    for (const [index, provider] of ['openai', 'mistral', 'openai', 'demo'].entries()) {
      clock.time = START + (index < 2 ? 10 : 5);
      made.push(
        await keys.create(OWN, newKey({ provider, workspaceId: index === 0 ? SECOND_WORKSPACE : null })),
      );
    }
    const sorted = made
      .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
      .map((key) => key.id);
    const ids = async (query: Partial<typeof ALL> | { provider: string } | { workspaceId: string }) => {
      const { keys: page, totalCount } = await keys.list(OWN, { ...ALL, ...query });
      return [page.map((key) => key.id), totalCount];
    };
    expect(await ids({})).toEqual([sorted, 4]);
    expect(await ids({ offset: 1, limit: 2 })).toEqual([sorted.slice(1, 3), 4]);
    expect(await ids({ offset: 9 })).toEqual([[], 4]);
    expect(await ids({ workspaceId: SECOND_WORKSPACE })).toEqual([[made[0]?.id], 1]);
    expect(await ids({ provider: 'mistral' })).toEqual([[made[1]?.id], 1]);
    expect(await ids({ provider: 'mistral', workspaceId: SECOND_WORKSPACE })).toEqual([[], 0]);
    expect(await ids({ provider: 'nobody' })).toEqual([[], 0]);
    expect(await refusal(keys.list(OWN, { ...ALL, workspaceId: FOREIGN_WORKSPACE }))).toEqual([
      'workspace_id known',
    ]);
  });

  test('what is removed is gone, and its section has no gap', async () => {
    const { keys, credentials } = await openDesk();
    const made: ByokKey[] = [];
    for (let index = 0; index < 3; index += 1) made.push(await keys.create(OWN, newKey()));
    const [first, second, third] = made.map((key) => key.id);
    await keys.remove(OWN, second ?? '');
    expect(await refusal(keys.get(OWN, second ?? ''))).toBe('not_found');
    const left = await credentials.storedKeysOf(DEFAULT_WORKSPACE);
    expect(left.map(({ key }) => [key.id, key.sortOrder])).toEqual([
      [first, 0],
      [third, 1],
    ]);
  });
});

describe('update (spec 4.4): omitted keeps, null clears, a value replaces', () => {
  const FULL = newKey({
    name: 'before',
    disabled: true,
    isRequired: true,
    isByokOnly: true,
    declaredZdr: false,
    allowedModels: ['m1'],
    allowedApiKeyHashes: [LIVE],
    allowedUserIds: ['user_1'],
  });

  test.each<[keyof ByokKeyUpdate & keyof ByokKey, Partial<ByokKeyUpdate>, unknown]>([
    ['name', { name: CLEAR }, null],
    ['name', { name: set('after') }, 'after'],
    ['disabled', { disabled: set(false) }, false],
    ['isRequired', { isRequired: set(false) }, false],
    ['isByokOnly', { isByokOnly: set(false) }, false],
    ['declaredZdr', { declaredZdr: CLEAR }, null],
    ['allowedModels', { allowedModels: CLEAR }, null],
    ['allowedModels', { allowedModels: set([]) }, []],
    ['allowedModels', { allowedModels: set(['m2', 'm3', 'm2']) }, ['m2', 'm3']],
    ['allowedApiKeyHashes', { allowedApiKeyHashes: CLEAR }, null],
    ['allowedApiKeyHashes', { allowedApiKeyHashes: set([DISABLED]) }, [DISABLED]],
    ['allowedUserIds', { allowedUserIds: CLEAR }, null],
    ['allowedUserIds', { allowedUserIds: set([]) }, []],
    ['allowedUserIds', { allowedUserIds: set(['user_2']) }, ['user_2']],
  ])('%s changes alone, and updated_at with it: %j', async (field, change, expected) => {
    const { keys, clock } = await openDesk();
    const before = await keys.create(OWN, FULL);
    clock.time = START + 1000;
    const after = await keys.update(OWN, before.id, changing(change));
    expect(after).toEqual({ ...before, [field]: expected, updatedAt: START + 1000 });
    expect(await keys.get(OWN, before.id)).toEqual(after);
  });

  test.each<[string, Partial<ByokKeyUpdate>]>([
    ['nothing', {}],
    ['the same name', { name: set('before') }],
    ['the same filter, with a duplicate', { allowedModels: set(['m1', 'm1']) }],
    ['the same position', { sortOrder: set(7) }],
    ['the same flags', { disabled: set(true), isRequired: set(true), declaredZdr: set(false) }],
  ])('updated_at stays when the update says %s', async (_, change) => {
    const { keys, clock } = await openDesk();
    const before = await keys.create(OWN, FULL);
    clock.time = START + 1000;
    expect(await keys.update(OWN, before.id, changing(change))).toEqual(before);
    expect(await keys.get(OWN, before.id)).toEqual(before);
  });

  test('key replaces the credential in place, with a label of its own', async () => {
    const { keys, credentials, vault } = await openDesk();
    const before = await keys.create(OWN, newKey());
    const replacement = 'another-key-0123456-end';
    const after = await keys.update(OWN, before.id, changing({ key: set(replacement) }));
    expect(after).toEqual({ ...before, label: 'ano...end' });
    const stored = await credentials.storedKey(OWN, before.id);
    expect(stored && vault.open(stored.sealed, before)).toBe(replacement);
  });

  test.each<[string, Partial<ByokKeyUpdate>, string[]]>([
    ['a credential of another kind', { key: set('{"a": 1}') }, ['key type']],
    ['a long name', { name: set('x'.repeat(256)) }, ['name length']],
    ['declared_zdr true', { declaredZdr: set(true) }, ['declared_zdr not_exempting']],
    ['an empty hash filter', { allowedApiKeyHashes: set([]) }, ['allowed_api_key_hashes min_items']],
    ['a dead hash', { allowedApiKeyHashes: set([LIVE, DELETED]) }, ['allowed_api_key_hashes[1] live']],
    ['a negative position', { sortOrder: set(-1) }, ['sort_order range']],
    ['a position that is no integer', { sortOrder: set(0.5) }, ['sort_order range']],
    [
      'is_fallback on a key that is required',
      { isFallback: set(true) },
      ['is_required prioritized_only', 'is_byok_only prioritized_only'],
    ],
    [
      'several at once, the resulting state included',
      { isFallback: set(true), isRequired: set(true), name: set('x'.repeat(256)), allowedUserIds: set(['']) },
      [
        'name length',
        'is_required prioritized_only',
        'allowed_user_ids[0] length',
        'is_byok_only prioritized_only',
      ],
    ],
  ])('refuses %s, and changes nothing', async (_, change, expected) => {
    const { keys } = await openDesk();
    const before = await keys.create(OWN, FULL);
    expect(await refusal(keys.update(OWN, before.id, changing(change)))).toEqual(expected);
    expect(await keys.get(OWN, before.id)).toEqual(before);
  });

  test('a fallback key does not become required, unless it is moved in the same call', async () => {
    const { keys } = await openDesk();
    const { id } = await keys.create(OWN, newKey({ isFallback: true }));
    expect(await refusal(keys.update(OWN, id, changing({ isRequired: set(true) })))).toEqual([
      'is_required prioritized_only',
    ]);
    const both = changing({ isRequired: set(true), isFallback: set(false) });
    expect(await keys.update(OWN, id, both)).toMatchObject({ isRequired: true, isFallback: false });
  });

  test('broken words come before a missing key: 400, then 404 (interface section 3)', async () => {
    const { keys } = await openDesk();
    const broken = changing({ name: set('x'.repeat(256)) });
    expect(await refusal(keys.update(OWN, UNKNOWN_ID, broken))).toEqual(['name length']);
  });

  test('a key whose provider has left the catalogue can be changed, but gets no new credential', async () => {
    const { keys, database } = await openDesk();
    const { id } = await keys.create(OWN, newKey());
    await database.transact(['byok'], (tx) =>
      tx.updateTable('byok_key').set({ provider: 'retired' }).execute(),
    );
    expect(await keys.update(OWN, id, changing({ disabled: set(true) }))).toMatchObject({ disabled: true });
    expect(await refusal(keys.update(OWN, id, changing({ key: set('sk-new') })))).toEqual([
      'key known_provider',
    ]);
  });
});

describe('sort_order and is_fallback move a key (interface section 4)', () => {
  async function withSection() {
    const desk = await openDesk();
    const ids: string[] = [];
    for (let index = 0; index < 4; index += 1) ids.push((await desk.keys.create(OWN, newKey())).id);
    const shown = async () => {
      const stored = await desk.credentials.storedKeysOf(DEFAULT_WORKSPACE);
      const names = stored.map(
        ({ key }) => `${ids.indexOf(key.id)}${key.isFallback ? 'f' : 'p'}${key.sortOrder}`,
      );
      return names.join(' ');
    };
    const change = (index: number, update: Partial<ByokKeyUpdate>) =>
      desk.keys.update(OWN, ids[index] ?? '', changing(update));
    return { ...desk, ids, shown, change };
  }

  test('within its section, clamped to the end', async () => {
    const { shown, change } = await withSection();
    expect((await change(0, { sortOrder: set(2) })).sortOrder).toBe(2);
    expect(await shown()).toBe('1p0 2p1 0p2 3p3');
    expect((await change(1, { sortOrder: set(1_000_000) })).sortOrder).toBe(3);
    expect(await shown()).toBe('2p0 0p1 3p2 1p3');
  });

  test('to the end of the other section, or to a position there', async () => {
    const { shown, change } = await withSection();
    expect(await change(1, { isFallback: set(true) })).toMatchObject({ isFallback: true, sortOrder: 0 });
    await change(2, { isFallback: set(true) });
    expect(await shown()).toBe('0p0 3p1 1f0 2f1');
    await change(0, { isFallback: set(true), sortOrder: set(1) });
    expect(await shown()).toBe('3p0 1f0 0f1 2f2');
  });

  test('the others keep their updated_at', async () => {
    const { keys, clock, ids, change } = await withSection();
    clock.time = START + 1000;
    await change(3, { sortOrder: set(0) });
    const stamps = await Promise.all(ids.map(async (id) => (await keys.get(OWN, id)).updatedAt - START));
    expect(stamps).toEqual([0, 0, 0, 1000]);
  });

  test('concurrent changes of two processes leave positions 0..n-1, each key once', async () => {
    const { url, ids, credentials, ...desk } = await withSection();
    const store = byokStore(await openDuringTest(url));
    const processes = [desk.keys, new ByokKeys({ ...desk, store, ids: systemIds })];
    const moves = Array.from({ length: 60 }, (_, index) => {
      const keys = processes[index % 2] ?? desk.keys;
      if (index % 7 === 0) return keys.create(OWN, newKey({ isFallback: index % 3 === 0 }));
      const destination = { isFallback: set(index % 3 === 0), sortOrder: set((index * 7) % 5) };
      return keys.update(OWN, ids[index % ids.length] ?? '', changing(destination));
    });
    await Promise.all(moves);
    await Promise.all(ids.slice(2).map((id) => desk.keys.remove(OWN, id)));
    const stored = (await credentials.storedKeysOf(DEFAULT_WORKSPACE)).map(({ key }) => key);
    expect(stored).toHaveLength(4 + 9 - 2);
    for (const isFallback of [false, true]) {
      const positions = stored.filter((key) => key.isFallback === isFallback).map((key) => key.sortOrder);
      expect(positions).toEqual(positions.map((_, index) => index));
    }
  });
});

test('an account without a default workspace cannot get a key in it', async () => {
  const { database } = await openDesk();
  expect(await byokStore(database).workspaceId('acc-unknown', null)).toBeUndefined();
});
