import { expect, test } from 'vitest';
import { createClient, deleteClient } from '../../src/identity/client.js';
import { deleteKey } from '../../src/identity/delete-key.js';
import { getKey } from '../../src/identity/read-keys.js';
import { createWorld, newAccount, newClient, newKey, START } from './world.js';

const NOT_FOUND = { reason: 'not_found', message: 'Resource not found', httpStatus: 404 };

test('clients are listed in pages by creation, without deleted ones and those of other accounts', async () => {
  const world = await createWorld();
  const [mine, other] = [await newAccount(world), await newAccount(world)];
  const names = [];
  for (const age of [1, 3, 2]) {
    world.clock.nowMs = START - age;
    names.push(
      (await createClient(world.clients, mine.principal, { name: `App ${age}`, userId: null })).client,
    );
  }
  const list = (offset: number, limit: number) =>
    world.clients.store.listClients(mine.account.id, { offset, limit });
  const [one, three, two] = names;
  expect(await list(0, 50)).toEqual({ clients: [three, two, one], totalCount: 3 });
  expect(await list(1, 1)).toEqual({ clients: [two], totalCount: 3 });
  await deleteClient(world.clients, mine.principal, one?.id ?? '');
  expect(await list(0, 50)).toEqual({ clients: [three, two], totalCount: 2 });
  const theirs = await world.clients.store.listClients(other.account.id, { offset: 0, limit: 50 });
  expect(theirs).toEqual({ clients: [], totalCount: 0 });
});

test('deleting a client disables its keys, and only those; its secret stops working', async () => {
  const world = await createWorld();
  const { principal } = await newAccount(world);
  const client = await newClient(world, principal);
  const [live, gone] = [await newKey(world, client.principal), await newKey(world, client.principal)];
  const ownersKey = await newKey(world, principal);
  await deleteKey(world.keys, client.principal, gone.record.key.hash);
  await world.login(live.secret);
  world.clock.nowMs = START + 1;

  await deleteClient(world.clients, principal, client.client.id);

  await expect(world.login(client.secret)).rejects.toMatchObject({ reason: 'invalid_api_key' });
  await expect(world.login(live.secret)).rejects.toMatchObject({ reason: 'api_key_disabled' });
  await expect(world.login(gone.secret)).rejects.toMatchObject({ reason: 'invalid_api_key' });
  expect(await world.login(ownersKey.secret)).toMatchObject({ kind: 'api_key' });
  const { key } = await getKey(world.keys, principal, live.record.key.hash);
  expect(key).toEqual({ ...live.record.key, disabled: true, updatedAt: START + 1 });
});

test('a client that has just been deleted cannot create keys', async () => {
  const world = await createWorld();
  const { principal } = await newAccount(world);
  const client = await newClient(world, principal);
  await deleteClient(world.clients, principal, client.client.id);
  await expect(newKey(world, client.principal)).rejects.toMatchObject(NOT_FOUND);
});

test('deleting twice, or another account’s client, finds nothing', async () => {
  const world = await createWorld();
  const [mine, other] = [await newAccount(world), await newAccount(world)];
  const { client, secret } = await newClient(world, mine.principal);
  await expect(deleteClient(world.clients, other.principal, client.id)).rejects.toMatchObject(NOT_FOUND);
  expect(await world.login(secret)).toMatchObject({ kind: 'client' });
  await deleteClient(world.clients, mine.principal, client.id);
  await expect(deleteClient(world.clients, mine.principal, client.id)).rejects.toMatchObject(NOT_FOUND);
});

test('a client needs a name of 1 to 255 characters', async () => {
  const world = await createWorld();
  const { principal } = await newAccount(world);
  for (const name of ['', 'x'.repeat(256)]) {
    await expect(createClient(world.clients, principal, { name, userId: null })).rejects.toMatchObject({
      violations: [{ field: 'name', rule: 'length' }],
    });
  }
});
