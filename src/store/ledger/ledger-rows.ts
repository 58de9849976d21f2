import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Balance, BalanceDelta, Reserve, WindowSpend } from '../../ledger/balance/balance.js';
import type { Payer } from '../../ledger/payer.js';
import { preparedLookup } from '../query/prepared.js';
import type { ReservationTable, SpendTotalTable, Tables } from '../schema/schema.js';

export function balanceOf(row: Selectable<SpendTotalTable>): Balance {
  return {
    subject: row.subject,
    topUpNanoUsd: row.top_up_nano_usd,
    total: { creditNanoUsd: row.credit_nano_usd, byokNanoUsd: row.byok_nano_usd },
    windows: {
      daily: windowOf(row.daily_start, row.daily_credit_nano_usd, row.daily_byok_nano_usd),
      weekly: windowOf(row.weekly_start, row.weekly_credit_nano_usd, row.weekly_byok_nano_usd),
      monthly: windowOf(row.monthly_start, row.monthly_credit_nano_usd, row.monthly_byok_nano_usd),
    },
    previous: {
      daily: windowOf(
        row.previous_daily_start,
        row.previous_daily_credit_nano_usd,
        row.previous_daily_byok_nano_usd,
      ),
      weekly: windowOf(
        row.previous_weekly_start,
        row.previous_weekly_credit_nano_usd,
        row.previous_weekly_byok_nano_usd,
      ),
      monthly: windowOf(
        row.previous_monthly_start,
        row.previous_monthly_credit_nano_usd,
        row.previous_monthly_byok_nano_usd,
      ),
    },
    reserved: {
      creditNanoUsd: row.reserved_credit_nano_usd,
      byokNanoUsd: row.reserved_byok_nano_usd,
      sumNanoUsd: row.reserved_sum_nano_usd,
    },
  };
}

function windowOf(start: number, creditNanoUsd: bigint, byokNanoUsd: bigint): WindowSpend {
  return { start, creditNanoUsd, byokNanoUsd };
}

/**
 * The row of a delta without its previous windows. Always the same members in the same order, as `preparedInsert`
 * requires.
 */
export function totalRow(
  subject: string,
  { topUpNanoUsd, total, windows, reserved }: Omit<BalanceDelta, 'previous'>,
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

/** All that a balance is, its previous windows too. */
export function wholeTotalRow(balance: Balance): Insertable<SpendTotalTable> {
  const { daily, weekly, monthly } = balance.previous;
  return {
    ...totalRow(balance.subject, balance),
    previous_daily_start: daily.start,
    previous_daily_credit_nano_usd: daily.creditNanoUsd,
    previous_daily_byok_nano_usd: daily.byokNanoUsd,
    previous_weekly_start: weekly.start,
    previous_weekly_credit_nano_usd: weekly.creditNanoUsd,
    previous_weekly_byok_nano_usd: weekly.byokNanoUsd,
    previous_monthly_start: monthly.start,
    previous_monthly_credit_nano_usd: monthly.creditNanoUsd,
    previous_monthly_byok_nano_usd: monthly.byokNanoUsd,
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
      runId: row.run_id,
      endUser: row.end_user,
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
