import { expect, test } from 'vitest';
import { createAccount } from '../../src/accounts/create-account.js';
import { createFirstAccount, newFirstKeys } from '../../src/accounts/first-account.js';
import { isUuid, systemIds } from '../../src/base/ids.js';
import { createWorld, START, worldOn } from '../identity/world.js';
import { openDuringTest, temporaryDatabaseUrl } from '../support/database.js';

test('an account comes with a default workspace and a management key that works (interface section 2)', async () => {
  const world = await createWorld();
  const { store } = world.accounts;
  const created = await createAccount(world.accounts, { name: 'Acme', plan: 'enterprise' });
  const { account, workspace } = created;
  expect([account.id, workspace.id].every(isUuid)).toBe(true);
  expect(account).toMatchObject({ name: 'Acme', plan: 'enterprise', createdAt: START });
  expect(account.ownerUserId).toMatch(/^user_[0-9a-f]{24}$/);
  expect(workspace).toMatchObject({
    name: 'Default',
    slug: 'default',
    isDefault: true,
    accountId: account.id,
  });
  expect(await store.findAccount(account.id)).toEqual(account);
  expect(await store.findWorkspace(account.id, null)).toEqual(workspace);
  expect(await store.findWorkspace(account.id, workspace.id)).toEqual(workspace);
  expect(await world.login(created.managementKey)).toMatchObject({
    kind: 'management_key',
    accountId: account.id,
    userId: account.ownerUserId,
  });
});

test('the owner can be named', async () => {
  const world = await createWorld();
  const wanted = { name: 'Acme', plan: 'pay_as_you_go', ownerUserId: 'user_ada' } as const;
  expect((await createAccount(world.accounts, wanted)).account.ownerUserId).toBe('user_ada');
});

test('a workspace is found in its own account alone', async () => {
  const world = await createWorld();
  const wanted = { name: 'Acme', plan: 'pay_as_you_go' } as const;
  const [one, other] = [
    await createAccount(world.accounts, wanted),
    await createAccount(world.accounts, wanted),
  ];
  const { store } = world.accounts;
  expect(await store.findWorkspace(one.account.id, other.workspace.id)).toBeUndefined();
  expect(await store.findWorkspace('nobody', null)).toBeUndefined();
  expect(await store.findAccount('nobody')).toBeUndefined();
});

test('every broken rule is named at once, and nothing is stored', async () => {
  const world = await createWorld();
  const creating = createAccount(world.accounts, { name: '', plan: 'enterprise', ownerUserId: '' });
  await expect(creating).rejects.toMatchObject({
    reason: 'invalid_request',
    violations: [
      { field: 'name', rule: 'length' },
      { field: 'owner_user_id', rule: 'length' },
    ],
  });
  // There is none yet, or it would not be the first.
  expect(await createFirstAccount(world.accounts, newFirstKeys(systemIds))).toBe(true);
});

test('of processes that make the first account at once one does, and nobody does later', async () => {
  const url = await temporaryDatabaseUrl();
  const worlds = [worldOn(await openDuringTest(url)), worldOn(await openDuringTest(url))];
  const create = ({ accounts }: (typeof worlds)[number]) =>
    createFirstAccount(accounts, newFirstKeys(systemIds));
  expect((await Promise.all(worlds.map(create))).toSorted()).toEqual([false, true]);
  for (const world of worlds) expect(await create(world)).toBe(false);
  expect(await worlds[0]?.accounts.store.listAccounts()).toHaveLength(1);
});

test('the first account comes with the keys that were decided before it, each of which works', async () => {
  const world = await createWorld();
  const keys = newFirstKeys(systemIds);
  expect(await createFirstAccount(world.accounts, keys)).toBe(true);
  const { accountId } = keys;
  expect(await world.login(keys.managementKey)).toMatchObject({ kind: 'management_key', accountId });
  expect(await world.login(keys.apiKey)).toMatchObject({ kind: 'api_key', accountId, limit: null });
  expect(await world.login(keys.operatorKey)).toMatchObject({ kind: 'operator_key' });
});
