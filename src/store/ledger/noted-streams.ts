import type { CompiledQuery, Kysely } from 'kysely';
import { preparedList } from '../query/prepared.js';
import type { Tables } from '../schema/schema.js';
import type { LedgerTransaction } from './ledger-transaction.js';

/** The streams of this process that the journal may have a row of, so that others are settled without looking there. */
export class NotedStreams {
  readonly #ids = new Set<string>();
  readonly #remove: (ids: readonly string[]) => readonly CompiledQuery[];

  constructor(query: Kysely<Tables>) {
    const removeAll = preparedList(
      (db, ids: readonly string[]) =>
        db.deleteFrom('stream_journal').where('generation_id', 'in', ids).compile(),
      (id) => [id],
    );
    this.#remove = (ids) => [removeAll(query, ids)];
  }

  add(generationId: string): void {
    this.#ids.add(generationId);
  }

  has(generationId: string): boolean {
    return this.#ids.has(generationId);
  }

  /** To be called when the request is settled. */
  forget(generationId: string): void {
    this.#ids.delete(generationId);
  }

  /** Drops the row of a stream with the transaction. */
  dropWith(tx: LedgerTransaction, generationId: string): void {
    tx.remove(this.#remove, generationId);
  }
}
