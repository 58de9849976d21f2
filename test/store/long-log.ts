// Writes more to the database of that file than its log may hold, closes it and says so: long-log.ts FILE. The
// process has nothing else to do.
import { openDatabase } from '../../src/store/open.js';

const COMMITS = 300;
const user_id = 'x'.repeat(150_000);

const database = await openDatabase(`sqlite:${process.argv[2]}`);
for (let commit = 0; commit < COMMITS; commit++) {
  await database.transact([], (tx) =>
    tx
      .insertInto('ledger_entry')
      .values({
        id: `e${commit}`,
        account_id: 'a',
        workspace_id: 'w',
        api_key_hash: null,
        user_id,
        byok_key_id: null,
        generation_id: null,
        kind: 'credit_spend',
        amount_nano_usd: 1n,
        created_at: 1,
      })
      .execute(),
  );
}
await database.close();
process.stdout.write('closed\n');
