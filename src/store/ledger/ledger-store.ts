import type { Selectable } from 'kysely';
import { admissionPreconditions, admit, type SpendRequest } from '../../ledger/admission.js';
import {
  NO_RESERVE,
  type Reserve,
  raiseTo,
  release,
  reservation,
  withoutReserved,
} from '../../ledger/balance/balance.js';
import type { Ledger } from '../../ledger/ledger.js';
import { type Payer, subjects, subjectsOf } from '../../ledger/payer.js';
import type { Database } from '../database/database.js';
import { DatabaseUnusable } from '../engine/unavailable.js';
import { preparedInsert, preparedList, preparedStatement } from '../query/prepared.js';
import type { ReservationTable } from '../schema/schema.js';
import type { LedgerMemory } from './ledger-memory.js';
import { reservationOf } from './ledger-rows.js';
import type { RunInLedger } from './ledger-runner.js';
import type { LedgerTransaction, ReservationRow } from './ledger-transaction.js';
import { createMemoryLedger } from './memory-ledger.js';

export function createLedger(
  database: Database,
  runInLedger: RunInLedger,
  memory: LedgerMemory | null,
): Ledger {
  const sweep = createSweep(database, runInLedger);
  return memory === null
    ? { ...createStoredLedger(database, runInLedger), sweep }
    : createMemoryLedger(memory, sweep);
}

/** Reservations are rows, which all processes see. */
function createStoredLedger(database: Database, runInLedger: RunInLedger): Omit<Ledger, 'sweep'> {
  const reserve = createReservationMaker(database);
  const updateAmounts = amountsUpdate(database);
  const grow = (tx: LedgerTransaction, row: ReservationRow, payer: Payer, by: Reserve) => {
    tx.addDelta(subjectsOf(payer), reservation(by));
    const grown = {
      ...row,
      credit_nano_usd: row.credit_nano_usd + by.creditNanoUsd,
      byok_nano_usd: row.byok_nano_usd + by.byokNanoUsd,
      sum_nano_usd: row.sum_nano_usd + by.sumNanoUsd,
    };
    tx.changeReservation(row.id, grown);
    tx.write(updateAmounts(grown));
  };
  return {
    reserve: (id, request, expiresAt) =>
      runInLedger({ at: request.at, ...needsOf(request, null) }, async (tx) => {
        const admission = admit(request, tx.balance);
        if (admission.kind === 'admitted') {
          tx.assume(admissionPreconditions(request, tx.balance));
          const { payer } = request;
          reserve(tx, { id, payer, holder: database.leaseId, expiresAt }, admission.reserve);
        } else tx.requireCurrent();
        return admission;
      }),

    extend: (id, request) =>
      runInLedger(needsOf(request, id), async (tx) => {
        const admission = admit(request, tx.balance);
        if (admission.kind !== 'admitted') return false;
        const row = tx.reservation(id);
        // The sweep has ended it; the request is settled without a reservation.
        if (row === null) return true;
        grow(tx, row, request.payer, admission.reserve);
        return true;
      }),

    raise: (id, request) =>
      runInLedger(needsOf(request, id), async (tx) => {
        const row = tx.reservation(id);
        const reserved = row === null ? NO_RESERVE : reservationOf(row).reserve;
        const admission = admit(request, (subject) => withoutReserved(tx.balance(subject), reserved));
        if (row !== null && admission.kind === 'admitted')
          grow(tx, row, request.payer, raiseTo(reserved, admission.reserve));
        return admission;
      }),
  };
}

/** On SQLite the process that has the ledger sweeps. */
function createSweep(database: Database, runInLedger: RunInLedger): Ledger['sweep'] {
  const endReservation = createReservationEnder(database);
  return async (now) => {
    const rows = await database.query.selectFrom('reservation').selectAll().execute();
    const leaseIds = new Set(rows.map(({ holder }) => holder));
    leaseIds.delete(LASTING);
    const lostLeases = await database.lostLeases([...leaseIds]);
    // What a process that lives holds is ended by its own clock.
    const ownHolders = new Set([LASTING, database.leaseId]);
    const over = rows.filter(
      ({ holder, expires_at }) => lostLeases.has(holder) || (ownHolders.has(holder) && expires_at <= now),
    );
    if (over.length === 0 || !mayClaim(database)) return 0;
    const results = await Promise.all(
      over.map((row) => {
        const { payer } = reservationOf(row);
        const need = { accountId: payer.accountId, subjects: [], reservationId: row.id };
        return runInLedger(need, async (tx) => endReservation(tx, row.id));
      }),
    );
    return results.filter((isEnded) => isEnded).length;
  };
}

/** Whether no other process has the ledger. */
export function mayClaim({ exclusive }: Database): boolean {
  try {
    exclusive?.claim();
    return true;
  } catch (error) {
    if (error instanceof DatabaseUnusable) return false;
    throw error;
  }
}

/** In place of a lease: the reservation outlives the process that made it. */
export const LASTING = 'lasting';

/** A reservation without its amounts. */
interface NewReservation {
  readonly id: string;
  readonly payer: Payer;
  /** A lease id, or `LASTING`. */
  readonly holder: string;
  readonly expiresAt: number;
}

/** Writes reservations that were admitted. */
export function createReservationMaker({ query }: Database) {
  const insert = preparedInsert(query, 'reservation');
  const find = preparedStatement(query, (db, { id }: { readonly id: string }) =>
    db.selectFrom('reservation').select('id').where('id', '=', id).compile(),
  );
  return (
    tx: LedgerTransaction,
    { id, payer, holder, expiresAt }: NewReservation,
    reserve: Reserve,
  ): void => {
    tx.addDelta(subjectsOf(payer), reservation(reserve));
    const row = reservationRow(id, payer, reserve, holder, expiresAt);
    tx.changeReservation(id, row);
    tx.addOnce(insert, row, () => find({ id }));
  };
}

/** Ends reservations; false when there is none (any more). */
export function createReservationEnder({ query }: Database) {
  const removeAll = preparedList(
    (db, ids: readonly string[]) => db.deleteFrom('reservation').where('id', 'in', ids).compile(),
    (id) => [id],
  );
  const remove = (ids: readonly string[]) => [removeAll(query, ids)];
  return (tx: LedgerTransaction, id: string): boolean => {
    if (tx.endHeld(id)) return true;
    const row = tx.reservation(id);
    if (row === null) return false;
    const { payer, reserve } = reservationOf(row);
    tx.addDelta(subjectsOf(payer), release(reserve));
    tx.changeReservation(id, null);
    tx.remove(remove, id);
    return true;
  };
}

function amountsUpdate({ query }: Database) {
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

/** What `admit` reads of the ledger. */
export function needsOf(
  { payer, limits }: Pick<SpendRequest, 'payer' | 'limits'>,
  reservationId: string | null,
) {
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
    run_id: payer.runId,
    end_user: payer.endUser,
  };
}
