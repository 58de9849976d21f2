/** Records by month: `generation` is a table of partitions, of which a month is dropped as a whole. */
import { type Kysely, sql } from 'kysely';
import { type Client, escapeIdentifier } from 'pg';
import type { Tables } from '../../../schema/schema.js';
import type { RecordPartitions } from '../../engine.js';
import { onOwnConnection } from '../connection/connections.js';
import { lockLiteral, lockNumber } from '../connection/locks.js';
import type { PostgresServer } from '../connection/server.js';
import { firstIdAt, monthStart, monthTable, type Partition, partitionOf } from './months.js';
import { DEFAULT_TABLE, partitionRecords } from './partition-records.js';
import { inShortLock } from './short-lock.js';

/** Months after this one that have a partition, so that no process has to run for as long. */
const MONTHS_AHEAD = 2;

/** Only one process changes partitions at a time. The name must not change: two versions run together. */
const TAKE_TURN = `select pg_try_advisory_lock(${lockLiteral(lockNumber('partitions'))}) as taken`;

export function createRecordPartitions(server: PostgresServer, reader: Kysely<Tables>): RecordPartitions {
  /** Resolves to undefined when it is another process's turn. */
  const inTurn = <T>(signal: AbortSignal | undefined, work: (client: Client) => Promise<T>) =>
    onOwnConnection(
      server,
      async (client) => {
        const { rows } = await client.query<{ taken: boolean }>(TAKE_TURN);
        return rows[0]?.taken ? work(client) : undefined;
      },
      signal,
    );
  const prepare = async (now: number, signal?: AbortSignal): Promise<void> => {
    const isDone = missingMonths(await partitionsOf(reader), now).length === 0;
    if (isDone) return;
    await inTurn(signal, async (client) => {
      if (!(await isPartitioned(client))) await partitionRecords(client, now);
      for (const start of missingMonths(await readPartitions(client), now)) await addMonth(client, start);
    });
  };
  return {
    prepare,
    async prepareNew(now) {
      const { rows } = await sql`select from generation limit 1`.execute(reader);
      if (rows.length === 0) await prepare(now);
    },
    async tablesInPieces() {
      const others = (await partitionsOf(reader)).filter((partition) => !isMonth(partition));
      return others.length === 0 ? ['generation'] : others.map(({ name }) => name);
    },
    async dropBefore(before, signal) {
      const due = (await partitionsOf(reader)).filter((partition) => isPast(partition, before));
      if (due.length === 0) return 0;
      const dropped = await inTurn(signal, async (client) => {
        let rows = 0;
        for (const { name } of due) rows += await dropUnlessNeeded(client, name, before);
        return rows;
      });
      return dropped ?? 0;
    },
  };
}

const PARTITIONS = `
  select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'generation'::regclass and c.relispartition order by 1`;

interface PartitionRow {
  readonly name: string;
  readonly bound: string;
}

async function partitionsOf(reader: Kysely<Tables>): Promise<Partition[]> {
  const { rows } = await sql<PartitionRow>`${sql.raw(PARTITIONS)}`.execute(reader);
  return rows.map(({ name, bound }) => partitionOf(name, bound));
}

async function readPartitions(client: Client): Promise<Partition[]> {
  const { rows } = await client.query<PartitionRow>(PARTITIONS);
  return rows.map(({ name, bound }) => partitionOf(name, bound));
}

async function isPartitioned(client: Client): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from pg_class where oid = 'generation'::regclass and relkind = 'p'`,
  );
  return rowCount === 1;
}

/** The starts of the months, this one and those ahead, that no partition has. */
function missingMonths(partitions: readonly Partition[], now: number): number[] {
  const starts = Array.from({ length: MONTHS_AHEAD + 1 }, (_, later) => monthStart(now, later));
  return starts.filter(
    (start) =>
      !partitions.some(({ from, before }) => before !== null && (from ?? 0) <= start && start < before),
  );
}

function isMonth({ from }: Partition): boolean {
  return from !== null;
}

function isPast(partition: Partition, before: number): boolean {
  return partition.before !== null && partition.before <= before;
}

/** What was recorded of the month before it had a partition comes with it. */
function addMonth(client: Client, start: number): Promise<void> {
  const [from, to] = [firstIdAt(start), firstIdAt(monthStart(start, 1))];
  const month = monthTable(start);
  return inShortLock(client, async () => {
    await client.query('lock table only generation in share update exclusive mode');
    await client.query(`lock table ${DEFAULT_TABLE} in access exclusive mode`);
    await client.query(`create table ${month} (like generation including defaults)`);
    await client.query(`
      with moved as (delete from ${DEFAULT_TABLE} where id >= '${from}' and id < '${to}' returning *)
      insert into ${month} select * from moved`);
    await client.query(
      `alter table generation attach partition ${month} for values from ('${from}') to ('${to}')`,
    );
  });
}

/**
 * Resolves to how many rows it had, by the server's statistics. Records that are young in spite of their ids are left
 * alone, and so are those of accounts whose usage is not all in the rollups yet.
 */
async function dropUnlessNeeded(client: Client, name: string, before: number): Promise<number> {
  const table = escapeIdentifier(name);
  const { rows: needed } = await client.query(
    `select from account where (select max(created_at) from ${table} where account_id = account.id) >= $1
     union all
     select from usage_fill where exists (select from ${table} where account_id = usage_fill.account_id)
     limit 1`,
    [before],
  );
  if (needed.length > 0) return 0;
  const rows = await rowsOf(client, table);
  await inShortLock(client, () => client.query(`drop table if exists ${table}`));
  return rows;
}

/** Small tables have no statistics. */
async function rowsOf(client: Client, table: string): Promise<number> {
  const counted = await client.query<{ rows: string }>(
    `select case when reltuples >= 0 then reltuples::bigint else (select count(*) from ${table}) end::text as rows
     from pg_class where oid = '${table}'::regclass`,
  );
  return Number(counted.rows[0]?.rows ?? 0);
}
