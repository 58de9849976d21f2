import type { Insertable } from 'kysely';
import type { Ids } from '../../base/ids.js';
import type { NanoUsd } from '../../base/money.js';
import type {
  Generation,
  GenerationFilter,
  GenerationPage,
  GenerationScope,
  GenerationStore,
  Page,
  UnsettledGeneration,
} from '../../inference/settlement/generation.js';
import { charge as chargeDelta } from '../../ledger/balance.js';
import { subjects, subjectsOf } from '../../ledger/payer.js';
import {
  type Charge,
  NO_SETTLEMENT,
  type Settlement,
  settlementOf,
  settlementPreconditions,
} from '../../ledger/settlement.js';
import { windowEnd, windowStart } from '../../ledger/windows.js';
import type { Database } from '../database.js';
import { preparedInsert, preparedStatement } from '../engine/prepared.js';
import { BYOK_KIND } from '../ledger/ledger-kinds.js';
import type { RunInLedger } from '../ledger/ledger-runner.js';
import { createReservationEnder } from '../ledger/ledger-store.js';
import type { LedgerTransaction } from '../ledger/ledger-transaction.js';
import { countUpToBound } from '../read-page.js';
import type { LedgerEntryTable } from '../schema.js';
import { createUsageCounter, usageRow } from '../usage/usage-rollup.js';
import { generationOf, rowOf } from './generation-rows.js';

export function createGenerationStore(
  database: Database,
  runInLedger: RunInLedger,
  ids: Pick<Ids, 'uuid'>,
): GenerationStore {
  const endReservation = createReservationEnder(database);
  const record = createGenerationRecorder(database, ids);
  return {
    settle(generation, charge) {
      const { id, accountId } = generation;
      const read = charge?.isByok ? [subjects.account(accountId)] : [];
      const need = { accountId, subjects: read, reservationId: id, at: generation.createdAt };
      return runInLedger(need, async (tx) => {
        endReservation(tx, id);
        return record(tx, generation, charge);
      });
    },
    find: (id, scope) => find(database, id, scope),
    list: (accountId, filter, page) => list(database, accountId, filter, page),
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
  const find = preparedStatement(query, (db, { id }: { readonly id: string }) =>
    db.selectFrom('generation').select('id').where('id', '=', id).compile(),
  );
  return async (
    tx: LedgerTransaction,
    generation: UnsettledGeneration,
    charge: Charge | null,
    usedNanoUsd?: NanoUsd,
  ): Promise<Settlement> => {
    const settlement = charge === null ? NO_SETTLEMENT : await settle(tx, generation, charge, usedNanoUsd);
    const { entries, spend, byokFeeNanoUsd } = settlement;
    if (entries.length > 0) {
      tx.addDelta(subjectsOf(generation), chargeDelta(spend, generation.createdAt));
    }
    for (const entry of entries) tx.add(insertEntry, entryRow(ids.uuid(), generation, entry));
    const usage = {
      usageNanoUsd: spend.creditNanoUsd,
      upstreamInferenceCostNanoUsd: charge?.isByok ? spend.byokNanoUsd : null,
      byokFeeNanoUsd,
    };
    const recorded = { ...generation, ...usage };
    tx.addOnce(insert, rowOf(recorded), () => find({ id: generation.id }));
    tx.add(countUsage, usageRow(recorded));
    return settlement;
  };
}

async function find(
  database: Database,
  id: string,
  { accountId, apiKeyHash }: GenerationScope,
): Promise<Generation | undefined> {
  let query = database.query
    .selectFrom('generation')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId);
  if (apiKeyHash !== null) query = query.where('api_key_hash', '=', apiKeyHash);
  const row = await query.executeTakeFirst();
  return row && generationOf(row);
}

async function list(
  { reports }: Database,
  accountId: string,
  filter: GenerationFilter,
  { offset, limit }: Page,
): Promise<GenerationPage> {
  let matching = reports.selectFrom('generation').select('id').where('account_id', '=', accountId);
  if (filter.from !== null) matching = matching.where('created_at', '>=', filter.from);
  if (filter.to !== null) matching = matching.where('created_at', '<', filter.to);
  if (filter.apiKeyHash !== null) matching = matching.where('api_key_hash', '=', filter.apiKeyHash);
  if (filter.workspaceId !== null) matching = matching.where('workspace_id', '=', filter.workspaceId);
  // What is skipped is read from an index alone.
  const page = matching.orderBy('created_at', 'desc').orderBy('id').limit(limit).offset(offset);
  const rows = await reports
    .selectFrom('generation')
    .selectAll()
    .where('id', 'in', page)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
  return { generations: rows.map(generationOf), ...(await countUpToBound(reports, matching)) };
}

async function settle(
  tx: LedgerTransaction,
  { accountId, createdAt }: UnsettledGeneration,
  charge: Charge,
  usedNanoUsd: NanoUsd | undefined,
) {
  if (!charge.isByok) return settlementOf(charge, 0n);
  if (usedNanoUsd !== undefined) return settlementOf(charge, usedNanoUsd);
  const settlement = settlementOf(charge, await byokUsedBefore(tx, accountId, createdAt));
  tx.assume(settlementPreconditions(charge, tx.balance(subjects.account(accountId)), createdAt));
  return settlement;
}

/**
 * BYOK usage of the account in the month of the request. A past month is summed from the ledger: totals have the newest
 * only.
 */
export async function byokUsedBefore(tx: LedgerTransaction, accountId: string, at: number): Promise<NanoUsd> {
  const { monthly } = tx.balance(subjects.account(accountId)).windows;
  const start = windowStart('monthly', at);
  if (monthly.start <= start) return monthly.start === start ? monthly.byokNanoUsd : 0n;
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

function entryRow(
  id: string,
  generation: UnsettledGeneration,
  { kind, amountNanoUsd }: Settlement['entries'][number],
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
    created_at: generation.createdAt,
  };
}
