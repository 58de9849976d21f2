import type { Transaction } from 'kysely';
import { admit, type SpendRequest } from '../spend/admission.js';
import { type Reserve, released, reserved } from '../spend/balance.js';
import type { SpendBook } from '../spend/book.js';
import { type Payer, subjects, subjectsOf } from '../spend/payer.js';
import type { Bookkeeping, Books } from './books.js';
import type { Database } from './database.js';
import type { Holder } from './holder.js';
import { preparedInsert, preparedUpdate } from './prepared.js';
import type { Tables } from './schema.js';
import { reservationOf } from './spend-rows.js';

/** The book of spending in the database. */
export function spendBook(database: Database, keepBooks: Bookkeeping, holder: Holder): SpendBook {
  const insert = preparedInsert('reservation');
  const endReservation = reservationEnder(database);
  return {
    reserve: (id, request, expiresAt) =>
      keepBooks(needsOf(request), async (books, tx) => {
        const admission = admit(request, books.of);
        if (admission.kind !== 'admitted') return admission;
        const { payer } = request;
        books.change(subjectsOf(payer), (balance) => reserved(balance, admission.reserve));
        await insert(tx, reservationRow(id, payer, admission.reserve, holder.id, expiresAt));
        return admission;
      }),

    extend: (id, request) =>
      keepBooks(needsOf(request), async (books, tx) => {
        const admission = admit(request, books.of);
        if (admission.kind !== 'admitted') return false;
        const { creditNanoUsd, byokNanoUsd, sumNanoUsd } = admission.reserve;
        const { numUpdatedRows } = await tx
          .updateTable('reservation')
          .set((eb) => ({
            credit_nano_usd: eb('credit_nano_usd', '+', creditNanoUsd),
            byok_nano_usd: eb('byok_nano_usd', '+', byokNanoUsd),
            sum_nano_usd: eb('sum_nano_usd', '+', sumNanoUsd),
          }))
          .where('id', '=', id)
          .executeTakeFirst();
        // One that was swept meanwhile is settled without a reservation.
        if (numUpdatedRows > 0n) {
          books.change(subjectsOf(request.payer), (balance) => reserved(balance, admission.reserve));
        }
        return true;
      }),

    async sweep(now) {
      const over = await database.query
        .selectFrom('reservation')
        .select(['id', 'account_id', 'workspace_id', 'api_key_hash', 'user_id', 'holder', 'expires_at'])
        .execute();
      const ended = over.filter((row) => row.expires_at <= now || !holder.isAlive(row.holder));
      const results = await Promise.all(
        ended.map((row) => {
          const payer = {
            ...{ accountId: row.account_id, workspaceId: row.workspace_id },
            ...{ apiKeyHash: row.api_key_hash, userId: row.user_id },
          };
          return keepBooks(subjectsOf(payer), (books, tx) => endReservation(books, tx, row.id));
        }),
      );
      return results.filter((isEnded) => isEnded).length;
    },
  };
}

/** Ends reservations, each of a payer whose balances are open; resolves with false when there is none (any more). */
export function reservationEnder({ query }: Database) {
  const remove = preparedUpdate(query, (db, { id }: { readonly id: string }) =>
    db.deleteFrom('reservation').where('id', '=', id).returningAll().compile(),
  );
  return async (books: Books, tx: Transaction<Tables>, id: string): Promise<boolean> => {
    const [row] = await remove({ id }, tx);
    if (row === undefined) return false;
    const { payer, reserve } = reservationOf(row);
    books.change(subjectsOf(payer), (balance) => released(balance, reserve));
    return true;
  };
}

function needsOf({ payer, limits }: SpendRequest): readonly string[] {
  return [...subjectsOf(payer), ...limits.map(({ subject }) => subject), subjects.account(payer.accountId)];
}

function reservationRow(id: string, payer: Payer, reserve: Reserve, holder: string, expiresAt: number) {
  return {
    id,
    account_id: payer.accountId,
    workspace_id: payer.workspaceId,
    api_key_hash: payer.apiKeyHash,
    user_id: payer.userId,
    credit_nano_usd: reserve.creditNanoUsd,
    byok_nano_usd: reserve.byokNanoUsd,
    sum_nano_usd: reserve.sumNanoUsd,
    holder,
    expires_at: expiresAt,
  };
}
