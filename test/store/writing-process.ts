// Started as a process of its own: opens the database and commits one row after the other, naming each.
import { openDatabase } from '../../src/store/open.js';
import { directSetting } from '../support/postgres/pgbouncer.js';
import { entry } from './rows.js';

const [url = '', prefix = '', count = '0'] = process.argv.slice(2);
const database = await openDatabase(url, { directUrl: directSetting(url).BYWAY_DATABASE_DIRECT_URL ?? null });
for (let index = 0; index < Number(count); index++) {
  const id = `${prefix}${index}`;
  await database.transact(['identity'], (tx) => tx.insertInto('ledger_entry').values(entry(id)).execute());
  process.stdout.write(`${id}\n`);
}
await database.close();
process.exit(0);
