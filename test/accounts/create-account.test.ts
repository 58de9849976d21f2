import { expect, test } from 'vitest';
import { createAccount } from '../../src/accounts/account/create-account.js';
import { createFirstAccount, newFirstKeys } from '../../src/accounts/account/first-account.js';
import { isUuid, systemIds } from '../../src/base/ids.js';
import { createWorld, START, worldOn } from '../identity/world.js';
import { openDuringTest, temporaryDatabaseUrl } from '../support/database.js';

test('an account is created with a default workspace and a working management key', async () => {
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
  const input = { name: 'Acme', plan: 'pay_as_you_go', ownerUserId: 'user_ada' } as const;
  expect((await createAccount(world.accounts, input)).account.ownerUserId).toBe('user_ada');
});

test('a workspace is found only in its own account', async () => {
  const world = await createWorld();
  const input = { name: 'Acme', plan: 'pay_as_you_go' } as const;
  const [one, other] = [
    await createAccount(world.accounts, input),
    await createAccount(world.accounts, input),
  ];
  const { store } = world.accounts;
  expect(await store.findWorkspace(one.account.id, other.workspace.id)).toBeUndefined();
  expect(await store.findWorkspace('nobody', null)).toBeUndefined();
  expect(await store.findAccount('nobody')).toBeUndefined();
});

test('every violation is named at once, and nothing is stored', async () => {
  const world = await createWorld();
  const creating = createAccount(world.accounts, { name: '', plan: 'enterprise', ownerUserId: '' });
  await expect(creating).rejects.toMatchObject({
    reason: 'invalid_request',
    violations: [
      { field: 'name', rule: 'length' },
      { field: 'owner_user_id', rule: 'length' },
    ],
  });
  // No account exists yet.
  expect(await createFirstAccount(world.accounts, newFirstKeys(systemIds))).toBe(true);
});

test('of processes that create the first account concurrently only one does, and none does later', async () => {
  const url = await temporaryDatabaseUrl();
  const worlds = [worldOn(await openDuringTest(url)), worldOn(await openDuringTest(url))];
  const create = ({ accounts }: (typeof worlds)[number]) =>
    createFirstAccount(accounts, newFirstKeys(systemIds));
  expect((await Promise.all(worlds.map(create))).toSorted()).toEqual([false, true]);
  for (const world of worlds) expect(await create(world)).toBe(false);
  expect(await worlds[0]?.accounts.store.listAccounts()).toHaveLength(1);
});

test('the first account has the keys that were created before it, and each of them works', async () => {
  const world = await createWorld();
  const keys = newFirstKeys(systemIds);
  expect(await createFirstAccount(world.accounts, keys)).toBe(true);
  const { accountId } = keys;
  expect(await world.login(keys.managementKey)).toMatchObject({ kind: 'management_key', accountId });
  expect(await world.login(keys.apiKey)).toMatchObject({ kind: 'api_key', accountId, limit: null });
  expect(await world.login(keys.operatorKey)).toMatchObject({ kind: 'operator_key' });
});
