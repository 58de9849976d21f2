// node writing-process.mjs URL PREFIX COUNT: commits rows one by one and prints the id of each.
import { openDatabase } from '../../dist/src/store/open.js';

const [url = '', prefix = '', count = '0'] = process.argv.slice(2);
const database = await openDatabase(url);
for (let index = 0; index < Number(count); index++) {
  const id = `${prefix}${index}`;
  await database.transact(['identity'], (tx) => tx.insertInto('ledger_entry').values(entry(id)).execute());
  process.stdout.write(`${id}\n`);
}
await database.close();
process.exit(0);

/** A ledger entry that references nothing. */
function entry(id) {
  return {
    id,
    account_id: 'account',
    workspace_id: 'workspace',
    api_key_hash: null,
    user_id: null,
    byok_key_id: null,
    generation_id: null,
    kind: 'credit_spend',
    amount_nano_usd: 1n,
    created_at: 1_760_000_000_000,
  };
}
