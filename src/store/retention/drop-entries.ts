import { type CompiledQuery, type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import { subjects } from '../../ledger/payer.js';
import type { EntryKind } from '../../ledger/settlement.js';
import { preparedInsert } from '../query/prepared.js';
import { keyText, sumByKey } from '../query/sum-by-key.js';
import { ENTRY_KINDS, type LedgerEntryTable } from '../schema/ledger-kinds.js';
import type {
  AttributionCarriedForwardTable,
  LedgerCarriedForwardTable,
} from '../schema/retention-schema.js';
import type { Tables } from '../schema/schema.js';

/** Deleting and summing them blocks SQLite's event loop for some 5 ms. */
const PIECE_ROWS = 200;

const CARRIED_KEY = ['account_id', 'workspace_id', 'api_key_hash', 'user_id', 'kind'] as const;

const ATTRIBUTION_KEY = ['account_id', 'subject', 'kind'] as const;

type Entry = Selectable<LedgerEntryTable>;
type Carried = Insertable<LedgerCarriedForwardTable>;
type AttributionCarried = Insertable<AttributionCarriedForwardTable>;

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
  const carryAttribution = preparedInsert(query, 'attribution_carried_forward', (insert) =>
    insert.onConflict((conflict) =>
      conflict.columns([...ATTRIBUTION_KEY]).doUpdateSet({
        amount_nano_usd: sql.raw('attribution_carried_forward.amount_nano_usd + excluded.amount_nano_usd'),
      }),
    ),
  );
  return async (db: Kysely<Tables>, accountId: string, before: number): Promise<Dropped> => {
    for (const kind of ENTRY_KINDS) {
      const dropped = await dropOldest(db, accountId, kind, before);
      if (dropped.length === 0) continue;
      const [carried, attributed] = [dropped.map(carriedOf), dropped.flatMap(attributionsOf)];
      return {
        rows: dropped.length,
        writes: [
          ...carry(sumByKey(carried, keyText(CARRIED_KEY), addAmount)),
          ...carryAttribution(sumByKey(attributed, keyText(ATTRIBUTION_KEY), addAmount)),
        ],
      };
    }
    return { rows: 0, writes: [] };
  };
}

async function dropOldest(
  db: Kysely<Tables>,
  accountId: string,
  kind: EntryKind,
  before: number,
): Promise<Entry[]> {
  const oldest = db
    .selectFrom('ledger_entry')
    .select('id')
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('created_at', '<', before)
    .orderBy('created_at')
    .limit(PIECE_ROWS);
  return db.deleteFrom('ledger_entry').where('id', 'in', oldest).returningAll().execute();
}

function carriedOf({
  account_id,
  workspace_id,
  api_key_hash,
  user_id,
  kind,
  amount_nano_usd,
}: Entry): Carried {
  return {
    account_id,
    workspace_id,
    api_key_hash: api_key_hash ?? '',
    user_id: user_id ?? '',
    kind,
    amount_nano_usd,
  };
}

function attributionsOf({ account_id, api_key_hash, run_id, end_user, kind, amount_nano_usd }: Entry) {
  const carried: AttributionCarried[] = [];
  const add = (subject: string) => carried.push({ account_id, subject, kind, amount_nano_usd });
  if (run_id !== null) add(subjects.run(run_id));
  if (end_user !== null && api_key_hash !== null) add(subjects.endUser(api_key_hash, end_user));
  return carried;
}

function addAmount(sum: { amount_nano_usd: bigint }, row: { readonly amount_nano_usd: bigint }): void {
  sum.amount_nano_usd += row.amount_nano_usd;
}
