import { type Client, escapeIdentifier } from 'pg';
import { onOwnConnection } from './connection/connections.js';
import { isServerError } from './connection/errors.js';
import type { PostgresServer } from './connection/server.js';

/**
 * Rows that can't be read, indexes that are not valid, constraints that are not validated, and dangling references;
 * with the extension amcheck also indexes that do not match their tables.
 */
export function findIntegrityErrors(server: PostgresServer): Promise<string[]> {
  return onOwnConnection(server, async (client) => {
    const integrityErrors: string[] = [];
    for (const table of await names(client, TABLES))
      integrityErrors.push(...(await unreadableRows(client, table)));
    for (const index of await names(client, INVALID_INDEXES))
      integrityErrors.push(`the index ${index} is not valid`);
    for (const name of await names(client, UNCHECKED))
      integrityErrors.push(`the constraint ${name} is not validated`);
    return [...integrityErrors, ...(await danglingReferences(client)), ...(await damagedIndexes(client))];
  });
}

const OWN_TABLE = `c.relnamespace = current_schema()::regnamespace`;
const TABLES = `select c.relname as name from pg_class c where ${OWN_TABLE} and c.relkind = 'r' order by 1`;
const INVALID_INDEXES = `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
  where ${OWN_TABLE} and not i.indisvalid order by 1`;
const UNCHECKED = `select x.conname as name from pg_constraint x join pg_class c on c.oid = x.conrelid
  where ${OWN_TABLE} and not x.convalidated order by 1`;
const INDEXES = `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
  join pg_am a on a.oid = c.relam and a.amname = 'btree' where ${OWN_TABLE} order by 1`;

async function names(client: Client, query: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(query);
  return rows.map((row) => row.name);
}

/** The text of a row contains every column, also what is stored out of line. */
function unreadableRows(client: Client, table: string): Promise<string[]> {
  const query = `select count(length(t::text)) from ${escapeIdentifier(table)} t`;
  return failureOf(client, query, `the table ${table}`);
}

interface Reference {
  readonly child: string;
  readonly child_column: string;
  readonly parent: string;
  readonly parent_column: string;
}

/** All our foreign keys have one column. */
async function danglingReferences(client: Client): Promise<string[]> {
  const { rows } = await client.query<Reference>(`
    select c.relname as child, a.attname as child_column, p.relname as parent, b.attname as parent_column
    from pg_constraint x
    join pg_class c on c.oid = x.conrelid
    join pg_class p on p.oid = x.confrelid
    join pg_attribute a on a.attrelid = c.oid and a.attnum = x.conkey[1]
    join pg_attribute b on b.attrelid = p.oid and b.attnum = x.confkey[1]
    where x.contype = 'f' and ${OWN_TABLE} order by x.conname`);
  const integrityErrors: string[] = [];
  for (const { child, child_column, parent, parent_column } of rows) {
    const column = `c.${escapeIdentifier(child_column)}`;
    const { rows: counted } = await client.query<{ count: string }>(`
      select count(*) as count from ${escapeIdentifier(child)} c where ${column} is not null and not exists
      (select from ${escapeIdentifier(parent)} p where p.${escapeIdentifier(parent_column)} = ${column})`);
    const count = Number(counted[0]?.count);
    if (count > 0) integrityErrors.push(`${count} rows of ${child} refer to a missing ${parent}`);
  }
  return integrityErrors;
}

/** Uses amcheck if the operator has created that extension. */
async function damagedIndexes(client: Client): Promise<string[]> {
  const [extension] = await names(
    client,
    `select extname as name from pg_extension where extname = 'amcheck'`,
  );
  if (extension === undefined) return [];
  const integrityErrors: string[] = [];
  for (const index of await names(client, INDEXES)) {
    const query = `select bt_index_check(format('%I', '${index}')::regclass, true)`;
    integrityErrors.push(...(await failureOf(client, query, `the index ${index}`)));
  }
  return integrityErrors;
}

async function failureOf(client: Client, query: string, what: string): Promise<string[]> {
  try {
    await client.query(query);
    return [];
  } catch (error) {
    if (!isServerError(error)) throw error;
    return [`${what}: ${error.message}`];
  }
}
