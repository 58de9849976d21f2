import { describe, expect, test } from 'vitest';
import { set } from '../../src/base/change.js';
import type { KeyQuery } from '../../src/identity/api-key.js';
import { deleteKey } from '../../src/identity/delete-key.js';
import type { KeyAdministrator } from '../../src/identity/principal.js';
import { getCurrentKey, getKey, listKeys } from '../../src/identity/read-keys.js';
import { updateKey } from '../../src/identity/update-key.js';
import { changes, createWorld, newAccount, newClient, newKey, START, type World } from './world.js';

const NOT_FOUND = { reason: 'not_found', message: 'Resource not found', httpStatus: 404 };
const FIRST_PAGE: KeyQuery = { includeDisabled: false, workspaceId: null, offset: 0, limit: 50 };

async function list(world: World, who: KeyAdministrator, over: Partial<KeyQuery> = {}) {
  const { records, totalCount } = await listKeys(world.keys, who, { ...FIRST_PAGE, ...over });
  return { hashes: records.map((record) => record.key.hash), totalCount };
}

describe('lists of keys', () => {
  test('are ordered by creation, then hash, in pages with the count of all', async () => {
    const world = await createWorld();
    const { principal } = await newAccount(world);
    const created: { createdAt: number; hash: string }[] = [];
    for (const age of [3, 1, 2, 1, 1]) {
      world.clock.nowMs = START - age;
      created.push((await newKey(world, principal)).record.key);
    }
    const inOrder = created
      .toSorted((a, b) => a.createdAt - b.createdAt || (a.hash < b.hash ? -1 : 1))
      .map((key) => key.hash);
    expect(await list(world, principal)).toEqual({ hashes: inOrder, totalCount: 5 });
    const page = await list(world, principal, { offset: 1, limit: 2 });
    expect(page).toEqual({ hashes: inOrder.slice(1, 3), totalCount: 5 });
    expect(await list(world, principal, { offset: 9 })).toEqual({ hashes: [], totalCount: 5 });
  });

  test('contain disabled keys only on request, deleted ones never, expired ones always', async () => {
    const world = await createWorld();
    const { principal } = await newAccount(world);
    const hashOf = async (over = {}) => (await newKey(world, principal, over)).record.key.hash;
    const [disabled, deleted] = [await hashOf(), await hashOf()];
    const expired = await hashOf({ expiresAt: START + 1 });
    await updateKey(world.keys, principal, disabled, changes({ disabled: set(true) }));
    await deleteKey(world.keys, principal, deleted);
    world.clock.nowMs = START + 2;
    expect(await list(world, principal)).toEqual({ hashes: [expired], totalCount: 1 });
    const all = await list(world, principal, { includeDisabled: true });
    expect(all).toEqual({ hashes: [disabled, expired].toSorted(), totalCount: 2 });
  });

  test('can be filtered by workspace; one of another account is refused', async () => {
    const world = await createWorld();
    const { principal, workspace } = await newAccount(world);
    const otherAccount = await newAccount(world);
    const { record } = await newKey(world, principal);
    const own = await list(world, principal, { workspaceId: workspace.id });
    expect(own).toEqual({ hashes: [record.key.hash], totalCount: 1 });
    for (const workspaceId of [otherAccount.workspace.id, 'nowhere', '']) {
      await expect(list(world, principal, { workspaceId })).rejects.toMatchObject({
        violations: [{ field: 'workspace_id', rule: 'known' }],
      });
    }
  });

  test('contain the keys of the account, for a client those that it has created', async () => {
    const world = await createWorld();
    const [mine, other] = [await newAccount(world), await newAccount(world)];
    const [client, otherClient] = [
      await newClient(world, mine.principal),
      await newClient(world, mine.principal),
    ];
    const byOwner = (await newKey(world, mine.principal)).record.key.hash;
    const byClient = (await newKey(world, client.principal)).record.key.hash;
    expect((await list(world, mine.principal)).hashes.toSorted()).toEqual([byOwner, byClient].toSorted());
    expect((await list(world, client.principal)).hashes).toEqual([byClient]);
    expect((await list(world, otherClient.principal)).hashes).toEqual([]);
    expect((await list(world, other.principal)).hashes).toEqual([]);
  });
});

describe('reading and deleting one key', () => {
  test('a key outside of the scope is answered like one that does not exist', async () => {
    const world = await createWorld();
    const { principal } = await newAccount(world);
    const otherAccount = await newAccount(world);
    const client = await newClient(world, principal);
    const { hash } = (await newKey(world, principal)).record.key;
    for (const [who, target] of [
      [principal, '0'.repeat(64)],
      [principal, hash.toUpperCase()],
      [otherAccount.principal, hash],
      [client.principal, hash],
    ] as const) {
      await expect(getKey(world.keys, who, target)).rejects.toMatchObject(NOT_FOUND);
      await expect(deleteKey(world.keys, who, target)).rejects.toMatchObject(NOT_FOUND);
    }
    expect((await getKey(world.keys, principal, hash)).key.hash).toBe(hash);
  });

  test('a deleted key is gone for every call; its row stays in the database', async () => {
    const world = await createWorld();
    const { principal } = await newAccount(world);
    const { record, secret } = await newKey(world, principal);
    const asKey = await world.login(secret);
    if (asKey.kind !== 'api_key') throw new Error('not an API key');
    expect(await getCurrentKey(world.keys, asKey)).toEqual(record);
    await deleteKey(world.keys, principal, record.key.hash);
    await expect(getKey(world.keys, principal, record.key.hash)).rejects.toMatchObject(NOT_FOUND);
    await expect(getCurrentKey(world.keys, asKey)).rejects.toMatchObject(NOT_FOUND);
    await expect(deleteKey(world.keys, principal, record.key.hash)).rejects.toMatchObject(NOT_FOUND);
    const rows = await world.database.query.selectFrom('api_key').select(['hash', 'deleted_at']).execute();
    expect(rows).toEqual([{ hash: record.key.hash, deleted_at: START }]);
  });

  test('a client reads, changes and deletes the keys that it has created', async () => {
    const world = await createWorld();
    const { principal } = await newAccount(world);
    const client = await newClient(world, principal);
    const { hash } = (await newKey(world, client.principal)).record.key;
    await updateKey(world.keys, client.principal, hash, changes({ name: set('Mine') }));
    expect((await getKey(world.keys, client.principal, hash)).key.name).toBe('Mine');
    await deleteKey(world.keys, client.principal, hash);
    await expect(getKey(world.keys, principal, hash)).rejects.toMatchObject(NOT_FOUND);
  });
});
