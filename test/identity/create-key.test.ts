import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../src/base/ids.js';
import type { NewKey } from '../../src/identity/create-key.js';
import { getKey } from '../../src/identity/read-keys.js';
import { NO_USAGE } from '../../src/ledger/usage.js';
import { createWorld, newAccount, newClient, newKey, START } from './world.js';

describe('creating an API key', () => {
  test('a key is read back as it was created, without its secret', async () => {
    const world = await createWorld();
    const { account, workspace, principal } = await newAccount(world);
    const input: NewKey = {
      name: 'Billing',
      limitNanoUsd: 12_345_678_901n,
      limitReset: 'weekly',
      includeByokInLimit: true,
      endUserLimitNanoUsd: 5_000_000_000n,
      endUserLimitReset: 'daily' as const,
      endUserRequired: true,
      cacheTtl: 3_600,
      expiresAt: START + 1,
      workspaceId: workspace.id,
      creatorUserId: 'user_ada',
    };
    const { record, secret } = await newKey(world, principal, input);
    expect(record).toEqual({
      key: {
        ...input,
        hash: sha256Hex(secret),
        accountId: account.id,
        clientId: null,
        label: `${secret.slice(0, 9)}...${secret.slice(-3)}`,
        disabled: false,
        createdAt: START,
        updatedAt: START,
      },
      usage: NO_USAGE,
      limitRemainingNanoUsd: 12_345_678_901n,
    });
    expect(await getKey(world.keys, principal, record.key.hash)).toEqual(record);
  });

  test('defaults: default workspace, owner, no limit, no expiry', async () => {
    const world = await createWorld();
    const { account, workspace, principal } = await newAccount(world);
    const { record } = await newKey(world, principal);
    expect(record.key).toMatchObject({ workspaceId: workspace.id, creatorUserId: account.ownerUserId });
    expect(record).toMatchObject({
      limitRemainingNanoUsd: null,
      key: { limitNanoUsd: null, expiresAt: null },
    });
  });

  test('a key created by a client belongs to the client', async () => {
    const world = await createWorld();
    const { principal } = await newAccount(world);
    const client = await newClient(world, principal);
    const { record } = await newKey(world, client.principal);
    expect(record.key.clientId).toBe(client.client.id);
  });

  test('every violation is named at once, and nothing is stored', async () => {
    const world = await createWorld();
    const { principal } = await newAccount(world);
    const otherAccount = await newAccount(world);
    const creating = newKey(world, principal, {
      name: '',
      limitNanoUsd: -1n,
      expiresAt: START,
      creatorUserId: '',
      workspaceId: otherAccount.workspace.id,
    });
    await expect(creating).rejects.toMatchObject({
      reason: 'invalid_request',
      violations: [
        { field: 'name', rule: 'length' },
        { field: 'limit', rule: 'range' },
        { field: 'expires_at', rule: 'future' },
        { field: 'creator_user_id', rule: 'length' },
        { field: 'workspace_id', rule: 'known' },
      ],
    });
    const rows = await world.database.query.selectFrom('api_key').selectAll().execute();
    expect(rows).toEqual([]);
  });

  test.each<[string, Partial<NewKey>]>([
    ['the longest name', { name: '𝒳'.repeat(255) }],
    ['the highest limit', { limitNanoUsd: 10n ** 18n }],
    ['a limit of nothing', { limitNanoUsd: 0n }],
    ['the nearest expiry', { expiresAt: START + 1 }],
  ])('%s is accepted', async (_what, over) => {
    const world = await createWorld();
    const { principal } = await newAccount(world);
    expect((await newKey(world, principal, over)).record.key).toMatchObject(over);
  });

  test.each<[string, string, Partial<NewKey>]>([
    ['a name too long', 'name', { name: 'x'.repeat(256) }],
    ['a limit too high', 'limit', { limitNanoUsd: 10n ** 18n + 1n }],
    ['a past expiry', 'expires_at', { expiresAt: START - 1 }],
    ['a workspace of nobody', 'workspace_id', { workspaceId: 'nowhere' }],
    ['a user identifier too long', 'creator_user_id', { creatorUserId: 'x'.repeat(256) }],
  ])('%s is refused with its field', async (_what, field, over) => {
    const world = await createWorld();
    const { principal } = await newAccount(world);
    await expect(newKey(world, principal, over)).rejects.toMatchObject({ violations: [{ field }] });
  });
});
