// node long-log.mjs FILE: writes more to the database than its log may contain, closes it and prints "closed". Nothing
// else keeps the process alive.
import { openDatabase } from '../../dist/src/store/open.js';

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
