import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Connection } from '../../src/store/engine/sqlite/connection/connection.js';
import { SqliteWriteDriver } from '../../src/store/engine/sqlite/driver.js';
import { whileQuiet } from '../../src/store/engine/sqlite/quiet.js';
import { ReportThread } from '../../src/store/engine/sqlite/threads/report-thread.js';

const SETTINGS = { busyTimeoutMs: 5_000, cacheKib: 4_096 };

/** For reads of the lowest priority on a busy machine. */
const PATIENCE = { timeout: 10_000 };

function counting(to: number): CompiledQuery {
  return CompiledQuery.raw(
    `with recursive counted(n) as (select 1 union all select n + 1 from counted where n < ${to})
     select count(*) from counted`,
  );
}

function openBoth() {
  const folder = mkdtempSync(join(tmpdir(), 'byway-quiet-'));
  const file = join(folder, 'byway.db');
  const writing = new Connection(file, SETTINGS.busyTimeoutMs);
  const threads = [new ReportThread(file, SETTINGS), new ReportThread(file, SETTINGS)] as const;
  onTestFinished(async () => {
    await Promise.all(threads.map((thread) => thread.close()));
    writing.close();
    rmSync(folder, { recursive: true });
  });
  const driver = new SqliteWriteDriver(writing, SETTINGS.busyTimeoutMs, () => undefined);
  return { driver, threads };
}

test('work waits until nothing reads, though reads follow each other without a pause', async () => {
  const { driver, threads } = openBoth();
  let [reads, isOver] = [0, false];
  const readAll = async (thread: ReportThread) => {
    while (!isOver) {
      await thread.executeQuery(counting(20_000));
      reads += 1;
    }
  };
  const reading = threads.flatMap((thread) => [readAll(thread), readAll(thread)]);
  await vi.waitFor(() => expect(reads).toBeGreaterThan(4), PATIENCE);
  let meanwhile: number | undefined;
  await whileQuiet(driver, threads, 10_000, async () => {
    const before = reads;
    await sleep(100);
    meanwhile = reads - before;
  });
  const after = reads;
  await vi.waitFor(() => expect(reads).toBeGreaterThan(after), PATIENCE);
  isOver = true;
  await Promise.all(reading);
  expect(meanwhile).toBe(0);
});

test('work is left out when a read takes longer than it may wait, and reads go on', async () => {
  const { driver, threads } = openBoth();
  const long = threads[0].executeQuery(counting(300_000));
  const work = vi.fn();
  await whileQuiet(driver, threads, 10, work);
  await threads[1].executeQuery(counting(1));
  await long;
  expect(work).not.toHaveBeenCalled();
});
