/** Running totals must equal the sums of the ledger and of the open reservations. */

import { type Insertable, type Kysely, sql } from 'kysely';
import { DAY_MS } from '../../base/clock.js';
import type { NanoUsd } from '../../base/money.js';
import {
  applyDelta,
  type Balance,
  type BalanceDelta,
  charge,
  differences,
  emptyBalance,
  pastCharge,
  reservation,
  type Spend,
  topUpDelta,
} from '../../ledger/balance/balance.js';
import { subjects, subjectsOf, unbilledSubjectsOf } from '../../ledger/payer.js';
import type { EntryKind } from '../../ledger/settlement.js';
import type { Database } from '../database/database.js';
import { droppedBefore } from '../query/dropped-before.js';
import { BYOK_KINDS, isUnbilled } from '../schema/ledger-kinds.js';
import type { SpendTotalTable, Tables } from '../schema/schema.js';
import { accountLock } from './account-lock.js';
import { balanceOf, reservationOf, wholeTotalRow } from './ledger-rows.js';

/** The differences between the stored totals and the ledger, one line each (`byway db check`). */
export async function totalsViolations({ query }: Database): Promise<string[]> {
  const expected = await expectedTotals(query);
  const isKept = await keptSubjects(query);
  const rowsOfTotals = await query.selectFrom('spend_total').selectAll().execute();
  const stored = rowsOfTotals.filter(({ subject }) => isKept(subject));
  const { rows } = await sql<{ since: number }>`select ${droppedBefore('ledger_entry')} as since`.execute(
    query,
  );
  const wholeFrom = rows[0]?.since ?? 0;
  const violations = stored.flatMap((row) => {
    const wanted = expected.get(row.subject) ?? emptyBalance(row.subject);
    expected.delete(row.subject);
    return differences(balanceOf(row), wanted, wholeFrom).map(
      (difference) => `${row.subject}: ${difference}`,
    );
  });
  return [...violations, ...[...expected.keys()].map((subject) => `${subject}: has no totals`)];
}

/**
 * Replaces all totals by the sums of the ledger and the reservations. `rowOf` makes the rows of a schema that has not
 * all columns yet.
 */
export async function rebuildTotals(
  db: Kysely<Tables>,
  ledger: ReadLedger = wholeLedger,
  rowOf: (balance: Balance) => Insertable<SpendTotalTable> = wholeTotalRow,
): Promise<void> {
  await db.deleteFrom('spend_total').execute();
  for (const balance of (await expectedTotals(db, ledger)).values()) {
    await db.insertInto('spend_total').values(rowOf(balance)).execute();
  }
}

/** What totals are the sums of. */
const CHARGED = [
  'ledger_entry',
  'ledger_carried_forward',
  'attribution_carried_forward',
  'reservation',
] as const;

/** Rebuilds the totals when they are lost but the ledger is not, so that nothing can be spent twice. */
export async function restoreLostTotals(database: Database): Promise<void> {
  const hasRows = async (table: 'spend_total' | (typeof CHARGED)[number]) => {
    const rows = database.query.selectFrom(table).select(sql<number>`1`.as('one'));
    return (await rows.limit(1).executeTakeFirst()) !== undefined;
  };
  if (await hasRows('spend_total')) return;
  const charged = await Promise.all(CHARGED.map(hasRows));
  if (!charged.includes(true)) return;
  await database.transactWithLocks(await accountLocks(database), async (db) => {
    await rebuildTotals(db);
    return { result: undefined, writes: [] };
  });
}

/** The locks of all accounts that have totals. */
async function accountLocks({ query }: Database): Promise<readonly string[]> {
  const accounts = CHARGED.map((table) => query.selectFrom(table).select('account_id').distinct().execute());
  const ids = new Set((await Promise.all(accounts)).flat().map(({ account_id }) => account_id));
  return [...ids].map(accountLock);
}

async function expectedTotals(
  db: Kysely<Tables>,
  ledger: ReadLedger = wholeLedger,
): Promise<Map<string, Balance>> {
  const totals = await ledgerTotals(db, ledger);
  for (const row of await db.selectFrom('reservation').selectAll().execute()) {
    const { payer, reserve } = reservationOf(row);
    for (const subject of subjectsOf(payer)) addTo(totals, subject, reservation(reserve));
  }
  if (ledger(db).droppedAttribution === undefined) return totals;
  const isKept = await keptSubjects(db);
  return new Map([...totals].filter(([subject]) => isKept(subject)));
}

/** Whether a subject has totals: those of a run go when it is dropped. */
async function keptSubjects(db: Kysely<Tables>): Promise<(subject: string) => boolean> {
  const runs = await db.selectFrom('run').select('id').execute();
  const kept = new Set(runs.map(({ id }) => subjects.run(id)));
  return (subject) => !subject.startsWith(RUNS) || kept.has(subject);
}

const RUNS = subjects.run('');

/** The sums of a ledger, by subject, without reservations. */
export async function ledgerTotals(db: Kysely<Tables>, ledger: ReadLedger): Promise<Map<string, Balance>> {
  const totals = new Map<string, Balance>();
  const { days, droppedAttribution } = ledger(db);
  for (const { subject, kind, amount_nano_usd } of (await droppedAttribution?.execute()) ?? []) {
    addTo(totals, subject, pastCharge(spendOf(kind, amount_nano_usd)));
  }
  for (const row of await days.execute()) {
    const { account_id, workspace_id, api_key_hash, user_id, run_id, end_user, kind, sum_nano_usd, day } =
      row;
    if (kind === 'top_up') {
      addTo(totals, subjects.account(account_id), topUpDelta(sum_nano_usd));
      continue;
    }
    const payer = {
      accountId: account_id,
      workspaceId: workspace_id,
      apiKeyHash: api_key_hash ?? '',
      userId: user_id ?? '',
      runId: run_id,
      endUser: end_user,
    };
    const spend = spendOf(kind, sum_nano_usd);
    const delta = day === null ? pastCharge(spend) : charge(spend, day * DAY_MS);
    const charged = isUnbilled(kind) ? unbilledSubjectsOf(payer) : subjectsOf(payer);
    for (const subject of charged) addTo(totals, subject, delta);
  }
  return totals;
}

function spendOf(kind: EntryKind, amountNanoUsd: NanoUsd): Spend {
  const isByok = BYOK_KINDS.includes(kind);
  return { creditNanoUsd: isByok ? 0n : amountNanoUsd, byokNanoUsd: isByok ? amountNanoUsd : 0n };
}

function addTo(totals: Map<string, Balance>, subject: string, delta: BalanceDelta): void {
  totals.set(subject, applyDelta(totals.get(subject) ?? emptyBalance(subject), delta));
}

const KEYHOLDER = ['account_id', 'workspace_id', 'api_key_hash', 'user_id'] as const;

/** The sums of the ledger by day. */
function ledgerDays(db: Kysely<Tables>) {
  const day = sql<number | null>`created_at / 86400000`;
  return db
    .selectFrom('ledger_entry')
    .select([...KEYHOLDER, 'run_id', 'end_user', 'kind'])
    .select(day.as('day'))
    .select(({ fn }) => fn.sum<bigint>('amount_nano_usd').as('sum_nano_usd'))
    .groupBy([...KEYHOLDER, 'run_id', 'end_user', 'kind', day]);
}

interface Ledger {
  readonly days: ReturnType<typeof ledgerDays>;
  /** What runs and end users were charged that is in `days` for everybody else. */
  readonly droppedAttribution?: ReturnType<typeof droppedAttribution>;
}

type ReadLedger = (db: Kysely<Tables>) => Ledger;

/** In the schema of the versions before runs and end users, which dropped nothing. */
export function ledgerWithoutAttribution(db: Kysely<Tables>): Ledger {
  const none = sql<string | null>`null`;
  const day = sql<number | null>`created_at / 86400000`;
  const days = db
    .selectFrom('ledger_entry')
    .select([...KEYHOLDER, none.as('run_id'), none.as('end_user'), 'kind'])
    .select(day.as('day'))
    .select(({ fn }) => fn.sum<bigint>('amount_nano_usd').as('sum_nano_usd'))
    .groupBy([...KEYHOLDER, 'kind', day]);
  return { days };
}

/** Includes what was dropped, whose days are not known any more; for one account, or for all. */
export function wholeLedger(db: Kysely<Tables>, accountId?: string): Ledger {
  const none = sql<string | null>`null`;
  const carried = db
    .selectFrom('ledger_carried_forward')
    .select([...KEYHOLDER, none.as('run_id'), none.as('end_user'), 'kind'])
    .select([sql<number | null>`null`.as('day'), 'amount_nano_usd as sum_nano_usd']);
  const dropped = droppedAttribution(db);
  if (accountId === undefined) return { days: ledgerDays(db).unionAll(carried), droppedAttribution: dropped };
  return {
    days: ledgerDays(db)
      .where('account_id', '=', accountId)
      .unionAll(carried.where('account_id', '=', accountId)),
    droppedAttribution: dropped.where('account_id', '=', accountId),
  };
}

function droppedAttribution(db: Kysely<Tables>) {
  return db.selectFrom('attribution_carried_forward').select(['subject', 'kind', 'amount_nano_usd']);
}
