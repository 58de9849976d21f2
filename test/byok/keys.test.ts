import { describe, expect, test } from 'vitest';
import type { ByokKey } from '../../src/byok/types.js';
import { byokStore } from '../../src/store/byok/byok-store.js';
import {
  ALL_KEYS,
  changing,
  DEFAULT_WORKSPACE,
  FOREIGN,
  FOREIGN_WORKSPACE,
  newKey,
  OWN,
  openDesk,
  refusal,
  SECOND_WORKSPACE,
  START,
  UNKNOWN_ID,
} from './keys.fixture.js';

describe('get, list and remove', () => {
  test('a malformed, an unknown and a foreign id have the same 404', async () => {
    const { keys } = await openDesk();
    const { id } = await keys.create(FOREIGN, newKey());
    for (const wrong of [id, UNKNOWN_ID, 'not-a-uuid', '', id.toUpperCase()]) {
      expect(await refusal(keys.get(OWN, wrong))).toBe('not_found');
      expect(await refusal(keys.update(OWN, wrong, changing({})))).toBe('not_found');
      expect(await refusal(keys.remove(OWN, wrong))).toBe('not_found');
    }
    expect(await refusal(keys.get(FOREIGN, id))).toBe('accepted');
  });

  test('lists come by creation time, then id, and only of the account', async () => {
    const { keys, clock } = await openDesk();
    await keys.create(FOREIGN, newKey());
    const made: ByokKey[] = [];
    for (const [index, provider] of ['openai', 'mistral', 'openai', 'demo'].entries()) {
      clock.time = START + (index < 2 ? 10 : 5);
      made.push(
        await keys.create(OWN, newKey({ provider, workspaceId: index === 0 ? SECOND_WORKSPACE : null })),
      );
    }
    const sorted = made
      .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
      .map((key) => key.id);
    const ids = async (query: Partial<typeof ALL_KEYS> | { provider: string } | { workspaceId: string }) => {
      const { keys: page, totalCount } = await keys.list(OWN, { ...ALL_KEYS, ...query });
      return [page.map((key) => key.id), totalCount];
    };
    expect(await ids({})).toEqual([sorted, 4]);
    expect(await ids({ offset: 1, limit: 2 })).toEqual([sorted.slice(1, 3), 4]);
    expect(await ids({ offset: 9 })).toEqual([[], 4]);
    expect(await ids({ workspaceId: SECOND_WORKSPACE })).toEqual([[made[0]?.id], 1]);
    expect(await ids({ provider: 'mistral' })).toEqual([[made[1]?.id], 1]);
    expect(await ids({ provider: 'mistral', workspaceId: SECOND_WORKSPACE })).toEqual([[], 0]);
    expect(await ids({ provider: 'nobody' })).toEqual([[], 0]);
    expect(await refusal(keys.list(OWN, { ...ALL_KEYS, workspaceId: FOREIGN_WORKSPACE }))).toEqual([
      'workspace_id known',
    ]);
  });

  test('a removed key is gone, and its section has no gap', async () => {
    const { keys, credentials } = await openDesk();
    const made: ByokKey[] = [];
    for (let index = 0; index < 3; index += 1) made.push(await keys.create(OWN, newKey()));
    const [first, second, third] = made.map((key) => key.id);
    await keys.remove(OWN, second ?? '');
    expect(await refusal(keys.get(OWN, second ?? ''))).toBe('not_found');
    const left = await credentials.storedKeysOf(DEFAULT_WORKSPACE);
    expect(left.map(({ key }) => [key.id, key.sortOrder])).toEqual([
      [first, 0],
      [third, 1],
    ]);
  });
});

test('an account without a default workspace cannot get a key in it', async () => {
  const { database } = await openDesk();
  expect(await byokStore(database).workspaceId('acc-unknown', null)).toBeUndefined();
});
