import type { Kysely } from 'kysely';
import type { Ids } from '../../base/ids.js';
import type { Batch, BatchOrder, BatchProgress } from '../../batch/batch.js';
import { admitRows } from '../../batch/end-users.js';
import type { BatchStore, ChargedRow, Claim, MeasuredRows } from '../../batch/ports.js';
import { withRefused } from '../../batch/rows.js';
import type { FinishReason } from '../../formats/chat/types.js';
import { NO_ATTRIBUTION, NO_MODE, type UnsettledGeneration } from '../../inference/ports/generation.js';
import type { SpendRequest } from '../../ledger/admission.js';
import { subjectsOf } from '../../ledger/payer.js';
import type { Database } from '../database/database.js';
import type { RunInLedger } from '../ledger/ledger-runner.js';
import { createReservationEnder, createReservationMaker, LASTING, needsOf } from '../ledger/ledger-store.js';
import { readPage } from '../query/read-page.js';
import { byokUsedBefore, createGenerationRecorder } from '../records/generation-store.js';
import type { Tables } from '../schema/schema.js';
import { batchOf, batchRow, progressRow } from './batch-rows.js';

/** A claim that was not renewed for this long belongs to a process that has ended. */
const CLAIM_MS = 15_000;

export function createBatchStore(
  database: Database,
  runInLedger: RunInLedger,
  ids: Pick<Ids, 'uuid'>,
): BatchStore {
  const { query, lists } = database;
  const reserve = createReservationMaker(database);
  const endReservation = createReservationEnder(database);
  const record = createGenerationRecorder(database, ids);
  /** Ends what is reserved for end users. */
  const endParts = async ({ id, payer: { accountId } }: Batch) => {
    const parts = query
      .selectFrom('reservation')
      .select('id')
      .where('id', 'like', `${partsOf(id)}%`);
    await Promise.all(
      (await parts.execute()).map((part) =>
        runInLedger({ accountId, subjects: [], reservationId: part.id }, async (tx) =>
          endReservation(tx, part.id),
        ),
      ),
    );
  };
  return {
    create: (batch, rows, spend, expiresAt) =>
      runInLedger(needsOf(withLimitsOf(rows, spend), null), async (tx) => {
        const { id, payer, createdAt } = batch;
        const token = ids.uuid();
        const { admission, reserves, refused } = admitRows(rows, spend, tx.balance);
        if (admission.kind === 'admitted') {
          let part = 0;
          for (const [endUser, reserved] of reserves) {
            const partId = endUser === null ? id : `${partsOf(id)}${part++}`;
            reserve(tx, { id: partId, payer: { ...payer, endUser }, holder: LASTING, expiresAt }, reserved);
          }
          const claim = { claim_token: token, claimed_until: createdAt + CLAIM_MS };
          tx.write(
            query
              .insertInto('batch')
              .values({ ...batchRow(batch), ...claim })
              .compile(),
          );
          const rows_json = withRefused(rows.json, refused);
          tx.write(query.insertInto('batch_rows').values({ batch_id: id, rows_json }).compile());
        }
        return { admission, token, refused };
      }),

    async find(accountId, id) {
      const own = query.selectFrom('batch').where('account_id', '=', accountId);
      const row = await own.selectAll().where('id', '=', id).executeTakeFirst();
      return row && batchOf(row);
    },

    async list(accountId, page) {
      const own = lists(accountId).selectFrom('batch').where('account_id', '=', accountId);
      const newest = own.selectAll().orderBy('created_at', 'desc').orderBy('id');
      const { rows, totalCount } = await readPage(newest, page);
      return { batches: rows.map(batchOf), totalCount };
    },

    async rows(id) {
      const stored = query.selectFrom('batch_rows').select('rows_json').where('batch_id', '=', id);
      return (await stored.executeTakeFirstOrThrow()).rows_json;
    },

    async due(now, count) {
      const due = query
        .selectFrom('batch')
        .select(({ fn }) => [
          'id',
          'account_id',
          'poll_at',
          fn
            .agg<number>('row_number')
            .over((over) => over.partitionBy('account_id').orderBy('poll_at'))
            .as('nth'),
        ])
        .where('poll_at', '<=', now)
        .where('claimed_until', '<=', now);
      const inTurns = query
        .selectFrom(due.as('due'))
        .select(['id', 'account_id'])
        .orderBy('nth')
        .orderBy('poll_at')
        .limit(count);
      return (await inTurns.execute()).map(({ id, account_id: accountId }) => ({ id, accountId }));
    },

    claim: (id, now) =>
      database.transact([], async (tx) => {
        const row = await tx.selectFrom('batch').selectAll().where('id', '=', id).executeTakeFirst();
        if (row === undefined || row.claimed_until > now) return undefined;
        const token = ids.uuid();
        const claim = { claim_token: token, claimed_until: now + CLAIM_MS };
        await tx.updateTable('batch').set(claim).where('id', '=', id).execute();
        return { batch: batchOf(row), token };
      }),

    renew: (claim, now) =>
      database.transact([], (tx) => changeClaimed(tx, claim, { claimed_until: now + CLAIM_MS })),

    release: (claim) =>
      database.transact([], async (tx) => {
        await tx
          .updateTable('batch')
          .set({ claim_token: null, claimed_until: 0 })
          .where('id', '=', claim.batch.id)
          .where('claim_token', '=', claim.token)
          .execute();
      }),

    advance: (claim, change) =>
      database.transact([], async (tx) => {
        const next = changed(claim, change);
        await changeClaimed(tx, claim, progressRow(next.batch));
        return next;
      }),

    settle: (order, rows) =>
      runInLedger(needOf(order, null), async (tx) => {
        const recorded = await recordedOf(await tx.reader(), rows);
        const { plan, payer, createdAt } = order;
        let used =
          plan === 'unbilled' ? 0n : await byokUsedBefore(tx, payer.accountId, tx.chargedAt(createdAt));
        for (const row of rows) {
          if (recorded.has(row.generationId)) continue;
          const { spend } = await record(tx, generationOf(order, row), row.charge, used);
          used += spend.byokNanoUsd;
        }
      }),

    async finish(claim, change) {
      await endParts(claim.batch);
      return runInLedger(needOf(claim.batch, claim.batch.id), async (tx) => {
        const next = changed(claim, change);
        await changeClaimed(await tx.reader(), claim, progressRow(next.batch));
        endReservation(tx, claim.batch.id);
        return next;
      });
    },

    async discard({ batch }) {
      await endParts(batch);
      await runInLedger(needOf(batch, batch.id), async (tx) => {
        endReservation(tx, batch.id);
        tx.write(query.deleteFrom('batch_rows').where('batch_id', '=', batch.id).compile());
        tx.write(query.deleteFrom('batch').where('id', '=', batch.id).compile());
      });
    },

    async chargesOf(generationIds) {
      const charged = query.selectFrom('generation').select(['id', 'usage_nano_usd']);
      const rows = await charged.where('id', 'in', generationIds).execute();
      return new Map(rows.map((row) => [row.id, row.usage_nano_usd]));
    },
  };
}

/** What the ids of a batch's reservations for end users begin with; a batch has its own id for all else. */
function partsOf(batchId: string): string {
  return `${batchId}/`;
}

function withLimitsOf(
  { parts }: MeasuredRows,
  { payer, limits }: Pick<SpendRequest, 'payer' | 'limits'>,
): Pick<SpendRequest, 'payer' | 'limits'> {
  if (parts === null) return { payer, limits };
  const ofEndUsers = new Map(parts.flatMap(({ limit }) => (limit === null ? [] : [[limit.subject, limit]])));
  return { payer, limits: [...limits, ...ofEndUsers.values()] };
}

function needOf({ payer }: Pick<BatchOrder, 'payer'>, reservationId: string | null) {
  return { accountId: payer.accountId, subjects: subjectsOf(payer), reservationId };
}

function changed({ batch, token }: Claim, change: Partial<BatchProgress>): Claim {
  return { batch: { ...batch, ...change }, token };
}

/** Throws when another worker has claimed the batch by now. */
async function changeClaimed(
  tx: Kysely<Tables>,
  { batch, token }: Pick<Claim, 'token'> & { readonly batch: Pick<Batch, 'id'> },
  columns: Partial<ReturnType<typeof progressRow>> & { readonly claimed_until?: number },
): Promise<void> {
  const own = tx.updateTable('batch').set(columns).where('id', '=', batch.id);
  const { numUpdatedRows } = await own.where('claim_token', '=', token).executeTakeFirst();
  if (numUpdatedRows === 0n) throw new Error(`somebody else works on the batch ${batch.id}`);
}

async function recordedOf(tx: Kysely<Tables>, rows: readonly ChargedRow[]): Promise<ReadonlySet<string>> {
  const ids = rows.map(({ generationId }) => generationId);
  const recorded = await tx.selectFrom('generation').select('id').where('id', 'in', ids).execute();
  return new Set(recorded.map(({ id }) => id));
}

function generationOf(order: BatchOrder, row: ChargedRow): UnsettledGeneration {
  const { payer, provider, providerName, byokKeyId, endpoint, model, requestId, createdAt } = order;
  const { metered } = row;
  return {
    id: row.generationId,
    ...payer,
    requestId,
    model,
    provider,
    providerName,
    endpoint,
    byokKeyId,
    isStreamed: false,
    status: 'ok',
    reason: null,
    httpStatus: null,
    message: null,
    requestedModel: model,
    api: 'chat',
    lane: null,
    omitted: [],
    sessionId: null,
    traceId: null,
    ip: null,
    requests: 1,
    // The row was written with a finish reason that an adapter had chosen.
    finishReason: row.finishReason as FinishReason | null,
    nativeFinishReason: row.nativeFinishReason,
    latencyMs: null,
    generationTimeMs: null,
    promptTokens: metered.promptTokens,
    completionTokens: metered.completionTokens,
    reasoningTokens: metered.reasoningTokens,
    cachedTokens: metered.cachedTokens,
    isCached: false,
    countedBy: row.countedBy,
    ...NO_MODE,
    ...NO_ATTRIBUTION,
    endUser: row.endUser,
    priceMode: row.priceMode,
    excludedCounts: {},
    providerResponses: [
      {
        provider,
        provider_name: providerName,
        status: 200,
        error: null,
        is_byok: true,
        byok_key_id: byokKeyId,
        endpoint,
        latency_ms: 0,
        adapted: null,
      },
    ],
    createdAt,
  };
}
