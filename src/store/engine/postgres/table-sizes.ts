import { escapeIdentifier } from 'pg';
import type { TableSize } from '../engine.js';
import { onOwnConnection } from './connection/connections.js';
import type { PostgresServer } from './connection/server.js';

/** Partitions are part of their table. */
const BYTES = `
  select coalesce(p.relname, c.relname) as name, sum(pg_total_relation_size(c.oid))::text as bytes
  from pg_class c left join (pg_inherits i join pg_class p on p.oid = i.inhparent) on i.inhrelid = c.oid
  where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' group by 1`;

/** On a connection without timeouts. */
export function tableSizes(server: PostgresServer): Promise<TableSize[]> {
  return onOwnConnection(server, async (client) => {
    const { rows } = await client.query<{ name: string; bytes: string }>(BYTES);
    const sizes: TableSize[] = [];
    for (const { name, bytes } of rows) {
      const query = `select count(*)::text as count from ${escapeIdentifier(name)}`;
      const counted = await client.query<{ count: string }>(query);
      sizes.push({ table: name, rows: Number(counted.rows[0]?.count), bytes: Number(bytes) });
    }
    return sizes;
  });
}
