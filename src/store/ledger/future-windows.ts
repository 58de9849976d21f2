/** Brings back what was charged under a clock that was ahead. See `docs/money.md#windows`. */
import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import { type Balance, emptyBalance } from '../../ledger/balance.js';
import { INTERVALS, latestInstant, windowEnd, windowStart } from '../../ledger/windows.js';
import type { Database } from '../database.js';
import type { Tables } from '../schema.js';
import { ENTRY_KINDS } from './ledger-kinds.js';
import { balanceOf, wholeTotalRow } from './ledger-rows.js';
import { ledgerTotals, wholeLedger } from './totals.js';

/**
 * Dates entries of the ledger that lie in the future at `now` (Unix milliseconds) a minute ahead of it, and rebuilds the
 * windows of the totals that have any such window, so that they count in the current windows and reset with them.
 * Resolves to the balances that have changed, usually none. `onLocked` is called before it decides.
 */
export async function bringBackFutureWindows(
  database: Database,
  now: number,
  onLocked: () => void = () => {},
): Promise<readonly Balance[]> {
  const latest = latestInstant(now);
  const future = totalsAfter(database.query, latest).select('subject').limit(1);
  if ((await future.executeTakeFirst()) === undefined) return [];
  return database.transactWithLocks(await accountsWithTotals(database), async (db) => {
    onLocked();
    const balances = (await totalsAfter(db, latest).selectAll().execute()).map(balanceOf);
    const accounts = await accountsChargedAfter(db, latest);
    await dateEntries(db, accounts, latest);
    const rebuilt = await ledgerTotals(db, (all) => wholeLedger(all, accounts));
    const changed = balances.map((balance) => {
      const { windows, previous } = rebuilt.get(balance.subject) ?? emptyBalance(balance.subject);
      return { ...balance, windows, previous };
    });
    for (const balance of changed) {
      const { subject, ...columns } = wholeTotalRow(balance);
      await db.updateTable('spend_total').set(columns).where('subject', '=', subject).execute();
    }
    return { result: changed, writes: [] };
  });
}

/** The totals with a window that begins after that of the instant. */
function totalsAfter(db: Kysely<Tables>, instant: number) {
  const isAfter = (eb: ExpressionBuilder<Tables, 'spend_total'>) =>
    eb.or(
      INTERVALS.flatMap((interval) => [
        eb(`${interval}_start`, '>', windowStart(interval, instant)),
        eb(`previous_${interval}_start`, '>', windowStart(interval, instant)),
      ]),
    );
  return db.selectFrom('spend_total').where(isAfter);
}

/** The subject of an account is the name of its lock. */
async function accountsWithTotals({ query }: Database): Promise<readonly string[]> {
  const rows = await query.selectFrom('spend_total').select('subject').where(isAccount).execute();
  return rows.map(({ subject }) => subject);
}

async function accountsChargedAfter(db: Kysely<Tables>, instant: number): Promise<readonly string[]> {
  const rows = await totalsAfter(db, instant).select('subject').where(isAccount).execute();
  return rows.map(({ subject }) => subject.slice(ACCOUNT.length));
}

const ACCOUNT = 'account/';

function isAccount({ eb }: ExpressionBuilder<Tables, 'spend_total'>) {
  return eb('subject', 'like', `${ACCOUNT}%`);
}

async function dateEntries(db: Kysely<Tables>, accounts: readonly string[], latest: number): Promise<void> {
  for (const accountId of accounts) {
    await db
      .updateTable('ledger_entry')
      .set({ created_at: sql.val(latest) })
      .where('account_id', '=', accountId)
      .where('kind', 'in', ENTRY_KINDS)
      .where('created_at', '>=', windowEnd('daily', latest))
      .execute();
  }
}
