import { expect, onTestFinished, test } from 'vitest';
import { CLEAR, set } from '../../src/base/change.js';
import { CredentialCache } from '../../src/byok/cache/credential-cache.js';
import { keyChangesOf } from '../../src/store/byok/key-changes.js';
import { changing, DEFAULT_WORKSPACE, newKey, OWN, openDesk, SECOND_WORKSPACE } from './keys.fixture.js';

async function withCache() {
  const desk = await openDesk();
  const read: string[] = [];
  const source = {
    ...desk.credentials,
    storedKeysOf: (workspaceId: string) => {
      read.push(workspaceId);
      return desk.credentials.storedKeysOf(workspaceId);
    },
  };
  const cache = new CredentialCache({ source, vault: desk.vault, rules: desk.rules });
  onTestFinished(() => cache.close());
  const idsIn = async (workspaceId: string) => {
    const keys = await cache.keysOf(OWN, workspaceId);
    return keys.providers.flatMap((provider) => keys.ofProvider(provider)).map(({ key }) => key.id);
  };
  return { ...desk, cache, read, idsIn };
}

test('a key that is shared, narrowed, changed and deleted changes for every workspace of the account at once', async () => {
  const { keys, cache, idsIn, read } = await withCache();
  const { id } = await keys.create(OWN, newKey());
  const seen = async () => [await idsIn(DEFAULT_WORKSPACE), await idsIn(SECOND_WORKSPACE)];
  expect(await seen()).toEqual([[id], []]);
  await keys.update(OWN, id, changing({ workspaceIds: set([SECOND_WORKSPACE]) }));
  expect(await seen()).toEqual([[id], [id]]);
  await keys.update(OWN, id, changing({ disabled: set(true) }));
  expect((await cache.keysOf(OWN, SECOND_WORKSPACE)).get(id)?.key.disabled).toBe(true);
  await keys.update(OWN, id, changing({ workspaceIds: CLEAR }));
  expect(await seen()).toEqual([[id], []]);
  await keys.update(OWN, id, changing({ workspaceIds: set(['*']) }));
  expect(await seen()).toEqual([[id], [id]]);
  await keys.remove(OWN, id);
  expect(await seen()).toEqual([[], []]);
  expect(read, 'each is read whole once').toEqual([DEFAULT_WORKSPACE, SECOND_WORKSPACE]);
});

test('a key of one workspace alone changes nothing for others', async () => {
  const { keys, cache, idsIn } = await withCache();
  const { id } = await keys.create(OWN, newKey());
  await idsIn(SECOND_WORKSPACE);
  const before = await cache.keysOf(OWN, SECOND_WORKSPACE);
  await keys.update(OWN, id, changing({ disabled: set(true) }));
  expect(await cache.keysOf(OWN, SECOND_WORKSPACE)).toBe(before);
});

test('what a process of the version before tells of is of one workspace alone', () => {
  const told = '[{"workspaceId":"w","ids":["k"],"rearranged":null}]';
  expect(keyChangesOf(told)).toEqual([{ workspaceId: 'w', ids: ['k'], rearranged: null, sharedBy: null }]);
});
