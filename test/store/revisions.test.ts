import { describe, expect, test, vi } from 'vitest';
import {
  DATABASE_KINDS,
  openDuringTest,
  temporaryDatabaseUrl,
  usualKind,
  withDatabase,
} from '../support/database.js';
import { entry } from './rows.js';

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  test('own changes call the listeners of their scope once, before the write resolves', async () => {
    const database = await withDatabase(kind);
    const heard: string[] = [];
    database.onChange('identity', () => heard.push('identity'));
    database.onChange('byok', () => heard.push('byok'));
    await database.transact(['identity'], async () => {});
    expect(heard).toEqual(['identity']);
    await database.transact(['identity', 'byok'], async () => {});
    expect(heard.toSorted()).toEqual(['byok', 'identity', 'identity']);
    await database.transact([], async () => {});
    expect(heard).toHaveLength(3);
  });

  test('unsubscribing ends one subscription, not another of the same function', async () => {
    const database = await withDatabase(kind);
    let heard = 0;
    const listener = () => heard++;
    const end = database.onChange('identity', listener);
    database.onChange('identity', listener);
    end();
    await database.transact(['identity'], async () => {});
    expect(heard).toBe(1);
  });

  test("another process's change calls the listeners of its scope within a second", async () => {
    const url = await temporaryDatabaseUrl(kind);
    const [here, there] = [await openDuringTest(url), await openDuringTest(url)];
    const heard: string[] = [];
    here.onChange('identity', () => heard.push('identity'));
    here.onChange('catalog', () => heard.push('catalog'));
    await there.transact([], (tx) => tx.insertInto('ledger_entry').values(entry('a')).execute());
    await there.transact(['catalog'], async () => {});
    await vi.waitFor(() => expect(heard).toEqual(['catalog']), { timeout: 5000 });
    await here.transact(['identity'], async () => {});
    await there.transact(['identity'], async () => {});
    await vi.waitFor(() => expect(heard).toEqual(['catalog', 'identity', 'identity']), { timeout: 5000 });
  });

  test('a change that says what it changes is heard with it, one that does not with nothing', async () => {
    const database = await withDatabase(kind);
    const heard: unknown[] = [];
    database.onChange('byok', (detail) => heard.push(detail));
    await database.transact([{ scope: 'byok', detail: 'this' }], async () => {});
    await database.transact(['byok'], async () => {});
    await database.transact([{ scope: 'byok', detail: 'x'.repeat(10_000) }], async () => {});
    expect(heard).toEqual(['this', null, 'x'.repeat(10_000)]);
  });
});

test.runIf(usualKind() === 'postgres')(
  'a change of another process is heard with what it says, unless a poll has come before its signal',
  async () => {
    const url = await temporaryDatabaseUrl('postgres');
    const [here, there] = [await openDuringTest(url), await openDuringTest(url)];
    const heard: unknown[] = [];
    here.onChange('byok', (detail) => heard.push(detail));
    await vi.waitFor(
      async () => {
        await there.transact([{ scope: 'byok', detail: 'this' }], async () => {});
        expect(heard).toContain('this');
      },
      { timeout: 5000 },
    );
  },
);
