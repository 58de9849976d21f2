import { type CompiledQuery, type Insertable, type Kysely, sql } from 'kysely';
import type { EntryKind } from '../../ledger/settlement.js';
import { preparedInsert } from '../query/prepared.js';
import { ENTRY_KINDS } from '../schema/ledger-kinds.js';
import type { LedgerCarriedForwardTable } from '../schema/retention-schema.js';
import type { Tables } from '../schema/schema.js';

/** Deleting and summing them blocks SQLite's event loop for some 5 ms. */
const PIECE_ROWS = 200;

const CARRIED_KEY = ['account_id', 'workspace_id', 'api_key_hash', 'user_id', 'kind'] as const;

type Carried = Insertable<LedgerCarriedForwardTable>;

interface Dropped {
  readonly rows: number;
  /** Carry the sums forward, in the same transaction. */
  readonly writes: readonly CompiledQuery[];
}

/** Makes a function that drops a piece of an account's oldest entries. */
export function createEntryDropper(query: Kysely<Tables>) {
  const carry = preparedInsert(query, 'ledger_carried_forward', (insert) =>
    insert.onConflict((conflict) =>
      conflict.columns([...CARRIED_KEY]).doUpdateSet({
        amount_nano_usd: sql.raw('ledger_carried_forward.amount_nano_usd + excluded.amount_nano_usd'),
      }),
    ),
  );
  return async (db: Kysely<Tables>, accountId: string, before: number): Promise<Dropped> => {
    for (const kind of ENTRY_KINDS) {
      const dropped = await dropOldest(db, accountId, kind, before);
      if (dropped.length > 0) return { rows: dropped.length, writes: carry(summed(dropped)) };
    }
    return { rows: 0, writes: [] };
  };
}

async function dropOldest(
  db: Kysely<Tables>,
  accountId: string,
  kind: EntryKind,
  before: number,
): Promise<Carried[]> {
  const oldest = db
    .selectFrom('ledger_entry')
    .select('id')
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('created_at', '<', before)
    .orderBy('created_at')
    .limit(PIECE_ROWS);
  const rows = await db
    .deleteFrom('ledger_entry')
    .where('id', 'in', oldest)
    .returning(['workspace_id', 'api_key_hash', 'user_id', 'amount_nano_usd'])
    .execute();
  return rows.map(({ workspace_id, api_key_hash, user_id, amount_nano_usd }) => ({
    account_id: accountId,
    workspace_id,
    api_key_hash: api_key_hash ?? '',
    user_id: user_id ?? '',
    kind,
    amount_nano_usd,
  }));
}

/** One row of each key: an insert can't update a row twice. */
function summed(rows: readonly Carried[]): Carried[] {
  const byKey = new Map<string, Carried>();
  for (const row of rows) {
    const key = CARRIED_KEY.map((name) => row[name]).join('\n');
    const amount = (byKey.get(key)?.amount_nano_usd ?? 0n) + row.amount_nano_usd;
    byKey.set(key, { ...row, amount_nano_usd: amount });
  }
  return [...byKey.values()];
}
