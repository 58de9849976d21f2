import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as hop, setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Checkpoints } from '../../src/store/engine/sqlite/threads/checkpoints.js';
import { openDatabase } from '../../src/store/open.js';
import { startChild } from '../support/child-process.js';
import { waitFor } from '../support/wait-for.js';
import { entry, entryIds } from './rows.js';

const COMMITS = 6_000;
const COMMIT_BYTES = 60_000;

/** The least size of a log that is never restarted. */
const ALL_BYTES = COMMITS * COMMIT_BYTES;

/** Waits until the file is larger than that; on a busy machine the thread runs late. */
async function waitForSize(file: string, bytes: number): Promise<void> {
  await vi.waitFor(() => expect(statSync(file).size).toBeGreaterThan(bytes), { timeout: 15_000 });
}

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'byway-checkpoints-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'byway.db');
}

test.each([
  ['', false],
  [' while lists and sums are read without a pause', true],
])(
  'the log stays bounded under continuous commits%s, and what was committed is in the file',
  async (_, isRead) => {
    const file = temporaryFile();
    const database = await openDatabase(`sqlite:${file}`);
    let isOver = false;
    // 47 rows, 2.8 MB: some four times what a page of a list reads.
    const readAll = async (from: typeof database.query) => {
      while (!isOver) {
        const length = sql`sum(length(user_id))`.as('length');
        await from.selectFrom('ledger_entry').select(length).where('id', '<', 'e104').execute();
      }
    };
    // Two reads of each thread, so that another one waits when one ends.
    const threads = isRead ? [database.lists('a'), database.reports('a')] : [];
    const reading = threads.flatMap((from) => [readAll(from), readAll(from)]);
    const text = 'x'.repeat(COMMIT_BYTES);
    for (let commit = 0; commit < COMMITS; commit++) {
      await database.transact([], (tx) =>
        tx
          .insertInto('ledger_entry')
          .values({ ...entry(`e${commit}`), user_id: text })
          .execute(),
      );
      // Lets the answers of the thread arrive, as between requests.
      await hop();
      // A checkpoint copies nothing that is newer than a read which has begun.
      if (isRead && commit % 50 === 49) await sleep(40);
      if (!isRead && commit % 500 === 499) await waitForSize(file, (commit - 250) * COMMIT_BYTES);
    }
    isOver = true;
    await Promise.all(reading);
    expect(statSync(`${file}-wal`).size).toBeLessThan(ALL_BYTES / 2);
    expect(statSync(file).size).toBeGreaterThan(ALL_BYTES / 3);
    await database.close();
    expect(existsSync(`${file}-wal`)).toBe(false);
    const again = await openDatabase(`sqlite:${file}`);
    expect(await entryIds(again)).toHaveLength(COMMITS);
    await again.close();
  },
);

test('when the checkpoint thread fails, SQLite makes checkpoints itself', async () => {
  const onFailure = vi.fn();
  const file = join(temporaryFile(), 'nothing', 'here.db');
  const checkpoints = new Checkpoints({ file, whileQuiet: (_maxWaitMs, work) => work(), onFailure });
  for (let commit = 0; commit < 1_000; commit++) checkpoints.committed();
  await waitFor(() => expect(onFailure).toHaveBeenCalledOnce());
  for (let commit = 0; commit < 1_000; commit++) checkpoints.committed();
  await checkpoints.close();
  expect(onFailure).toHaveBeenCalledOnce();
});

test('a process that has nothing else to do lives until its checkpoints are made', async () => {
  const { lines, exited } = startChild(new URL('./long-log.ts', import.meta.url), temporaryFile());
  const printed: string[] = [];
  for await (const line of lines) printed.push(line);
  expect(await exited).toBe(0);
  expect(printed).toEqual(['closed']);
});
