import type { TableSize } from '../engine.js';
import type { Connection } from './connection/connection.js';

/** Every page belongs to a table or to one of its indexes (https://sqlite.org/dbstat.html). */
const BYTES = `select s.tbl_name as name, sum(d.pgsize) as bytes
  from dbstat as d join sqlite_schema as s on s.name = d.name group by s.tbl_name`;

export function tableSizes(connection: Connection): TableSize[] {
  return connection
    .statement(BYTES)
    .all([])
    .map(({ name, bytes }) => {
      const table = String(name);
      const [counted] = connection.statement(`select count(*) as "rows" from "${table}"`).all([]);
      return { table, rows: Number(counted?.rows), bytes: Number(bytes) };
    });
}
