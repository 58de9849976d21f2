import { describe, expect, test } from 'vitest';
import { set } from '../../src/base/change.js';
import { systemIds } from '../../src/base/ids.js';
import type { ByokKeyUpdate } from '../../src/byok/keys/inputs.js';
import { ByokKeys } from '../../src/byok/keys/keys.js';
import { createByokStore } from '../../src/store/byok/byok-store.js';
import { openDuringTest } from '../support/database.js';
import { changing, DEFAULT_WORKSPACE, newKey, OWN, openDesk, START } from './keys.fixture.js';

describe('sort_order and is_fallback move a key', () => {
  async function withSection() {
    const desk = await openDesk();
    const ids: string[] = [];
    for (let index = 0; index < 4; index += 1) ids.push((await desk.keys.create(OWN, newKey())).id);
    const shown = async () => {
      const stored = await desk.credentials.storedKeysOf(DEFAULT_WORKSPACE);
      const names = stored.map(
        ({ key }) => `${ids.indexOf(key.id)}${key.isFallback ? 'f' : 'p'}${key.sortOrder}`,
      );
      return names.join(' ');
    };
    const change = (index: number, update: Partial<ByokKeyUpdate>) =>
      desk.keys.update(OWN, ids[index] ?? '', changing(update));
    return { ...desk, ids, shown, change };
  }

  test('within its section, clamped to the end', async () => {
    const { shown, change } = await withSection();
    expect((await change(0, { sortOrder: set(2) })).sortOrder).toBe(2);
    expect(await shown()).toBe('1p0 2p1 0p2 3p3');
    expect((await change(1, { sortOrder: set(1_000_000) })).sortOrder).toBe(3);
    expect(await shown()).toBe('2p0 0p1 3p2 1p3');
  });

  test('to the end of the other section, or to a position there', async () => {
    const { shown, change } = await withSection();
    expect(await change(1, { isFallback: set(true) })).toMatchObject({ isFallback: true, sortOrder: 0 });
    await change(2, { isFallback: set(true) });
    expect(await shown()).toBe('0p0 3p1 1f0 2f1');
    await change(0, { isFallback: set(true), sortOrder: set(1) });
    expect(await shown()).toBe('3p0 1f0 0f1 2f2');
  });

  test('the others keep their updated_at', async () => {
    const { keys, clock, ids, change } = await withSection();
    clock.time = START + 1000;
    await change(3, { sortOrder: set(0) });
    const stamps = await Promise.all(ids.map(async (id) => (await keys.get(OWN, id)).updatedAt - START));
    expect(stamps).toEqual([0, 0, 0, 1000]);
  });

  test('concurrent changes of two processes leave positions 0..n-1, each key once', async () => {
    const { url, ids, credentials, ...desk } = await withSection();
    const store = createByokStore(await openDuringTest(url));
    const processes = [desk.keys, new ByokKeys({ ...desk, store, ids: systemIds })];
    const moves = Array.from({ length: 60 }, (_, index) => {
      const keys = processes[index % 2] ?? desk.keys;
      if (index % 7 === 0) return keys.create(OWN, newKey({ isFallback: index % 3 === 0 }));
      const destination = { isFallback: set(index % 3 === 0), sortOrder: set((index * 7) % 5) };
      return keys.update(OWN, ids[index % ids.length] ?? '', changing(destination));
    });
    await Promise.all(moves);
    await Promise.all(ids.slice(2).map((id) => desk.keys.remove(OWN, id)));
    const stored = (await credentials.storedKeysOf(DEFAULT_WORKSPACE)).map(({ key }) => key);
    expect(stored).toHaveLength(4 + 9 - 2);
    for (const isFallback of [false, true]) {
      const positions = stored.filter((key) => key.isFallback === isFallback).map((key) => key.sortOrder);
      expect(positions).toEqual(positions.map((_, index) => index));
    }
  });
});
