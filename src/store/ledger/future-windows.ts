/** Brings back what was charged under a clock that was ahead. See `docs/money.md#windows`. */
import type { ExpressionBuilder, Kysely } from 'kysely';
import { type Balance, emptyBalance } from '../../ledger/balance/balance.js';
import { INTERVALS, latestInstant, windowEnd, windowStart } from '../../ledger/balance/windows.js';
import { subjects } from '../../ledger/payer.js';
import type { Database } from '../database/database.js';
import { ENTRY_KINDS } from '../schema/ledger-kinds.js';
import type { Tables } from '../schema/schema.js';
import { accountLock } from './account-lock.js';
import type { LedgerCache } from './balance-cache.js';
import { balanceOf, wholeTotalRow } from './ledger-rows.js';
import { ledgerTotals, wholeLedger } from './totals.js';

/** Subjects of an account that are looked for in one statement. */
const SUBJECTS_AT_ONCE = 500;

/** What is told of the balances that change. */
type BalanceCacheControl = Pick<LedgerCache, 'pause' | 'setBalances'>;

/** For a start, when nothing is cached yet. */
const NO_CACHE: BalanceCacheControl = { pause: () => () => {}, setBalances: () => {} };

/**
 * Dates entries of the ledger that lie in the future at `now` (Unix milliseconds) a minute ahead of it, and rebuilds the
 * windows of the totals that have any such window, so that they count in the current windows and reset with them. Account
 * by account: what is done stays done when it fails. Resolves to the balances that have changed, mostly none.
 */
export async function bringBackFutureWindows(
  database: Database,
  now: number,
  cache: BalanceCacheControl = NO_CACHE,
): Promise<readonly Balance[]> {
  const latest = latestInstant(now);
  const changed: Balance[] = [];
  for (const accountId of await accountsChargedAfter(database.query, latest)) {
    changed.push(...(await bringBackAccount(database, accountId, { latest, cache })));
  }
  return changed;
}

async function bringBackAccount(
  database: Database,
  accountId: string,
  { latest, cache }: { readonly latest: number; readonly cache: BalanceCacheControl },
): Promise<readonly Balance[]> {
  let resume = () => {};
  try {
    const changed = await database.transactWithLocks([accountLock(accountId)], async (db) => {
      resume = cache.pause();
      await dateEntries(db, accountId, latest);
      const rebuilt = await ledgerTotals(db, (all) => wholeLedger(all, accountId));
      const own = new Set([subjects.account(accountId), subjects.unbilled(accountId), ...rebuilt.keys()]);
      const ahead = await balancesAfter(db, latest, [...own]);
      const balances = ahead.map((balance) => {
        const { windows, previous } = rebuilt.get(balance.subject) ?? emptyBalance(balance.subject);
        return { ...balance, windows, previous };
      });
      for (const balance of balances) {
        const { subject, ...columns } = wholeTotalRow(balance);
        await db.updateTable('spend_total').set(columns).where('subject', '=', subject).execute();
      }
      return { result: balances, writes: [] };
    });
    cache.setBalances(changed);
    return changed;
  } finally {
    resume();
  }
}

/** The balances of those of these subjects that have a window beginning after that of the instant. */
async function balancesAfter(
  db: Kysely<Tables>,
  instant: number,
  all: readonly string[],
): Promise<readonly Balance[]> {
  const balances: Balance[] = [];
  for (let index = 0; index < all.length; index += SUBJECTS_AT_ONCE) {
    const some = all.slice(index, index + SUBJECTS_AT_ONCE);
    const rows = await totalsAfter(db, instant).selectAll().where('subject', 'in', some).execute();
    balances.push(...rows.map(balanceOf));
  }
  return balances;
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

async function accountsChargedAfter(db: Kysely<Tables>, instant: number): Promise<readonly string[]> {
  const rows = await totalsAfter(db, instant)
    .select('subject')
    .where((eb) => eb.or(OF_ACCOUNTS.map((prefix) => eb('subject', 'like', `${prefix}%`))))
    .execute();
  return [...new Set(rows.map(({ subject }) => subject.slice(subject.indexOf('/') + 1)))];
}

/** Every charge counts for one of these. */
const OF_ACCOUNTS = [subjects.account(''), subjects.unbilled('')];

async function dateEntries(db: Kysely<Tables>, accountId: string, latest: number): Promise<void> {
  await db
    .updateTable('ledger_entry')
    .set({ created_at: latest })
    .where('account_id', '=', accountId)
    .where('kind', 'in', ENTRY_KINDS)
    .where('created_at', '>=', windowEnd('daily', latest))
    .execute();
}
