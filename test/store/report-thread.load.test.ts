import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { constants, getPriority, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CompiledQuery, sql } from 'kysely';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ReportThread } from '../../src/store/engine/sqlite/threads/report-thread.js';
import { openDatabase } from '../../src/store/open.js';
import { startChild } from '../support/child-process.js';
import { DATABASE_KINDS, usualKind, withDatabase } from '../support/database.js';
import { entry } from './rows.js';

const SETTINGS = { busyTimeoutMs: 5_000, cacheKib: 4_096 };

const UNAVAILABLE = { reason: 'database_unavailable', retryAfterSeconds: 1 };

/**
 * Of tests whose reads run at the lowest priority: on a busy machine they may get a hundredth of a processor, so that nothing
 * here depends on how long one takes.
 */
const BUSY = { timeout: 120_000 };

/** Counting to three million takes some tenths of a second, where nothing else runs. */
const LONGEST = 3_000_000;

/** Lengths of a read, for what must be seen while it runs: where it has ended before, a longer one shows it. */
const LENGTHS = [LONGEST / 30, LONGEST / 6, LONGEST];

function counting(to: number): CompiledQuery<{ count: number }> {
  return CompiledQuery.raw(
    `with recursive counted(n) as (select 1 union all select n + 1 from counted where n < ${to})
     select count(*) as count from counted`,
  ) as CompiledQuery<{ count: number }>;
}

const TIMEOUT_MS = 30_000;

const ONE = CompiledQuery.raw('select 1 as one');

async function temporaryFile(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'byway-reports-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'byway.db');
  await (await openDatabase(`sqlite:${file}`)).close();
  return file;
}

async function reportThread(timeoutMs?: number): Promise<ReportThread> {
  const options = { ...SETTINGS, ...(timeoutMs !== undefined && { timeoutMs }) };
  const thread = new ReportThread(await temporaryFile(), options);
  onTestFinished(() => thread.close());
  return thread;
}

describe.each(DATABASE_KINDS)('long reads on %s', BUSY, (kind) => {
  test('return the same as short ones: money to the last digit, other integers as numbers, texts, bytes, null', async () => {
    const database = await withDatabase(kind);
    const amount = 2n ** 53n + 1n;
    await database.transact([], async (tx) => {
      const rows = [entry('a', { amount_nano_usd: amount }), entry('b', { user_id: 'ä\u{1F600}' })];
      await tx.insertInto('ledger_entry').values(rows).execute();
      const sealed = { ciphertext: Buffer.from([0, 255]), wrapped_data_key: Buffer.alloc(0) };
      const shared = { provider: 'p', label: 'l', master_key_id: 'm', updated_at: 2 ** 41, ...sealed };
      await tx.insertInto('shared_credential').values(shared).execute();
    });
    for (const db of [database.lists('a'), database.reports('a')]) {
      for (const table of ['ledger_entry', 'shared_credential', 'revision'] as const) {
        const read = (from: typeof db) => from.selectFrom(table).selectAll().orderBy(sql`1`).execute();
        expect(await read(db)).toStrictEqual(await read(database.query));
      }
      const sums = (from: typeof db) =>
        from
          .selectFrom('ledger_entry')
          .select(({ fn }) => [fn.countAll().as('rows'), fn.sum('amount_nano_usd').as('sum_nano_usd')])
          .where('id', 'in', ['a', 'b'])
          .execute();
      expect(await sums(db)).toStrictEqual([{ rows: 2, sum_nano_usd: amount + 1n }]);
    }
  });

  test('delay nothing else: neither short reads nor lists wait for a report', async () => {
    const database = await withDatabase(kind);
    const orderWith = async (length: number) => {
      const order: string[] = [];
      const read = async (name: string, from: typeof database.query, query: CompiledQuery) => {
        await from.executeQuery(query);
        order.push(name);
      };
      await Promise.all([
        read('report', database.reports('a'), counting(length)),
        read('list', database.lists('a'), ONE),
        read('short', database.query, ONE),
      ]);
      return order;
    };
    let order: string[] = [];
    for (const length of LENGTHS) if (order.at(-1) !== 'report') order = await orderWith(length);
    expect(order.at(-1)).toBe('report');
  });

  test('reject writes and transactions, and report errors of a statement', async () => {
    const database = await withDatabase(kind);
    for (const db of [database.lists('a'), database.reports('a')]) {
      await expect(db.insertInto('ledger_entry').values(entry('a')).execute()).rejects.toThrow();
      await expect(db.transaction().execute(async () => {})).rejects.toThrow('Database.transact');
      await expect(sql`select nothing`.execute(db)).rejects.toThrow('nothing');
      expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
    }
  });
});

test.runIf(usualKind() === 'postgres')('PostgreSQL cancels a report after half a minute', async () => {
  const database = await withDatabase('postgres');
  const { rows } = await sql`show statement_timeout`.execute(database.reports('a'));
  expect(rows).toEqual([{ statement_timeout: '30s' }]);
});

test.runIf(usualKind() === 'postgres')(
  'on PostgreSQL rows of another account are not walked through to count to a bound',
  async () => {
    const database = await withDatabase('postgres');
    await database.transact([], async (tx) => {
      const rows = (account: string, count: number) => sql`
      insert into ledger_entry (id, account_id, workspace_id, api_key_hash, user_id, kind, amount_nano_usd, created_at)
      select ${sql.lit(account)} || n, ${sql.lit(account)}, 'w', 'k', 'u', 'credit_spend', 1, n
      from generate_series(1, ${sql.lit(count)}) as n`;
      await rows('before', 1_000).execute(tx);
      await rows('counted', 9_000).execute(tx);
      await sql`analyze ledger_entry`.execute(tx);
    });
    const plan = await sql<{ 'QUERY PLAN': string }>`
    explain select count(*) from
      (select id from ledger_entry where account_id = 'counted' limit 1000) as counted`.execute(
      database.reports('a'),
    );
    expect(plan.rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Index (Only )?Scan/);
  },
);

describe('the report thread', BUSY, () => {
  test.runIf(platform() === 'linux')(
    'leaves the processor to chats: it has the lowest priority',
    async () => {
      const thread = await reportThread();
      await thread.executeQuery(ONE);
      expect(readdirSync('/proc/self/task').map((id) => getPriority(Number(id)))).toContain(
        constants.priority.PRIORITY_LOW,
      );
      expect(getPriority(process.pid)).toBeLessThan(constants.priority.PRIORITY_LOW);
    },
  );

  test('does not block the event loop while it reads', async () => {
    const thread = await reportThread();
    await thread.executeQuery(ONE);
    const turnsDuring = async (length: number) => {
      let isDone = false;
      const read = thread.executeQuery(counting(length)).finally(() => {
        isDone = true;
      });
      let turns = 0;
      for (; !isDone; turns++) await sleep(1);
      expect(await read).toEqual({ rows: [{ count: length }] });
      return turns;
    };
    let turns = 0;
    for (const length of LENGTHS) if (turns <= 100) turns = await turnsDuring(length);
    expect(turns).toBeGreaterThan(100);
  });

  test('queues at most a hundred reads and rejects further ones at once', async () => {
    const thread = await reportThread();
    const slow = thread.executeQuery(counting(1_000));
    const waiting = Array.from({ length: 100 }, () => thread.executeQuery(ONE));
    await expect(thread.executeQuery(ONE)).rejects.toMatchObject(UNAVAILABLE);
    expect(await slow).toEqual({ rows: [{ count: 1_000 }] });
    for (const read of waiting) expect(await read).toEqual({ rows: [{ one: 1 }] });
  });

  test('times out a long read and those that wait behind it, then reads again', async () => {
    const thread = await reportThread(TIMEOUT_MS);
    await thread.executeQuery(ONE);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const slow = thread.executeQuery(counting(LONGEST / 30));
    const behind = thread.executeQuery(ONE);
    vi.advanceTimersByTime(TIMEOUT_MS - 1);
    const late = thread.executeQuery(ONE);
    vi.advanceTimersByTime(1);
    await expect(slow).rejects.toMatchObject(UNAVAILABLE);
    await expect(behind).rejects.toMatchObject(UNAVAILABLE);
    // As soon as the statement has run to its end.
    expect(await late).toEqual({ rows: [{ one: 1 }] });
    expect(await thread.executeQuery(ONE)).toEqual({ rows: [{ one: 1 }] });
  });

  test('is replaced when it dies: the running read is rejected, waiting ones are run', async () => {
    const thread = await reportThread();
    const tooMuch = CompiledQuery.raw(
      `with recursive counted(n) as (select 1 union all select n + 1 from counted where n < 1000)
       select hex(zeroblob(1000000 + n)) as text from counted`,
    );
    const dying = thread.executeQuery(tooMuch);
    const waiting = thread.executeQuery(ONE);
    await expect(dying).rejects.toMatchObject(UNAVAILABLE);
    expect(await waiting).toEqual({ rows: [{ one: 1 }] });
  });

  test('returns at most a thousand rows, since more would block the event loop', async () => {
    const thread = await reportThread();
    const rows = (count: number) =>
      CompiledQuery.raw(
        `with recursive counted(n) as (select 1 union all select n + 1 from counted where n < ${count}) select n from counted`,
      );
    expect((await thread.executeQuery(rows(1_000))).rows).toHaveLength(1_000);
    await expect(thread.executeQuery(rows(1_001))).rejects.toThrow('more than 1000 rows');
    expect(await thread.executeQuery(ONE)).toEqual({ rows: [{ one: 1 }] });
  });

  test('is held once the running read has ended; reads that wait run when it resumes', async () => {
    const thread = await reportThread();
    const ended: string[] = [];
    const running = thread.executeQuery(counting(1_000)).then(() => ended.push('running'));
    const waiting = thread.executeQuery(ONE).then(() => ended.push('waiting'));
    await thread.hold();
    await sleep(50);
    expect(ended).toEqual(['running']);
    thread.resume();
    await Promise.all([running, waiting]);
    expect(ended).toEqual(['running', 'waiting']);
  });

  test('closes after the running read, and rejects waiting ones', async () => {
    const thread = new ReportThread(await temporaryFile(), SETTINGS);
    const running = thread.executeQuery(counting(1_000));
    const waiting = thread.executeQuery(ONE);
    const closed = thread.close();
    await expect(waiting).rejects.toMatchObject(UNAVAILABLE);
    expect(await running).toEqual({ rows: [{ count: 1_000 }] });
    await closed;
  });

  test('keeps the process alive until its answer arrives, and no longer', async () => {
    const { lines, exited } = startChild(new URL('./long-read.ts', import.meta.url), await temporaryFile());
    const printed: string[] = [];
    for await (const line of lines) printed.push(line);
    expect(printed).toEqual(['100000']);
    expect(await exited).toBe(0);
  });
});
