import { closeSync, openSync, readFileSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase } from '../../src/store/open.js';
import { buildByway, byway, documentOf, emptyDataDir, inProcess, spawnByway } from '../support/byway.js';
import { addGenerations } from '../support/many-generations.js';
import { caller, refusalOf, send } from '../support/rest.js';

const PAGE_BYTES = 4096;

/** Two sizes: read as a whole at a start, and too large for that. */
const SMALL = 1_000;
const LARGE = 60_000;

beforeAll(buildByway, 180_000);

/**
 * An installation on SQLite with an account and so many generations, and the file of its database, which nobody has
 * open. The credits make totals, which a start would otherwise make of the whole ledger.
 */
async function filled(generations: number) {
  const dataDir = emptyDataDir();
  const env = { BYWAY_DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0', BYWAY_LOG_LEVEL: 'info' };
  const account = documentOf(
    await inProcess(['account', 'create', '--name', 'A', '--credits', '1', '--json'], env),
  );
  const { account_id: accountId, workspace_id: workspaceId, owner_user_id: ownerUserId } = account;
  const file = join(dataDir, 'byway.db');
  const database = await openDatabase(`sqlite:${file}`);
  await addGenerations(database, generations, { accountId, workspaceId, ownerUserId, apiKeyHash: 'hash' });
  await database.close();
  return { env, file, managementKey: String(account.management_key) };
}

/** Pages from the middle of a table, counted from 0. */
async function middleLeaves(file: string, table: string, count: number): Promise<number[]> {
  const database = await openDatabase(`sqlite:${file}`);
  const { rows } = await sql<{ pageno: number }>`
    select pageno from dbstat where name = ${table} and pagetype = 'leaf' order by path`.execute(
    database.query,
  );
  await database.close();
  const middle = Math.floor(rows.length / 2);
  return rows.slice(middle, middle + count).map(({ pageno }) => pageno - 1);
}

/** Puts noise over the file, from a page on. */
function overwrite(file: string, firstPage: number, pages: number): void {
  const descriptor = openSync(file, 'r+');
  const noise = Buffer.alloc(PAGE_BYTES * pages, 0xa5);
  writeSync(descriptor, noise, 0, noise.length, firstPage * PAGE_BYTES);
  closeSync(descriptor);
}

function pagesOf(file: string): number {
  return statSync(file).size / PAGE_BYTES;
}

describe('a damaged SQLite file', () => {
  it.each<[string, number, (file: string) => void]>([
    ['whose header was overwritten', SMALL, (file) => overwrite(file, 0, 1)],
    ['with noise in the middle', SMALL, (file) => overwrite(file, Math.floor(pagesOf(file) / 2), 2)],
    ['that was cut off', SMALL, (file) => truncateSync(file, (pagesOf(file) - 20) * PAGE_BYTES)],
    ['of any size whose tables lack their ends', LARGE, (file) => overwrite(file, 1, 40)],
  ])(
    '%s is refused at a start, in one line that names "byway db check", which tells what is wrong',
    async (_, size, damage) => {
      const { env, file } = await filled(size);
      damage(file);
      const bytes = readFileSync(file);
      const started = await byway(['serve'], { ...env, BYWAY_LOG_LEVEL: 'error' });
      expect(started).toMatchObject({ code: 1, stdout: '' });
      expect(started.stderr).toMatch(
        /^byway: BYWAY_DATABASE_URL: the database .*byway\.db is damaged \(.+\); "byway db check" tells more\n$/,
      );
      const checked = await inProcess(['db', 'check'], env);
      expect(checked).toMatchObject({ code: 1, stderr: '' });
      expect(checked.stdout).toMatch(/fail +(schema|integrity) +\S.*\S/);
      expect(readFileSync(file).equals(bytes)).toBe(true);
    },
    120_000,
  );

  it('is reported by table and in plain words', async () => {
    const { env, file } = await filled(SMALL);
    overwrite(file, pagesOf(file) - 40, 3);
    const { checks } = documentOf(await inProcess(['db', 'check', '--json'], env));
    const details = (name: string): string[] =>
      checks.find((check: { name: string }) => check.name === name).details;
    expect(details('integrity').join('\n')).toMatch(/(generation|ledger_entry).*: \S/);
    overwrite(file, 0, 1);
    const second = documentOf(await inProcess(['db', 'check', '--json'], env));
    expect(second.checks).toEqual([
      {
        name: 'schema',
        status: 'fail',
        details: [
          'cannot be read: it does not begin as a SQLite database does: it was overwritten, or it is another file',
        ],
      },
    ]);
  });

  it('that is found only while serving is 503 for what needs the bytes, is logged, and does not end the process', async () => {
    const { env, file, managementKey } = await filled(LARGE);
    for (const page of await middleLeaves(file, 'generation', 50)) overwrite(file, page, 1);
    const server = spawnByway(['serve'], env);
    onTestFinished(() => void server.process.kill('SIGKILL'));
    const url = await vi.waitFor(
      () => {
        const found = /listening at (http:\/\/[\d.:]+)/.exec(server.stdout())?.[1];
        if (found === undefined) throw new Error(`does not listen: ${server.stdout()}${server.stderr()}`);
        return found;
      },
      { timeout: 30_000 },
    );
    const manage = caller({ rest: `${url}/api/v1` }, managementKey);
    for (let round = 0; round < 3; round++) {
      const damaged = await manage('GET', '/generations?api_key_hash=hash&offset=59900');
      expect(refusalOf(damaged)).toEqual([503, 'database_unavailable']);
      expect((await manage('GET', '/keys')).status).toBe(200);
      expect((await send(`${url}/healthz`, 'GET')).status).toBe(200);
    }
    expect(server.stdout()).toContain('the database is not available');
    expect(server.stdout()).toContain('malformed');
    expect(server.process.exitCode).toBe(null);
  }, 120_000);
});
