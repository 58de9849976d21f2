import { escapeIdentifier } from 'pg';
import type { TableSize } from '../engine.js';
import { onOwnConnection } from './connections.js';

const BYTES = `select relname as name, pg_total_relation_size(oid)::text as bytes from pg_class
  where relnamespace = current_schema()::regnamespace and relkind = 'r'`;

/** On a connection without timeouts. */
export function tableSizes(url: string): Promise<TableSize[]> {
  return onOwnConnection(url, async (client) => {
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
