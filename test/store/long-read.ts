// Reads from the database of that file what takes a while, and says what it has read: long-read.ts FILE. The process has
// nothing else to do, and closes nothing.
import { sql } from 'kysely';
import { openDatabase } from '../../src/store/open.js';

const database = await openDatabase(`sqlite:${process.argv[2]}`);
const { rows } = await sql<{ count: number }>`
  with recursive counted(n) as (select 1 union all select n + 1 from counted where n < 100000)
  select count(*) as count from counted`.execute(database.reports('a'));
process.stdout.write(`${rows[0]?.count}\n`);
