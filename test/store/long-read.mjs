// node long-read.mjs FILE: runs a long read and prints its result, without closing the database. Nothing else keeps the
// process alive.
import { sql } from 'kysely';
import { openDatabase } from '../../dist/src/store/open.js';

const database = await openDatabase(`sqlite:${process.argv[2]}`);
const { rows } = await sql`
  with recursive counted(n) as (select 1 union all select n + 1 from counted where n < 3000000)
  select count(*) as count from counted`.execute(database.reports);
process.stdout.write(`${rows[0].count}\n`);
