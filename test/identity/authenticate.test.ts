import { describe, expect, test, vi } from 'vitest';
import { set } from '../../src/base/change.js';
import { createAuthenticator, missingAuthentication } from '../../src/identity/authenticate.js';
import { deleteClient } from '../../src/identity/client.js';
import { deleteKey } from '../../src/identity/delete-key.js';
import { createManagementKey, revokeManagementKey } from '../../src/identity/management-key.js';
import { updateKey } from '../../src/identity/update-key.js';
import { createCredentialStore } from '../../src/store/tables/caller-credential-store.js';
import { openDuringTest, temporaryDatabaseUrl } from '../support/database.js';
import { recordingStore } from './recording-store.js';
import { changes, createWorld, newAccount, newClient, newKey, START, worldOn } from './world.js';

const INVALID = { reason: 'invalid_api_key', message: 'Invalid API key', httpStatus: 401 };
const DISABLED = { reason: 'api_key_disabled', message: 'API key is disabled', httpStatus: 401 };
const EXPIRED = { reason: 'api_key_expired', message: 'API key has expired', httpStatus: 401 };

describe('the principal of a secret', () => {
  test('an API key has its account, workspace and member', async () => {
    const world = await createWorld();
    const { account, workspace, principal } = await newAccount(world);
    const { record, secret } = await newKey(world, principal);
    expect(await world.login(secret)).toEqual({
      kind: 'api_key',
      accountId: account.id,
      workspaceId: workspace.id,
      keyHash: record.key.hash,
      userId: account.ownerUserId,
      plan: 'pay_as_you_go',
      limit: null,
      endUsers: null,
      cacheTtl: null,
    });
  });

  test('the member of an API key is its creator_user_id', async () => {
    const world = await createWorld();
    const { principal } = await newAccount(world);
    const { secret } = await newKey(world, principal, { creatorUserId: 'user_ada' });
    expect(await world.login(secret)).toMatchObject({ userId: 'user_ada' });
  });

  test("a management key acts for the account's owner, a client for its own member", async () => {
    const world = await createWorld();
    const { account, principal } = await newAccount(world);
    const { client, principal: asClient } = await newClient(world, principal);
    const accountId = account.id;
    expect(principal).toMatchObject({ kind: 'management_key', accountId, userId: account.ownerUserId });
    expect(asClient).toEqual({ kind: 'client', accountId, clientId: client.id, userId: client.userId });
  });
});

describe('the header', () => {
  test('without a header the caller is anonymous; the request guard decides what that means', async () => {
    const world = await createWorld();
    expect(await world.authenticate(undefined)).toEqual({ kind: 'anonymous' });
    expect(missingAuthentication()).toMatchObject({
      reason: 'missing_authentication',
      message: 'Missing Authentication header',
      httpStatus: 401,
    });
  });

  test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('the scheme may be written %s', async (scheme) => {
    const world = await createWorld();
    const { managementKey } = await newAccount(world);
    expect(await world.authenticate(`${scheme} ${managementKey}`)).toMatchObject({ kind: 'management_key' });
  });

  test('any other content of the header is an invalid key', async () => {
    const world = await createWorld();
    const { managementKey } = await newAccount(world);
    const headers = [
      '',
      'Bearer',
      'Bearer ',
      `Basic ${managementKey}`,
      managementKey,
      `Bearer ${managementKey} ${managementKey}`,
      `Bearer ${managementKey}, Bearer ${managementKey}`,
      `Bearer ${managementKey.toUpperCase()}`,
      `Bearer ${managementKey.slice(0, -1)}`,
      `Bearer ${managementKey}0`,
      `Bearer\t${managementKey}`,
      `Bearer ${'x'.repeat(100_000)}`,
      `Bearer${' '.repeat(100_000)}${managementKey}`,
      'Bearer \u0000',
    ];
    for (const header of headers) {
      await expect(world.authenticate(header), header.slice(0, 90)).rejects.toMatchObject(INVALID);
    }
  });

  test('a secret is not valid with the prefix of another kind', async () => {
    const world = await createWorld();
    const { principal, managementKey } = await newAccount(world);
    const { secret } = await newKey(world, principal);
    const digits = (text: string) => text.slice(-64);
    await expect(world.login(`bw-mgmt-${digits(secret)}`)).rejects.toMatchObject(INVALID);
    await expect(world.login(`bw-v1-${digits(managementKey)}`)).rejects.toMatchObject(INVALID);
  });
});

describe('credentials end', () => {
  test('when a key is disabled, at once also if it was used before, until it is enabled again', async () => {
    const world = await createWorld();
    const { principal } = await newAccount(world);
    const { record, secret } = await newKey(world, principal);
    await world.login(secret);
    await updateKey(world.keys, principal, record.key.hash, changes({ disabled: set(true) }));
    await expect(world.login(secret)).rejects.toMatchObject(DISABLED);
    await updateKey(world.keys, principal, record.key.hash, changes({ disabled: set(false) }));
    expect(await world.login(secret)).toMatchObject({ kind: 'api_key' });
  });

  test('when a key expires, not before', async () => {
    const world = await createWorld();
    const { principal } = await newAccount(world);
    const { secret } = await newKey(world, principal, { expiresAt: START + 1000 });
    world.clock.nowMs = START + 999;
    expect(await world.login(secret)).toMatchObject({ kind: 'api_key' });
    world.clock.nowMs = START + 1000;
    await expect(world.login(secret)).rejects.toMatchObject(EXPIRED);
  });

  test('with the same error for deleted, revoked and unknown secrets', async () => {
    const world = await createWorld();
    const { account, principal } = await newAccount(world);
    const key = await newKey(world, principal);
    const client = await newClient(world, principal);
    const other = await createManagementKey(world.managementKeys, account.id, 'other');
    for (const secret of [key.secret, client.secret, other.secret]) await world.login(secret);
    await deleteKey(world.keys, principal, key.record.key.hash);
    await deleteClient(world.clients, principal, client.client.id);
    await revokeManagementKey(world.managementKeys, account.id, other.key.hash);
    const unknown = ['v1', 'mgmt', 'client'].map((kind) => `bw-${kind}-${'0'.repeat(64)}`);
    for (const secret of [key.secret, client.secret, other.secret, ...unknown]) {
      await expect(world.login(secret)).rejects.toMatchObject(INVALID);
    }
  });

  test('within a second when another process ends them', async () => {
    const url = await temporaryDatabaseUrl();
    const here = worldOn(await openDuringTest(url));
    const there = worldOn(await openDuringTest(url));
    const { principal } = await newAccount(there);
    const { record, secret } = await newKey(there, principal);
    await here.login(secret);
    await updateKey(there.keys, principal, record.key.hash, changes({ disabled: set(true) }));
    await vi.waitFor(() => expect(here.login(secret)).rejects.toMatchObject(DISABLED), { timeout: 5000 });
  });
});

describe('the credential cache', () => {
  test('looks up a known credential once, an unknown one every time, and all again after a change', async () => {
    const store = recordingStore();
    const authenticator = createAuthenticator(store);
    const known = `Bearer bw-v1-${'1'.repeat(64)}`;
    const unknown = `Bearer bw-v1-${'0'.repeat(64)}`;
    store.known = true;
    await authenticator.authenticate(known, START);
    await authenticator.authenticate(known, START);
    expect(store.lookups).toBe(1);
    store.announce();
    await authenticator.authenticate(known, START);
    expect(store.lookups).toBe(2);
    store.known = false;
    await expect(authenticator.authenticate(unknown, START)).rejects.toMatchObject(INVALID);
    await expect(authenticator.authenticate(unknown, START)).rejects.toMatchObject(INVALID);
    expect(store.lookups).toBe(4);
  });

  test('answers from memory once a credential was looked up, as a look-up would, and not after a change', async () => {
    const store = recordingStore();
    const authenticator = createAuthenticator(store);
    const header = `Bearer bw-v1-${'1'.repeat(64)}`;
    const fromMemory = () => authenticator.authenticateFromMemory(header, START);
    expect(authenticator.authenticateFromMemory(undefined, START)).toEqual({ kind: 'anonymous' });
    expect(authenticator.authenticateFromMemory('Bearer nothing', START)).toBeUndefined();
    store.known = true;
    const slow = authenticator.authenticate(header, START);
    expect(fromMemory()).toBeUndefined();
    const principal = await slow;
    expect(fromMemory()).toBe(principal);
    store.announce();
    expect(fromMemory()).toBeUndefined();
  });

  test('refuses from memory a credential that has expired since it was looked up', async () => {
    const world = await createWorld();
    const { principal } = await newAccount(world);
    const { secret } = await newKey(world, principal, { expiresAt: START + 1_000 });
    const header = `Bearer ${secret}`;
    const { authenticate, authenticateFromMemory } = createAuthenticator(
      createCredentialStore(world.database),
    );
    await authenticate(header, START);
    expect(authenticateFromMemory(header, START + 999)).toMatchObject({ kind: 'api_key' });
    expect(() => authenticateFromMemory(header, START + 1_000)).toThrow('API key has expired');
  });

  test('looks up each of ten thousand keys that come in turn once', async () => {
    const store = recordingStore();
    const authenticator = createAuthenticator(store);
    store.known = true;
    for (let round = 0; round < 2; round++) {
      for (let key = 0; key < 10_000; key++) {
        await authenticator.authenticate(`Bearer bw-v1-${String(key).padStart(64, '0')}`, START);
      }
    }
    expect(store.lookups).toBe(10_000);
    for (const { bytes, maxBytes } of authenticator.cacheReports()) {
      expect(bytes).toBeGreaterThan(0);
      expect(bytes).toBeLessThan(maxBytes);
    }
  });

  test('shares a look-up among concurrent requests', async () => {
    const store = recordingStore();
    const { authenticate } = createAuthenticator(store);
    const header = `Bearer bw-v1-${'1'.repeat(64)}`;
    store.known = true;
    await Promise.all(Array.from({ length: 20 }, () => authenticate(header, START)));
    expect(store.lookups).toBe(1);
  });

  test('does not cache a failed look-up', async () => {
    const store = recordingStore();
    const find = store.findCredential;
    store.findCredential = () => Promise.reject(new Error('no database'));
    const { authenticate } = createAuthenticator(store);
    const header = `Bearer bw-v1-${'1'.repeat(64)}`;
    await expect(authenticate(header, START)).rejects.toThrow('no database');
    store.known = true;
    store.findCredential = find;
    expect(await authenticate(header, START)).toMatchObject({ kind: 'api_key' });
  });

  test('does not cache what was read before a change', async () => {
    const store = recordingStore();
    const authenticator = createAuthenticator(store);
    const header = `Bearer bw-v1-${'1'.repeat(64)}`;
    store.known = true;
    const slow = authenticator.authenticate(header, START);
    store.announce();
    await slow;
    store.known = false;
    await expect(authenticator.authenticate(header, START)).rejects.toMatchObject(INVALID);
  });
});
