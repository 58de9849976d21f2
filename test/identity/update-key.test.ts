import { describe, expect, test } from 'vitest';
import { CLEAR, set } from '../../src/base/change.js';
import type { ApiKey } from '../../src/identity/api-key.js';
import { deleteKey } from '../../src/identity/delete-key.js';
import { getKey } from '../../src/identity/read-keys.js';
import { type KeyChanges, updateKey } from '../../src/identity/update-key.js';
import { openDuringTest, temporaryDatabaseUrl } from '../support/database.js';
import { changes, createWorld, newAccount, newClient, newKey, START, worldOn } from './world.js';

const NOT_FOUND = { reason: 'not_found', message: 'Resource not found', httpStatus: 404 };

/** Each updatable field: another value, and the effect of null. */
const FIELDS: readonly [keyof KeyChanges, ApiKey[keyof KeyChanges], 'cleared' | string][] = [
  ['name', 'Renamed', 'name'],
  ['disabled', true, 'disabled'],
  ['limitNanoUsd', 5n, 'cleared'],
  ['limitReset', 'daily', 'cleared'],
  ['includeByokInLimit', true, 'include_byok_in_limit'],
];

async function worldWithKey() {
  const world = await createWorld();
  const { principal } = await newAccount(world);
  const { record } = await newKey(world, principal, { limitNanoUsd: 9n, limitReset: 'monthly' });
  world.clock.nowMs = START + 1000;
  const update = (over: Partial<KeyChanges>) =>
    updateKey(world.keys, principal, record.key.hash, changes(over));
  const read = async () => (await getKey(world.keys, principal, record.key.hash)).key;
  return { world, principal, key: record.key, update, read };
}

describe('the three states of every field', () => {
  test('omitted: an empty update changes nothing, not even updated_at', async () => {
    const { key, update, read } = await worldWithKey();
    expect((await update({})).key).toEqual(key);
    expect(await read()).toEqual(key);
  });

  test.each(FIELDS)('%s set: only it and updated_at change', async (field, value) => {
    const { key, update, read } = await worldWithKey();
    const expected = { ...key, [field]: value, updatedAt: START + 1000 };
    expect((await update({ [field]: set(value) })).key).toEqual(expected);
    expect(await read()).toEqual(expected);
  });

  test.each(FIELDS)('%s set to its current value: nothing changes', async (field) => {
    const { key, update, read } = await worldWithKey();
    expect((await update({ [field]: set(key[field]) })).key).toEqual(key);
    expect(await read()).toEqual(key);
  });

  test.each(FIELDS.filter(([, , onNull]) => onNull === 'cleared'))(
    '%s null: it is removed',
    async (field) => {
      const { key, update, read } = await worldWithKey();
      await update({ [field]: CLEAR });
      expect(await read()).toEqual({ ...key, [field]: null, updatedAt: START + 1000 });
    },
  );

  test.each(FIELDS.filter(([, , onNull]) => onNull !== 'cleared'))(
    '%s null: refused with the name of the field',
    async (field, _value, restName) => {
      const { key, update, read } = await worldWithKey();
      await expect(update({ [field]: CLEAR })).rejects.toMatchObject({
        reason: 'invalid_request',
        violations: [{ field: restName, rule: 'not_null' }],
      });
      expect(await read()).toEqual(key);
    },
  );
});

describe('refusals', () => {
  test('every violation is named at once, and nothing changes', async () => {
    const { key, update, read } = await worldWithKey();
    const updating = update({ name: set(''), disabled: set(true), limitNanoUsd: set(10n ** 18n + 1n) });
    await expect(updating).rejects.toMatchObject({
      violations: [
        { field: 'name', rule: 'length' },
        { field: 'limit', rule: 'range' },
      ],
    });
    expect(await read()).toEqual(key);
  });

  test('violations are reported before a missing key', async () => {
    const { world, principal } = await worldWithKey();
    const updating = updateKey(world.keys, principal, 'nothing', changes({ name: set('') }));
    await expect(updating).rejects.toMatchObject({ reason: 'invalid_request' });
  });

  test('unknown and deleted keys, and those of other accounts, are not found, for a client also those it has not created', async () => {
    const { world, principal, key, read } = await worldWithKey();
    const otherAccount = await newAccount(world);
    const client = await newClient(world, principal);
    const deleted = await newKey(world, principal);
    await deleteKey(world.keys, principal, deleted.record.key.hash);
    const rename = changes({ name: set('Mine') });
    for (const [who, hash] of [
      [principal, '0'.repeat(64)],
      [principal, 'malformed'],
      [principal, deleted.record.key.hash],
      [otherAccount.principal, key.hash],
      [client.principal, key.hash],
    ] as const) {
      await expect(updateKey(world.keys, who, hash, rename)).rejects.toMatchObject(NOT_FOUND);
    }
    expect(await read()).toEqual(key);
  });
});

describe('concurrent updates', () => {
  test('of 50 updates of different fields, from two processes, none is lost', async () => {
    const url = await temporaryDatabaseUrl();
    const [here, there] = [worldOn(await openDuringTest(url)), worldOn(await openDuringTest(url))];
    const { principal } = await newAccount(here);
    const keys = await Promise.all(Array.from({ length: 10 }, () => newKey(here, principal)));
    const updates: Partial<KeyChanges>[] = [
      { name: set('All') },
      { disabled: set(true) },
      { limitNanoUsd: set(7n) },
      { limitReset: set('weekly') },
      { includeByokInLimit: set(true) },
    ];
    await Promise.all(
      keys.flatMap(({ record }) =>
        updates.map((update, index) =>
          updateKey((index % 2 === 0 ? here : there).keys, principal, record.key.hash, changes(update)),
        ),
      ),
    );
    for (const { record } of keys) {
      expect((await getKey(here.keys, principal, record.key.hash)).key).toMatchObject({
        name: 'All',
        disabled: true,
        limitNanoUsd: 7n,
        limitReset: 'weekly',
        includeByokInLimit: true,
      });
    }
  });

  test('each get their own result: their change, no change, or no such key', async () => {
    const { world, principal, key, read } = await worldWithKey();
    const otherAccount = await newAccount(world);
    const rename = (name: string) => changes({ name: set(name) });
    const attempt = (who: typeof principal, hash: string, update: KeyChanges) =>
      updateKey(world.keys, who, hash, update).then(
        (record) => record.key.name,
        (error: { reason: string }) => error.reason,
      );
    const outcomes = await Promise.all([
      attempt(principal, key.hash, rename('One')),
      attempt(otherAccount.principal, key.hash, rename('Theirs')),
      attempt(principal, key.hash, changes({})),
      attempt(principal, '0'.repeat(64), rename('Nothing')),
      attempt(principal, key.hash, rename('Two')),
      deleteKey(world.keys, principal, key.hash),
      attempt(principal, key.hash, rename('Gone')),
    ]);
    expect(outcomes).toEqual(['One', 'not_found', 'One', 'not_found', 'Two', undefined, 'not_found']);
    await expect(read()).rejects.toMatchObject(NOT_FOUND);
  });

  test('take effect for the next request: a disabled key is refused', async () => {
    const { world, principal } = await worldWithKey();
    const keys = await Promise.all(Array.from({ length: 20 }, () => newKey(world, principal)));
    for (const { secret } of keys) await world.login(secret);
    await Promise.all(
      keys.map(async ({ record, secret }) => {
        await updateKey(world.keys, principal, record.key.hash, changes({ disabled: set(true) }));
        await expect(world.login(secret)).rejects.toMatchObject({ reason: 'api_key_disabled' });
      }),
    );
  });

  test('without a change invalidate no cache', async () => {
    const { world, key, update } = await worldWithKey();
    let heard = 0;
    world.database.onChange('identity', () => heard++);
    await Promise.all([update({}), update({ name: set(key.name) })]);
    expect(heard).toBe(0);
    await update({ name: set('Other') });
    expect(heard).toBe(1);
  });
});
