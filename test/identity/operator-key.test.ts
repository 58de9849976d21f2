import { expect, test } from 'vitest';
import { sha256Hex } from '../../src/base/ids.js';
import { createOperatorKey, revokeOperatorKey } from '../../src/identity/operator-key.js';
import { createOperatorKeyStore } from '../../src/store/tables/operator-key-store.js';
import { createWorld, START } from './world.js';

test('an operator key is created, listed, works, and stops working at once when it is revoked', async () => {
  const world = await createWorld();
  const dependencies = { ...world.managementKeys, store: createOperatorKeyStore(world.database) };
  const { key, secret } = await createOperatorKey(dependencies, 'Prometheus');
  expect(key).toEqual({
    hash: sha256Hex(secret),
    name: 'Prometheus',
    label: `${secret.slice(0, 9)}...${secret.slice(-3)}`,
    createdAt: START,
  });
  expect(await dependencies.store.listOperatorKeys()).toEqual([key]);
  expect(await world.login(secret)).toEqual({ kind: 'operator_key', hash: key.hash });

  await revokeOperatorKey(dependencies, key.hash);
  expect(await dependencies.store.listOperatorKeys()).toEqual([]);
  await expect(world.login(secret)).rejects.toMatchObject({ reason: 'invalid_api_key' });
  const missing = { reason: 'not_found', message: `there is no operator key ${key.hash}` };
  await expect(revokeOperatorKey(dependencies, key.hash)).rejects.toMatchObject(missing);
});

test('an operator key has a name of 1 to 255 characters', async () => {
  const world = await createWorld();
  const dependencies = { ...world.managementKeys, store: createOperatorKeyStore(world.database) };
  await expect(createOperatorKey(dependencies, '')).rejects.toMatchObject({
    violations: [{ field: 'name', rule: 'length' }],
  });
  expect(await dependencies.store.listOperatorKeys()).toEqual([]);
});
