import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { set } from '../../src/base/change.js';
import { CredentialCache } from '../../src/byok/cache/credential-cache.js';
import { setSharedCredential } from '../../src/byok/keys/operator-credential.js';
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
    read: [] as (readonly string[])[],
    storedKeysAmong: (workspaceId: string, ids: readonly string[]) => {
      source.read.push(ids);
      return desk.credentials.storedKeysAmong(workspaceId, ids);
    },
  };
  const cache = new CredentialCache({ source, vault: desk.vault, rules: desk.rules });
  onTestFinished(() => cache.close());
  const keysOf = async (workspaceId: string) => {
    const keys = await cache.keysOf(OWN, workspaceId);
    return keys.providers.toSorted().flatMap((provider) => keys.ofProvider(provider));
  };
  return { ...desk, cache, source, keysOf, queriesMade: () => queries };
}

describe('the cache of opened credentials', () => {
  test('a key is read and opened once, until something changes', async () => {
    const { cache, keys, queriesMade, keysOf } = await withCache();
    await keys.create(OWN, newKey());
    const [stored] = await keysOf(DEFAULT_WORKSPACE);
    if (stored === undefined) throw new Error('no key');
    const opened = cache.open(stored, 'openai');
    expect('credential' in opened && opened.credential).toMatchObject({ adapter: 'openai' });
    expect(cache.open(stored, 'openai')).toBe(opened);
    expect(await cache.keysOf(OWN, DEFAULT_WORKSPACE)).toBe(await cache.keysOf(OWN, DEFAULT_WORKSPACE));
    expect(queriesMade()).toBe(1);
  });

  test('a change is visible as soon as its call returns', async () => {
    const { cache, keys, keysOf } = await withCache();
    const { id } = await keys.create(OWN, newKey());
    const opened = async () => {
      const [stored] = await keysOf(DEFAULT_WORKSPACE);
      const found = stored && cache.open(stored, 'openai');
      return (
        found && 'credential' in found && found.credential.adapter === 'openai' && found.credential.apiKey
      );
    };
    expect(await opened()).toBe(SAMPLES.openai);
    await keys.update(OWN, id, changing({ key: set('sk-replacement') }));
    expect(await opened()).toBe('sk-replacement');
    await keys.update(OWN, id, changing({ disabled: set(true) }));
    expect((await keysOf(DEFAULT_WORKSPACE))[0]?.key.disabled).toBe(true);
    await keys.remove(OWN, id);
    expect(await keysOf(DEFAULT_WORKSPACE)).toEqual([]);
  });

  test('keys come of one workspace only', async () => {
    const { keys, keysOf } = await withCache();
    for (const [provider, isFallback] of [
      ['openai', true],
      ['openai', false],
      ['mistral', true],
    ] as const) {
      await keys.create(OWN, newKey({ provider, isFallback }));
    }
    await keys.create(OWN, newKey({ workspaceId: SECOND_WORKSPACE }));
    const found = (await keysOf(DEFAULT_WORKSPACE)).map(({ key }) => [key.provider, key.isFallback]);
    expect(found.toSorted()).toEqual([
      ['mistral', true],
      ['openai', false],
      ['openai', true],
    ]);
  });

  test('a change reads what has changed, and nothing else again', async () => {
    const { cache, keys, source, keysOf, queriesMade } = await withCache();
    const [first, second, third] = await Promise.all([1, 2, 3].map(() => keys.create(OWN, newKey())));
    if (first === undefined || second === undefined || third === undefined) throw new Error('no keys');
    const before = await cache.keysOf(OWN, DEFAULT_WORKSPACE);
    const untouched = before.get(first.id);
    await keys.update(OWN, second.id, changing({ name: set('Second') }));
    const created = await keys.create(OWN, newKey());
    expect((await keysOf(DEFAULT_WORKSPACE)).map(({ key }) => key)).toEqual(
      await Promise.all(
        [first, second, third, created]
          .map(({ id }) => id)
          .toSorted()
          .map((id) => keys.get(OWN, id)),
      ),
    );
    expect((await cache.keysOf(OWN, DEFAULT_WORKSPACE)).get(first.id)).toBe(untouched);
    expect(source.read).toEqual([[second.id, created.id]]);
    expect(queriesMade()).toBe(1);
  });

  test('keys that a request holds stay as they were when others of the workspace change', async () => {
    const { cache, keys } = await withCache();
    const first = await keys.create(OWN, newKey());
    const second = await keys.create(OWN, newKey());
    const held = await cache.keysOf(OWN, DEFAULT_WORKSPACE);
    await keys.update(OWN, first.id, changing({ disabled: set(true) }));
    await keys.remove(OWN, second.id);
    const added = await keys.create(OWN, newKey());
    const current = await cache.keysOf(OWN, DEFAULT_WORKSPACE);
    const caller = { apiKeyHash: 'any', userId: 'any' };
    const idsOf = (items: readonly { readonly key: { readonly id: string } }[]) =>
      items.map(({ key }) => key.id).toSorted();
    expect(idsOf(current.admittedTo(caller))).toEqual([added.id]);
    expect(idsOf(held.admittedTo(caller))).toEqual([first.id, second.id].toSorted());
    expect(idsOf(held.ofProvider('openai'))).toEqual([first.id, second.id].toSorted());
    expect(held.get(first.id)?.key.disabled).toBe(false);
  });

  test('a key that is moved or deleted changes the places of others, whose credentials stay open', async () => {
    const { cache, keys, keysOf, queriesMade } = await withCache();
    const ids: string[] = [];
    for (let count = 0; count < 4; count++) ids.push((await keys.create(OWN, newKey())).id);
    const opened = async () =>
      new Map((await keysOf(DEFAULT_WORKSPACE)).map((one) => [one.key.id, cache.open(one, 'openai')]));
    const order = async () =>
      (await keysOf(DEFAULT_WORKSPACE))
        .map(({ key }) => key)
        .toSorted((a, b) => a.sortOrder - b.sortOrder)
        .map(({ id, sortOrder }) => [ids.indexOf(id), sortOrder]);
    const before = await opened();
    await keys.update(OWN, ids[3] ?? '', changing({ sortOrder: set(0) }));
    expect(await order()).toEqual([
      [3, 0],
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
    await keys.remove(OWN, ids[0] ?? '');
    expect(await order()).toEqual([
      [3, 0],
      [1, 1],
      [2, 2],
    ]);
    for (const [id, one] of await opened()) if (id !== ids[3]) expect(one).toBe(before.get(id));
    expect(queriesMade()).toBe(1);
  });

  test('more changes than it is worth to read one by one are read as if all keys had changed', async () => {
    const { cache, keys, database, source, queriesMade } = await withCache();
    const { id } = await keys.create(OWN, newKey());
    await cache.keysOf(OWN, DEFAULT_WORKSPACE);
    const detail = JSON.stringify([{ workspaceId: DEFAULT_WORKSPACE, ids: [id], rearranged: null }]);
    for (let count = 0; count <= 500; count++) {
      await database.transact([{ scope: 'byok', detail }], async () => {});
    }
    await cache.keysOf(OWN, DEFAULT_WORKSPACE);
    expect(source.read).toEqual([]);
    expect(queriesMade()).toBe(2);
  });

  test('an unusable credential has its reason, and is never taken for another one', async () => {
    const { cache, keys, database, keysOf } = await withCache();
    const { id } = await keys.create(OWN, newKey());
    const [stored] = await keysOf(DEFAULT_WORKSPACE);
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
    const fresh = await keysOf(DEFAULT_WORKSPACE);
    const reasons = fresh.map((each) => {
      const opened = cache.open(each, 'openai');
      return [each.key.id, 'unusable' in opened ? opened.unusable : 'usable'];
    });
    expect(Object.fromEntries(reasons)).toEqual({ [id]: 'usable', [other.id]: 'damaged' });
  });

  test('holds at most 64 MiB: the least recently used workspace is dropped', async () => {
    const { cache, keys, queriesMade, source, keysOf } = await withCache();
    await keys.create(OWN, newKey());
    const [stored] = await keysOf(DEFAULT_WORKSPACE);
    if (stored === undefined) throw new Error('no key');
    source.storedKeysOf = async (workspaceId) => {
      source.loaded.push(workspaceId);
      // Of more than 1 KiB each.
      return Array.from({ length: 25_000 }, (_, index) => ({
        ...stored,
        key: { ...stored.key, id: String(index) },
      }));
    };
    for (const workspaceId of ['a', 'b', 'a', 'c', 'a', 'b', 'c']) await cache.keysOf(OWN, workspaceId);
    expect(source.loaded).toEqual(['a', 'b', 'c', 'b', 'c']);
    expect(cache.report.bytes).toBeLessThan(cache.report.maxBytes);
    expect(queriesMade()).toBe(1);
  });

  test('a failed query is retried', async () => {
    const { cache, source, keys, keysOf } = await withCache();
    await keys.create(OWN, newKey());
    const { storedKeysOf, sharedCredentials } = source;
    const fail = () => Promise.reject(new Error('no database'));
    Object.assign(source, { storedKeysOf: fail, sharedCredentials: fail });
    await expect(cache.keysOf(OWN, DEFAULT_WORKSPACE)).rejects.toThrow('no database');
    await expect(cache.sharedByProvider()).rejects.toThrow('no database');
    Object.assign(source, { storedKeysOf, sharedCredentials });
    expect(await keysOf(DEFAULT_WORKSPACE)).toHaveLength(1);
    expect(await cache.sharedByProvider()).toEqual(new Map());
  });

  test('nothing of it can be printed or serialised', async () => {
    const { cache, keys, keysOf } = await withCache();
    await keys.create(OWN, newKey());
    const [stored] = await keysOf(DEFAULT_WORKSPACE);
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
