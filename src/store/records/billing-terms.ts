import type { Insertable, Kysely } from 'kysely';
import { DAY_MS } from '../../base/clock.js';
import type { Terms } from '../../ledger/settlement.js';
import type { LedgerTransaction } from '../ledger/ledger-transaction.js';
import { preparedInsert } from '../query/prepared.js';
import { sumByKey } from '../query/sum-by-key.js';
import type { Tables } from '../schema/schema.js';
import type { BillingTermsTable } from '../schema/usage-schema.js';

type TermsRow = Insertable<BillingTermsTable>;

/** Writes terms in the transaction of the first record of a UTC day that refers to them; later ones cost a look-up in memory. */
export class TermsWriter {
  /** The newest day for which the terms are stored, by id. */
  readonly #storedFor = new Map<number, number>();
  readonly #upsert: (rows: readonly TermsRow[]) => ReturnType<ReturnType<typeof preparedInsert>>;

  constructor(query: Kysely<Tables>) {
    const upsert = preparedInsert(query, 'billing_terms', (insert) =>
      insert.onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet((eb) => ({ used_on: eb.ref('excluded.used_on') }))
          .whereRef('billing_terms.used_on', '<', 'excluded.used_on'),
      ),
    );
    this.#upsert = (rows) => upsert(oncePerId(rows));
  }

  /** To be called with the record of a request that began at `at`. */
  addWith(tx: LedgerTransaction, { id, json }: Terms, at: number): void {
    const day = Math.floor(at / DAY_MS);
    const stored = this.#storedFor.get(id);
    if (stored !== undefined && stored >= day) return;
    tx.add(this.#upsert, { id, content_json: json, used_on: day });
    tx.whenCommitted(() => {
      if (this.#storedFor.size === MAX_REMEMBERED) this.#storedFor.clear();
      this.#storedFor.set(id, Math.max(day, this.#storedFor.get(id) ?? day));
    });
  }
}

/** More than the prices of a large catalogue, under all that applies to them in a day. */
const MAX_REMEMBERED = 20_000;

/** In one order, so that two transactions don't wait for each other. */
function oncePerId(rows: readonly TermsRow[]): readonly TermsRow[] {
  return sumByKey(rows, ({ id }) => String(id), keepNewest).toSorted((a, b) => a.id - b.id);
}

function keepNewest(kept: TermsRow, { used_on }: TermsRow): void {
  kept.used_on = Math.max(kept.used_on, used_on);
}
