/** Makes the table of records a partitioned one while processes read and write it. */
import { type Client, escapeIdentifier } from 'pg';
import { firstIdAt, monthStart } from './months.js';
import { inShortLock } from './short-lock.js';

/** Everything up to the first month that has a partition of its own. */
const EARLIER_TABLE = 'generation_earlier';

/** What is in no other partition. */
export const DEFAULT_TABLE = 'generation_default';

/** Shows that the table may become a partition without a look at its rows. */
const PROOF = 'generation_is_earlier';

/**
 * The months from this one on have partitions of their own: everything that is recorded until the table is partitioned
 * belongs to earlier ones.
 */
const MONTHS_AHEAD = 2;

/** How many rows a transaction moves; it locks nothing but these. */
const PIECE_ROWS = 1_000;

/**
 * Makes the table the partition of everything earlier. Its rows are read and moved before that, while it is in use; it
 * is locked for some milliseconds at the end. After a failure, what was done is not done again.
 */
export async function partitionRecords(client: Client, now: number): Promise<void> {
  const bound = firstIdAt(monthStart(now, MONTHS_AHEAD));
  try {
    await proveEarlier(client, bound);
    await moveLater(client, bound);
    await client.query(`alter table generation validate constraint ${PROOF}`);
    await inShortLock(client, () => replaceTable(client, now));
  } catch (error) {
    await withdrawProof(client).catch(() => {});
    throw error;
  }
}

/** Otherwise records would be refused once the months have come to the bound. */
async function withdrawProof(client: Client): Promise<void> {
  await inShortLock(client, () => client.query(`alter table generation drop constraint if exists ${PROOF}`));
}

/** Whatever is written from now on is earlier than the bound; one of an attempt that has failed is replaced. */
async function proveEarlier(client: Client, bound: string): Promise<void> {
  await inShortLock(client, async () => {
    await client.query(`alter table generation drop constraint if exists ${PROOF}`);
    await client.query(
      `alter table generation add constraint ${PROOF} check (id < '${bound}') no inherit not valid`,
    );
    await client.query(
      `create table if not exists ${DEFAULT_TABLE} (like generation including defaults including indexes)`,
    );
    const { rows } = await client.query(
      `select from pg_inherits where inhrelid = '${DEFAULT_TABLE}'::regclass`,
    );
    if (rows.length === 0) await client.query(`alter table ${DEFAULT_TABLE} inherit generation`);
  });
}

/** Moves rows whose ids sort behind the bound to a table that everybody reads with the other one. */
async function moveLater(client: Client, bound: string): Promise<void> {
  const move = `
    with moved as (delete from only generation where id in
      (select id from only generation where id >= '${bound}' limit ${PIECE_ROWS}) returning *)
    insert into ${DEFAULT_TABLE} select * from moved`;
  while ((await client.query(move)).rowCount !== 0);
}

async function replaceTable(client: Client, now: number): Promise<void> {
  await client.query('lock table generation in access exclusive mode');
  const rows = await client.query('select from only generation limit 1');
  const isNew = rows.rowCount === 0;
  const bound = firstIdAt(monthStart(now, isNew ? 0 : MONTHS_AHEAD));
  const indexes = await definitions(client, INDEXES);
  const triggers = await definitions(client, TRIGGERS);
  const grants = await definitions(client, GRANTS);
  await client.query(`alter table ${DEFAULT_TABLE} no inherit generation`);
  for (const { name } of triggers) await client.query(`drop trigger ${escapeIdentifier(name)} on generation`);
  for (const { name } of indexes) {
    const renamed = escapeIdentifier(`${name}_earlier`);
    await client.query(`alter index ${escapeIdentifier(name)} rename to ${renamed}`);
  }
  await client.query(`alter table generation rename to ${EARLIER_TABLE}`);
  await client.query(
    `create table generation (like ${EARLIER_TABLE} including defaults) partition by range (id)`,
  );
  // These attach to the indexes that the partitions have.
  for (const { definition } of [...indexes, ...triggers, ...grants]) await client.query(definition);
  await client.query(
    `alter table generation attach partition ${EARLIER_TABLE} for values from (minvalue) to ('${bound}')`,
  );
  await client.query(`alter table ${EARLIER_TABLE} drop constraint ${PROOF}`);
  await client.query(`alter table generation attach partition ${DEFAULT_TABLE} default`);
}

interface Definition {
  readonly name: string;
  readonly definition: string;
}

async function definitions(client: Client, query: string): Promise<readonly Definition[]> {
  return (await client.query<Definition>(query)).rows;
}

/** By name, since the definition of an index has the schema of the table. */
const INDEXES = `
  select c.relname as name, case when i.indisprimary
    then format('alter table generation add constraint %I primary key (id)', c.relname)
    else pg_get_indexdef(i.indexrelid) end as definition
  from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = 'generation'::regclass`;

const TRIGGERS = `
  select tgname as name, pg_get_triggerdef(oid) as definition from pg_trigger
  where tgrelid = 'generation'::regclass and not tgisinternal`;

/** What other roles may do with the table, such as reading it for reports. */
const GRANTS = `
  select privilege_type as name, format('grant %s on generation to %s', privilege_type,
    case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end) as definition
  from pg_class, aclexplode(relacl) where oid = 'generation'::regclass and grantee <> relowner`;
