import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemIds } from '../../src/base/ids.js';
import { CredentialCache } from '../../src/byok/cache/credential-cache.js';
import { ByokKeys } from '../../src/byok/keys/keys.js';
import { setSharedCredential } from '../../src/byok/keys/operator-credential.js';
import { loadMasterKeys } from '../../src/byok/vault/master-key-settings.js';
import { rotateVault } from '../../src/byok/vault/rotation.js';
import { createVault } from '../../src/byok/vault/vault.js';
import { createByokStore } from '../../src/store/byok/byok-store.js';
import { DEFAULT_WORKSPACE, newKey, OWN, openDesk } from './keys.fixture.js';

/** A running server with its own key in the data directory, some keys and a shared credential. */
async function running(keyCount: number) {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'byway-rotation-'));
  onTestFinished(() => rmSync(dataDirectory, { recursive: true, force: true }));
  const settings = {
    masterKey: undefined,
    masterKeyFile: undefined,
    masterKeyPrevious: undefined,
    dataDirectory,
  };
  const desk = await openDesk();
  const vault = createVault(loadMasterKeys(settings).keys);
  const keys = new ByokKeys({ ...desk, vault, store: createByokStore(desk.database), ids: systemIds });
  for (let index = 0; index < keyCount; index += 1) await keys.create(OWN, newKey({ key: `sk-${index}` }));
  await setSharedCredential({ ...desk, vault, store: desk.credentials }, 'anthropic', 'sk-shared');
  const cache = new CredentialCache({ source: desk.credentials, vault, rules: desk.rules });
  onTestFinished(() => cache.close());
  const opened = async () => {
    const each = (await cache.keysOf(OWN, DEFAULT_WORKSPACE))
      .ofProvider('openai')
      .map((stored) => cache.open(stored, 'openai'));
    return [...each, await cache.shared('anthropic', 'anthropic')].filter((one) => one && 'credential' in one)
      .length;
  };
  return { ...desk, settings, vault, keys, opened };
}

describe('byway vault rotate', () => {
  test('creates a new key in the data directory and re-wraps everything while a server is running', async () => {
    const { settings, credentials, vault, keys, opened } = await running(230);
    expect(await opened()).toBe(231);
    const before = vault.masterKeyId;
    const rotated = await rotateVault(credentials, settings);
    expect(rotated).toEqual({ masterKeyId: expect.any(String), rewrappedCount: 231, unreadable: [] });
    expect(rotated.masterKeyId).not.toBe(before);
    expect(await opened()).toBe(231);
    expect(vault.masterKeyId).toBe(rotated.masterKeyId);
    const stored = await credentials.storedKeysOf(DEFAULT_WORKSPACE);
    expect(new Set(stored.map(({ sealed }) => sealed.masterKeyId))).toEqual(new Set([rotated.masterKeyId]));
    await keys.create(OWN, newKey());
    expect(await opened()).toBe(232);
  });

  test('continues where it was interrupted, without another key', async () => {
    const { settings, credentials, opened } = await running(150);
    let batches = 0;
    const failing = {
      ...credentials,
      rewrapStale: (...args: Parameters<typeof credentials.rewrapStale>) => {
        batches += 1;
        if (batches === 6) throw new Error('power cut');
        return credentials.rewrapStale(...args);
      },
    };
    await expect(rotateVault(failing, settings)).rejects.toThrow('power cut');
    const begun = loadMasterKeys(settings).keys.current.id;
    const resumed = await rotateVault(credentials, settings);
    expect(resumed.masterKeyId).toBe(begun);
    expect(resumed.rewrappedCount).toBeGreaterThan(0);
    expect(await opened()).toBe(151);
  });

  test('moves to a key that the operator set, and creates none', async () => {
    const { settings, credentials } = await running(3);
    const old = readFileSync(join(settings.dataDirectory, 'master.key'), 'utf8').trim();
    const masterKey = Buffer.alloc(32, 9).toString('base64');
    const given = { ...settings, masterKey, masterKeyPrevious: old };
    const first = await rotateVault(credentials, given);
    expect(first).toMatchObject({ rewrappedCount: 4, unreadable: [] });
    expect(await rotateVault(credentials, given)).toEqual({ ...first, rewrappedCount: 0 });
  });

  test('names unreadable credentials, leaves them as they are and re-wraps the rest', async () => {
    const { settings, credentials, database } = await running(3);
    const [damaged] = await credentials.storedKeysOf(DEFAULT_WORKSPACE);
    const id = damaged?.key.id ?? '';
    const wrapped_data_key = Buffer.alloc(61);
    await database.transact(['byok'], (tx) =>
      tx.updateTable('byok_key').set({ wrapped_data_key }).where('id', '=', id).execute(),
    );
    expect(await rotateVault(credentials, settings)).toMatchObject({ rewrappedCount: 3, unreadable: [id] });
  });
});
