import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Balance, BalanceDelta, Reserve } from '../../ledger/balance.js';
import type { Payer } from '../../ledger/payer.js';
import { preparedLookup } from '../engine/prepared.js';
import type { ReservationTable, SpendTotalTable, Tables } from '../schema.js';

export function balanceOf(row: Selectable<SpendTotalTable>): Balance {
  return {
    subject: row.subject,
    topUpNanoUsd: row.top_up_nano_usd,
    total: { creditNanoUsd: row.credit_nano_usd, byokNanoUsd: row.byok_nano_usd },
    windows: {
      daily: {
        start: row.daily_start,
        creditNanoUsd: row.daily_credit_nano_usd,
        byokNanoUsd: row.daily_byok_nano_usd,
      },
      weekly: {
        start: row.weekly_start,
        creditNanoUsd: row.weekly_credit_nano_usd,
        byokNanoUsd: row.weekly_byok_nano_usd,
      },
      monthly: {
        start: row.monthly_start,
        creditNanoUsd: row.monthly_credit_nano_usd,
        byokNanoUsd: row.monthly_byok_nano_usd,
      },
    },
    reserved: {
      creditNanoUsd: row.reserved_credit_nano_usd,
      byokNanoUsd: row.reserved_byok_nano_usd,
      sumNanoUsd: row.reserved_sum_nano_usd,
    },
  };
}

/** Always the same members in the same order, as `preparedInsert` requires. */
export function totalRow(
  subject: string,
  { topUpNanoUsd, total, windows, reserved }: BalanceDelta,
): Insertable<SpendTotalTable> {
  const { daily, weekly, monthly } = windows;
  return {
    subject,
    top_up_nano_usd: topUpNanoUsd,
    credit_nano_usd: total.creditNanoUsd,
    byok_nano_usd: total.byokNanoUsd,
    daily_start: daily.start,
    daily_credit_nano_usd: daily.creditNanoUsd,
    daily_byok_nano_usd: daily.byokNanoUsd,
    weekly_start: weekly.start,
    weekly_credit_nano_usd: weekly.creditNanoUsd,
    weekly_byok_nano_usd: weekly.byokNanoUsd,
    monthly_start: monthly.start,
    monthly_credit_nano_usd: monthly.creditNanoUsd,
    monthly_byok_nano_usd: monthly.byokNanoUsd,
    reserved_credit_nano_usd: reserved.creditNanoUsd,
    reserved_byok_nano_usd: reserved.byokNanoUsd,
    reserved_sum_nano_usd: reserved.sumNanoUsd,
  };
}

export function reservationOf(row: Selectable<ReservationTable>): {
  readonly payer: Payer;
  readonly reserve: Reserve;
} {
  return {
    payer: {
      accountId: row.account_id,
      workspaceId: row.workspace_id,
      apiKeyHash: row.api_key_hash,
      userId: row.user_id,
    },
    reserve: {
      creditNanoUsd: row.credit_nano_usd,
      byokNanoUsd: row.byok_nano_usd,
      sumNanoUsd: row.sum_nano_usd,
    },
  };
}

/** Subjects without a row are left out of the result. */
export function createBalanceReader(): (
  db: Kysely<Tables>,
  subjects: readonly string[],
) => Promise<Balance[]> {
  const lookUp = preparedLookup((db, subjects) =>
    db.selectFrom('spend_total').selectAll().where('subject', 'in', subjects).compile(),
  );
  return async (db, subjects) => (await lookUp(db, subjects)).map(balanceOf);
}
