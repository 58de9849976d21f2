import type { Selectable } from 'kysely';
import { admissionConditions, admit, type SpendRequest } from '../spend/admission.js';
import { type Reserve, release, reservation } from '../spend/balance.js';
import type { SpendBook } from '../spend/book.js';
import { type Payer, subjects, subjectsOf } from '../spend/payer.js';
import type { Bookkeeping } from './books.js';
import type { Database } from './database.js';
import type { Books } from './open-books.js';
import { preparedInsert, preparedList, preparedStatement } from './prepared.js';
import type { ReservationTable } from './schema.js';
import { reservationOf } from './spend-rows.js';

/** The book of spending in the database. */
export function spendBook(database: Database, keepBooks: Bookkeeping): SpendBook {
  const keepBack = reservationMaker(database);
  const grow = growth(database);
  const endReservation = reservationEnder(database);
  return {
    reserve: (id, request, expiresAt) =>
      keepBooks({ at: request.at, ...needsOf(request, null) }, async (books) => {
        const admission = admit(request, books.of);
        if (admission.kind === 'admitted') {
          books.relyOn(admissionConditions(request, books.of));
          const kept = { id, payer: request.payer, holder: database.holder, expiresAt };
          keepBack(books, kept, admission.reserve);
        } else books.relyOnAll();
        return admission;
      }),

    extend: (id, request) =>
      keepBooks(needsOf(request, id), async (books) => {
        const admission = admit(request, books.of);
        if (admission.kind !== 'admitted') return false;
        const row = books.reservation(id);
        // One that was swept meanwhile is settled without a reservation.
        if (row === null) return true;
        books.move(subjectsOf(request.payer), reservation(admission.reserve));
        const grown = {
          ...row,
          credit_nano_usd: row.credit_nano_usd + admission.reserve.creditNanoUsd,
          byok_nano_usd: row.byok_nano_usd + admission.reserve.byokNanoUsd,
          sum_nano_usd: row.sum_nano_usd + admission.reserve.sumNanoUsd,
        };
        books.changeReservation(id, grown);
        books.write(grow(grown));
        return true;
      }),

    async sweep(now) {
      const rows = await database.query.selectFrom('reservation').selectAll().execute();
      const holders = new Set(rows.map(({ holder }) => holder));
      holders.delete(LASTING);
      const departed = await database.departed([...holders]);
      const over = rows.filter((row) => row.expires_at <= now || departed.has(row.holder));
      const results = await Promise.all(
        over.map((row) => {
          const { payer } = reservationOf(row);
          const need = { accountId: payer.accountId, subjects: [], reservationId: row.id };
          return keepBooks(need, async (books) => endReservation(books, row.id));
        }),
      );
      return results.filter((isEnded) => isEnded).length;
    },
  };
}

/** The holder of reservations that outlive the process which made them. */
export const LASTING = 'lasting';

/** A reservation but for its amounts. */
interface NewReservation {
  readonly id: string;
  readonly payer: Payer;
  readonly holder: string;
  readonly expiresAt: number;
}

/** Makes reservations that were admitted, each of a payer whose balances are open. */
export function reservationMaker({ query }: Database) {
  const insert = preparedInsert(query, 'reservation');
  const find = preparedStatement(query, (db, { id }: { readonly id: string }) =>
    db.selectFrom('reservation').select('id').where('id', '=', id).compile(),
  );
  return (books: Books, { id, payer, holder, expiresAt }: NewReservation, reserve: Reserve): void => {
    books.move(subjectsOf(payer), reservation(reserve));
    const row = reservationRow(id, payer, reserve, holder, expiresAt);
    books.changeReservation(id, row);
    books.addOnce(insert, row, () => find({ id }));
  };
}

/** Ends reservations that are open in the books; false when there is none (any more). */
export function reservationEnder({ query }: Database) {
  const removeAll = preparedList(
    (db, ids: readonly string[]) => db.deleteFrom('reservation').where('id', 'in', ids).compile(),
    (id) => [id],
  );
  const remove = (ids: readonly string[]) => [removeAll(query, ids)];
  return (books: Books, id: string): boolean => {
    const row = books.reservation(id);
    if (row === null) return false;
    const { payer, reserve } = reservationOf(row);
    books.move(subjectsOf(payer), release(reserve));
    books.changeReservation(id, null);
    books.remove(remove, id);
    return true;
  };
}

function growth({ query }: Database) {
  return preparedStatement(query, (db, row: Selectable<ReservationTable>) =>
    db
      .updateTable('reservation')
      .set({
        credit_nano_usd: row.credit_nano_usd,
        byok_nano_usd: row.byok_nano_usd,
        sum_nano_usd: row.sum_nano_usd,
      })
      .where('id', '=', row.id)
      .compile(),
  );
}

/** What deciding on a request to spend needs of the books. */
export function needsOf({ payer, limits }: SpendRequest, reservationId: string | null) {
  const { accountId } = payer;
  const names = [subjects.account(accountId), ...limits.map(({ subject }) => subject)];
  return { accountId, subjects: names, reservationId };
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
