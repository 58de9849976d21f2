import { describe, expect, test, vi } from 'vitest';
import { DATABASE_KINDS, openDuringTest, temporaryDatabaseUrl, withDatabase } from '../support/database.js';
import { entry } from './rows.js';

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  test('own changes are heard once, before the write returns, by listeners of that scope alone', async () => {
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

  test('a listener that has ended its subscription hears nothing more, another of the same function does', async () => {
    const database = await withDatabase(kind);
    let heard = 0;
    const listener = () => heard++;
    const end = database.onChange('identity', listener);
    database.onChange('identity', listener);
    end();
    await database.transact(['identity'], async () => {});
    expect(heard).toBe(1);
  });

  test("another process's change is heard within a second, of its scope alone", async () => {
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
});
