import { describe, expect, test } from 'vitest';
import { CLEAR, set } from '../../src/base/change.js';
import type { ByokKeyUpdate } from '../../src/byok/keys/inputs.js';
import type { ByokKey } from '../../src/byok/types.js';
import {
  changing,
  DELETED,
  DISABLED,
  LIVE,
  newKey,
  OWN,
  openDesk,
  refusal,
  START,
  UNKNOWN_ID,
} from './keys.fixture.js';

describe('update: omitted keeps, null clears, a value replaces', () => {
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
  ])('updated_at stays when the update is %s', async (_, change) => {
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
    ['an empty hash filter', { allowedApiKeyHashes: set([]) }, ['allowed_api_key_hashes count']],
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

  test('an invalid update of a missing key: 400 comes before 404', async () => {
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
