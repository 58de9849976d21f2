import type { Insertable } from 'kysely';
import type { Ids } from '../../base/ids.js';
import type { NanoUsd } from '../../base/money.js';
import type {
  Generation,
  GenerationScope,
  GenerationStore,
  UnsettledGeneration,
} from '../../inference/ports/generation.js';
import { byokOfMonth, charge as chargeDelta } from '../../ledger/balance/balance.js';
import { windowEnd, windowStart } from '../../ledger/balance/windows.js';
import { allowanceLeft } from '../../ledger/fee.js';
import { subjects, subjectsOf, unbilledSubjectsOf } from '../../ledger/payer.js';
import {
  type Charge,
  NO_SETTLEMENT,
  type Settlement,
  settlementOf,
  settlementPreconditions,
} from '../../ledger/settlement.js';
import { writeCounts } from '../../receipts/counts.js';
import { NO_TERMS_ID } from '../../receipts/terms.js';
import type { Database } from '../database/database.js';
import type { RunInLedger } from '../ledger/ledger-runner.js';
import { createReservationEnder } from '../ledger/ledger-store.js';
import type { LedgerTransaction } from '../ledger/ledger-transaction.js';
import type { NotedStreams } from '../ledger/noted-streams.js';
import { createRunCounter } from '../ledger/run-store.js';
import { preparedInsert, preparedStatement } from '../query/prepared.js';
import { BYOK_KIND, type LedgerEntryTable } from '../schema/ledger-kinds.js';
import { createEndUserCounter } from '../usage/end-user-counter.js';
import { usageAttributionRow } from '../usage/usage-attribution.js';
import { createAttributionCounter, createUsageCounter } from '../usage/usage-counter.js';
import { usageRow } from '../usage/usage-rollup.js';
import { TermsWriter } from './billing-terms.js';
import { exportGenerations } from './generation-export.js';
import { findRow } from './generation-filter.js';
import { listGenerations } from './generation-list.js';
import { generationOfRow, rowOf } from './generation-rows.js';

export function createGenerationStore(
  database: Database,
  runInLedger: RunInLedger,
  ids: Pick<Ids, 'uuid'>,
  noted: NotedStreams,
): GenerationStore {
  const endReservation = createReservationEnder(database);
  const record = createGenerationRecorder(database, ids);
  return {
    async settle(generation, charge) {
      const { id, accountId } = generation;
      const read = charge?.isByok && charge.plan !== 'unbilled' ? [subjects.account(accountId)] : [];
      const need = { accountId, subjects: read, reservationId: id, at: generation.createdAt };
      const settlement = await runInLedger(need, async (tx) => {
        endReservation(tx, id);
        if (noted.has(id)) noted.dropWith(tx, id);
        return record(tx, generation, charge);
      });
      noted.forget(id);
      return settlement;
    },
    find: (id, scope) => find(database, id, scope),
    async list(accountId, filter, page) {
      const { rows, ...rest } = await listGenerations(database.reports(accountId), accountId, filter, page);
      return { generations: rows.map(generationOfRow), ...rest };
    },
    async *export(accountId, filter) {
      for await (const rows of exportGenerations(database.reports(accountId), accountId, filter)) {
        yield rows.map(generationOfRow);
      }
    },
  };
}

/**
 * Charges and records generations; `charge` null = no cost. `usedNanoUsd` is the BYOK usage of the month before this
 * charge, if the caller knows it already.
 */
export function createGenerationRecorder({ query }: Database, ids: Pick<Ids, 'uuid'>) {
  const insert = preparedInsert(query, 'generation');
  const insertEntry = preparedInsert(query, 'ledger_entry');
  const countUsage = createUsageCounter(query);
  const countAttribution = createAttributionCounter(query);
  const countEndUser = createEndUserCounter(query);
  const terms = new TermsWriter(query);
  const countRuns = createRunCounter(query);
  const find = preparedStatement(query, (db, { id }: { readonly id: string }) =>
    db.selectFrom('generation').select('id').where('id', '=', id).compile(),
  );
  return async (
    tx: LedgerTransaction,
    generation: UnsettledGeneration,
    charge: Charge | null,
    usedNanoUsd?: NanoUsd,
  ): Promise<Settlement> => {
    const at = tx.chargedAt(generation.createdAt);
    const { settlement, allowanceLeftNanoUsd } =
      charge === null ? FREE : await settle(tx, generation.accountId, at, charge, usedNanoUsd);
    const { entries, spend, byokFeeNanoUsd } = settlement;
    const charged = charge?.plan === 'unbilled' ? unbilledSubjectsOf(generation) : subjectsOf(generation);
    if (entries.length > 0) tx.addDelta(charged, chargeDelta(spend, at));
    for (const entry of entries) tx.add(insertEntry, entryRow(entryId(at, ids), generation, entry, at));
    const charges = {
      usageNanoUsd: spend.creditNanoUsd,
      upstreamInferenceCostNanoUsd: charge?.isByok ? spend.byokNanoUsd : null,
      byokFeeNanoUsd,
    };
    if (charge?.billed !== undefined) terms.addWith(tx, charge.billed.terms, generation.createdAt);
    const receipt = {
      termsId: charge === null ? NO_TERMS_ID : (charge.billed?.terms.id ?? null),
      countsJson: charge?.billed === undefined ? null : writeCounts(charge.billed.metered),
      allowanceLeftNanoUsd,
    };
    tx.addOnce(insert, rowOf(generation, charges, receipt), () => find({ id: generation.id }));
    tx.add(countUsage, usageRow(generation, charges));
    const attribution = usageAttributionRow(generation, charges);
    if (attribution !== undefined) tx.add(countAttribution, attribution);
    const { runId, endUser, requests, createdAt } = generation;
    if (endUser !== null) tx.add(countEndUser, endUserRow(generation, endUser));
    if (runId !== null) tx.add(countRuns, { runId, requests, at: createdAt });
    return settlement;
  };
}

function endUserRow({ apiKeyHash, requests, createdAt }: UnsettledGeneration, name: string) {
  return { api_key_hash: apiKeyHash, name, requests, last_at: createdAt };
}

async function find(database: Database, id: string, scope: GenerationScope): Promise<Generation | undefined> {
  const row = await findRow(database, id, scope);
  return row && generationOfRow(row);
}

async function settle(
  tx: LedgerTransaction,
  accountId: string,
  at: number,
  charge: Charge,
  usedNanoUsd: NanoUsd | undefined,
): Promise<Settled> {
  const { plan, isByok } = charge;
  if (!isByok || plan === 'unbilled') {
    return { settlement: settlementOf(charge, 0n), allowanceLeftNanoUsd: null };
  }
  const used = usedNanoUsd ?? (await byokUsedBefore(tx, accountId, at));
  if (usedNanoUsd === undefined) {
    tx.assume(settlementPreconditions(charge, tx.balance(subjects.account(accountId)), at));
  }
  return { settlement: settlementOf(charge, used), allowanceLeftNanoUsd: allowanceLeft(plan, used) };
}

interface Settled {
  readonly settlement: Settlement;
  /** Of the month's BYOK allowance, before it; null where none is used. */
  readonly allowanceLeftNanoUsd: NanoUsd | null;
}

const FREE: Settled = { settlement: NO_SETTLEMENT, allowanceLeftNanoUsd: null };

/**
 * BYOK usage of the account in the month of the request. One before the two newest that anything was charged in is
 * summed from the ledger.
 */
export async function byokUsedBefore(tx: LedgerTransaction, accountId: string, at: number): Promise<NanoUsd> {
  const start = windowStart('monthly', at);
  const kept = byokOfMonth(tx.balance(subjects.account(accountId)), start);
  if (kept !== undefined) return kept;
  const ledger = await tx.reader();
  const row = await ledger
    .selectFrom('ledger_entry')
    .select(({ fn }) => fn.sum<bigint | null>('amount_nano_usd').as('used_nano_usd'))
    .where('account_id', '=', accountId)
    .where('kind', '=', BYOK_KIND)
    .where('created_at', '>=', start)
    .where('created_at', '<', windowEnd('monthly', at))
    .executeTakeFirst();
  return row?.used_nano_usd ?? 0n;
}

/** The last digits of a UUID, all of them random. */
const RANDOM_DIGITS = 12;

/** Shorter than a UUID, and in the order of time as well; no API names it. */
function entryId(at: number, ids: Pick<Ids, 'uuid'>): string {
  return `${at.toString(36)}${ids.uuid().slice(-RANDOM_DIGITS)}`;
}

function entryRow(
  id: string,
  generation: UnsettledGeneration,
  { kind, amountNanoUsd }: Settlement['entries'][number],
  at: number,
): Insertable<LedgerEntryTable> {
  return {
    id,
    account_id: generation.accountId,
    workspace_id: generation.workspaceId,
    api_key_hash: generation.apiKeyHash,
    user_id: generation.userId,
    byok_key_id: generation.byokKeyId,
    generation_id: generation.id,
    kind,
    amount_nano_usd: amountNanoUsd,
    created_at: at,
    run_id: generation.runId,
    end_user: generation.endUser,
  };
}
