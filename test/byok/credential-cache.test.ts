import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { set } from '../../src/base/change.js';
import { setSharedCredential } from '../../src/byok/operator-credential.js';
import type { StoredKey } from '../../src/byok/ports.js';
import { CredentialCache } from '../../src/byok/vault/credential-cache.js';
import { CANARY, SAMPLES } from './credentials.fixture.js';
import {
  changing,
  DEFAULT_WORKSPACE,
  newKey,
  OWN,
  openDesk,
  refusal,
  SECOND_WORKSPACE,
} from './keys.fixture.js';

async function withCache() {
  const desk = await openDesk();
  let queries = 0;
  const source = {
    ...desk.credentials,
    loaded: [] as string[],
    storedKeysOf: (workspaceId: string) => {
      queries += 1;
      return desk.credentials.storedKeysOf(workspaceId);
    },
  };
  const cache = new CredentialCache({ source, vault: desk.vault, rules: desk.rules });
  onTestFinished(() => cache.close());
  return { ...desk, cache, source, queriesMade: () => queries };
}

describe('the cache of opened credentials', () => {
  test('a key is read and opened once, until something changes', async () => {
    const { cache, keys, queriesMade } = await withCache();
    await keys.create(OWN, newKey());
    const [stored] = await cache.keysOf(DEFAULT_WORKSPACE);
    if (stored === undefined) throw new Error('no key');
    const opened = cache.open(stored, 'openai');
    expect('credential' in opened && opened.credential).toMatchObject({ adapter: 'openai' });
    expect(cache.open(stored, 'openai')).toBe(opened);
    expect(await cache.keysOf(DEFAULT_WORKSPACE)).toBe(await cache.keysOf(DEFAULT_WORKSPACE));
    expect(queriesMade()).toBe(1);
  });

  test('a change is visible as soon as its call returns', async () => {
    const { cache, keys } = await withCache();
    const { id } = await keys.create(OWN, newKey());
    const opened = async () => {
      const [stored] = await cache.keysOf(DEFAULT_WORKSPACE);
      const found = stored && cache.open(stored, 'openai');
      return (
        found && 'credential' in found && found.credential.adapter === 'openai' && found.credential.apiKey
      );
    };
    expect(await opened()).toBe(SAMPLES.openai);
    await keys.update(OWN, id, changing({ key: set('sk-replacement') }));
    expect(await opened()).toBe('sk-replacement');
    await keys.update(OWN, id, changing({ disabled: set(true) }));
    expect((await cache.keysOf(DEFAULT_WORKSPACE))[0]?.key.disabled).toBe(true);
    await keys.remove(OWN, id);
    expect(await cache.keysOf(DEFAULT_WORKSPACE)).toEqual([]);
  });

  test('keys come by provider, section and position, of one workspace only', async () => {
    const { cache, keys } = await withCache();
    for (const [provider, isFallback] of [
      ['openai', true],
      ['openai', false],
      ['mistral', true],
    ] as const) {
      await keys.create(OWN, newKey({ provider, isFallback }));
    }
    await keys.create(OWN, newKey({ workspaceId: SECOND_WORKSPACE }));
    const order = (await cache.keysOf(DEFAULT_WORKSPACE)).map(({ key }) => [key.provider, key.isFallback]);
    expect(order).toEqual([
      ['mistral', true],
      ['openai', false],
      ['openai', true],
    ]);
  });

  test('an unusable credential has its reason, and is never taken for another one', async () => {
    const { cache, keys, database } = await withCache();
    const { id } = await keys.create(OWN, newKey());
    const [stored] = await cache.keysOf(DEFAULT_WORKSPACE);
    if (stored === undefined) throw new Error('no key');
    expect(cache.open(stored, 'azure')).toMatchObject({ unusable: 'rejected' });
    const { sealed } = stored;
    expect(cache.open({ ...stored, sealed: { ...sealed, masterKeyId: '0' } }, 'openai')).toMatchObject({
      unusable: 'unknown_master_key',
    });
    const other = await keys.create(OWN, newKey());
    await database.transact(['byok'], (tx) =>
      tx.updateTable('byok_key').set({ ciphertext: sealed.ciphertext }).where('id', '=', other.id).execute(),
    );
    const fresh = await cache.keysOf(DEFAULT_WORKSPACE);
    const reasons = fresh.map((each) => {
      const opened = cache.open(each, 'openai');
      return [each.key.id === id, 'unusable' in opened ? opened.unusable : 'usable'];
    });
    expect(reasons).toEqual([
      [true, 'usable'],
      [false, 'damaged'],
    ]);
  });

  test('holds at most 64 MiB: the least recently used workspace is dropped', async () => {
    const { cache, keys, queriesMade, source } = await withCache();
    await keys.create(OWN, newKey());
    const [stored] = await cache.keysOf(DEFAULT_WORKSPACE);
    if (stored === undefined) throw new Error('no key');
    source.storedKeysOf = async (workspaceId) => {
      source.loaded.push(workspaceId);
      // Of more than 1 KiB each.
      return Array<StoredKey>(25_000).fill(stored);
    };
    for (const workspaceId of ['a', 'b', 'a', 'c', 'a', 'b', 'c']) await cache.keysOf(workspaceId);
    expect(source.loaded).toEqual(['a', 'b', 'c', 'b', 'c']);
    expect(cache.report.bytes).toBeLessThan(cache.report.maxBytes);
    expect(queriesMade()).toBe(1);
  });

  test('a failed query is retried', async () => {
    const { cache, source, keys } = await withCache();
    await keys.create(OWN, newKey());
    const { storedKeysOf, sharedCredentials } = source;
    const fail = () => Promise.reject(new Error('no database'));
    Object.assign(source, { storedKeysOf: fail, sharedCredentials: fail });
    await expect(cache.keysOf(DEFAULT_WORKSPACE)).rejects.toThrow('no database');
    await expect(cache.sharedByProvider()).rejects.toThrow('no database');
    Object.assign(source, { storedKeysOf, sharedCredentials });
    expect(await cache.keysOf(DEFAULT_WORKSPACE)).toHaveLength(1);
    expect(await cache.sharedByProvider()).toEqual(new Map());
  });

  test('nothing of it can be printed or serialised', async () => {
    const { cache, keys } = await withCache();
    await keys.create(OWN, newKey());
    const [stored] = await cache.keysOf(DEFAULT_WORKSPACE);
    if (stored === undefined) throw new Error('no key');
    const opened = cache.open(stored, 'openai');
    for (const value of [cache, opened, { ...opened }, 'credential' in opened && { ...opened.credential }]) {
      expect(inspect(value, { showHidden: true, depth: 9 })).not.toContain(CANARY);
      expect(JSON.stringify(value)).not.toContain(CANARY);
    }
    expect(inspect(cache)).toBe('[credential]');
    expect(JSON.stringify({ cache })).toBe('{"cache":"[credential]"}');
  });
});

describe('shared credentials', () => {
  test('one per provider, sealed, and replaced in place', async () => {
    const { cache, credentials, vault, providers, rules, clock } = await withCache();
    const parts = { store: credentials, vault, providers, rules, clock };
    expect(await setSharedCredential(parts, 'openai', SAMPLES.openai)).toBe('sk-...789');
    expect(await setSharedCredential(parts, 'openai', 'sk-second')).toBe('...');
    await setSharedCredential(parts, 'azure', SAMPLES.azure);
    expect([...(await cache.sharedByProvider()).keys()]).toEqual(['azure', 'openai']);
    const opened = await cache.shared('openai', 'openai');
    expect(opened && 'credential' in opened && opened.credential).toMatchObject({ adapter: 'openai' });
    expect(await cache.shared('anthropic', 'anthropic')).toBeUndefined();
  });

  test('are checked like keys', async () => {
    const { credentials, vault, providers, rules, clock } = await openDesk();
    const parts = { store: credentials, vault, providers, rules, clock };
    expect(await refusal(setSharedCredential(parts, 'azure', '[]'))).toEqual(['key count']);
    expect(await refusal(setSharedCredential(parts, 'opena', 'x'))).toEqual(['provider known']);
  });
});
