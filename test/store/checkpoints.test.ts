import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as hop } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Checkpoints } from '../../src/store/engine/sqlite/checkpoints.js';
import { openDatabase } from '../../src/store/open.js';
import { startChild } from '../support/child-process.js';
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

test('the log stays bounded under continuous commits, and what was committed is in the file', async () => {
  const file = temporaryFile();
  const database = await openDatabase(`sqlite:${file}`);
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
    if (commit % 500 === 499) await waitForSize(file, (commit - 250) * COMMIT_BYTES);
  }
  expect(statSync(`${file}-wal`).size).toBeLessThan(ALL_BYTES / 2);
  expect(statSync(file).size).toBeGreaterThan(ALL_BYTES / 3);
  await database.close();
  expect(existsSync(`${file}-wal`)).toBe(false);
  const again = await openDatabase(`sqlite:${file}`);
  expect(await entryIds(again)).toHaveLength(COMMITS);
  await again.close();
});

test('when the checkpoint thread fails, SQLite makes checkpoints itself', async () => {
  const onFailure = vi.fn();
  const file = join(temporaryFile(), 'nothing', 'here.db');
  const checkpoints = new Checkpoints({ file, whileNobodyWrites: (work) => work(), onFailure });
  for (let commit = 0; commit < 1_000; commit++) checkpoints.committed();
  await vi.waitFor(() => expect(onFailure).toHaveBeenCalledOnce());
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
