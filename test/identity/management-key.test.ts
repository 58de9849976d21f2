import { expect, test } from 'vitest';
import { sha256Hex } from '../../src/base/ids.js';
import { createManagementKey, revokeManagementKey } from '../../src/identity/management-key.js';
import { createWorld, newAccount, START } from './world.js';

const NOT_FOUND = { reason: 'not_found', message: 'Resource not found', httpStatus: 404 };

test('a management key is created, listed, works, and is revoked', async () => {
  const world = await createWorld();
  const { account, principal } = await newAccount(world);
  world.clock.nowMs = START + 1;
  const { key, secret } = await createManagementKey(world.managementKeys, account.id, 'CI');
  expect(key).toEqual({
    hash: sha256Hex(secret),
    accountId: account.id,
    name: 'CI',
    label: `${secret.slice(0, 9)}...${secret.slice(-3)}`,
    createdAt: START + 1,
  });
  const list = () => world.managementKeys.store.listManagementKeys(account.id);
  expect((await list()).map((listed) => listed.hash)).toEqual([principal.hash, key.hash]);
  expect((await list())[1]).toEqual(key);
  expect(await world.login(secret)).toMatchObject({ kind: 'management_key', accountId: account.id });

  await revokeManagementKey(world.managementKeys, account.id, key.hash);
  expect((await list()).map((listed) => listed.hash)).toEqual([principal.hash]);
  await expect(world.login(secret)).rejects.toMatchObject({ reason: 'invalid_api_key' });
});

test('unknown and revoked keys, and those of other accounts, are not found', async () => {
  const world = await createWorld();
  const [mine, other] = [await newAccount(world), await newAccount(world)];
  await expect(createManagementKey(world.managementKeys, 'nobody', 'CI')).rejects.toMatchObject(NOT_FOUND);
  const revoke = (hash: string) => revokeManagementKey(world.managementKeys, mine.account.id, hash);
  await expect(revoke(other.principal.hash)).rejects.toMatchObject(NOT_FOUND);
  expect(await world.login(other.managementKey)).toEqual(other.principal);
  await revoke(mine.principal.hash);
  await expect(revoke(mine.principal.hash)).rejects.toMatchObject(NOT_FOUND);
});
