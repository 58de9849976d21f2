/** Where streams that are being sent are noted, and the charging of what processes that have ended have left there. */
import type { Ids } from '../../base/ids.js';
import { NO_ATTRIBUTION, NO_MODE } from '../../inference/ports/generation.js';
import type { SettlementLog } from '../../inference/settlement/settlement.js';
import type { StreamJournalStore, Unsettled } from '../../inference/settlement/stream-journal.js';
import { subjects } from '../../ledger/payer.js';
import type { Database } from '../database/database.js';
import type { RunInLedger } from '../ledger/ledger-runner.js';
import { createReservationEnder, mayClaim } from '../ledger/ledger-store.js';
import type { NotedStreams } from '../ledger/noted-streams.js';
import { preparedInsert, preparedList } from '../query/prepared.js';
import { createGenerationRecorder } from './generation-store.js';

export interface StreamJournalTable extends StreamJournalStore {
  /**
   * Charges and records what processes that have ended had sent, each stream once, and ends its reservation. What fails
   * is logged once and left for the next call. Resolves to how many were charged.
   */
  settleAbandoned(log: SettlementLog): Promise<number>;
}

const UNCHARGED = 'could not charge what a process that has ended had sent; it is tried again';

export function createStreamJournal(
  database: Database,
  runInLedger: RunInLedger,
  ids: Pick<Ids, 'uuid'>,
  noted: NotedStreams,
): StreamJournalTable {
  const { query, leaseId: holder } = database;
  const upsert = preparedInsert(query, 'stream_journal', (insert) =>
    insert.onConflict((conflict) =>
      conflict
        .column('generation_id')
        .doUpdateSet((eb) => ({ unsettled_json: eb.ref('excluded.unsettled_json') })),
    ),
  );
  const dropSettled = preparedList(
    (db, generationIds: readonly string[]) =>
      db
        .deleteFrom('stream_journal')
        .where('generation_id', 'in', generationIds)
        .where((eb) =>
          eb.exists(
            eb
              .selectFrom('generation')
              .select('generation.id')
              .whereRef('generation.id', '=', 'stream_journal.generation_id'),
          ),
        )
        .compile(),
    (id) => [id],
  );
  const reported = new Set<string>();
  const settleOne = createAbandonedSettler(database, runInLedger, ids, noted);
  return {
    async note(entries) {
      const rows = entries.map(({ generation, charge }) => ({
        generation_id: generation.id,
        account_id: generation.accountId,
        holder,
        unsettled_json: writeUnsettled({ generation, charge }),
      }));
      for (const { generation_id } of rows) noted.add(generation_id);
      await database.transactWithLocks([], async () => ({ result: undefined, writes: upsert(rows) }));
    },

    async drop(generationIds) {
      const writes = [dropSettled(query, generationIds)];
      await database.transactWithLocks([], async () => ({ result: undefined, writes }));
    },

    async settleAbandoned(log) {
      const holders = await query.selectFrom('stream_journal').select('holder').distinct().execute();
      const others = holders.map((row) => row.holder).filter((other) => other !== holder);
      if (others.length === 0) return 0;
      const lost = await database.lostLeases(others);
      if (lost.size === 0 || !mayClaim(database)) return 0;
      const rows = await query
        .selectFrom('stream_journal')
        .select(['generation_id', 'account_id'])
        .where('holder', 'in', [...lost])
        .execute();
      let charged = 0;
      for (const { generation_id: id, account_id } of rows) {
        try {
          if (await settleOne(id, account_id)) charged += 1;
        } catch (error) {
          if (!reported.has(id)) log.error({ err: error, generation: id }, UNCHARGED);
          reported.add(id);
        }
      }
      return charged;
    },
  };
}

/** Settles what was noted of a generation; false when another process has done it, or the request was settled. */
function createAbandonedSettler(
  database: Database,
  runInLedger: RunInLedger,
  ids: Pick<Ids, 'uuid'>,
  noted: NotedStreams,
) {
  const record = createGenerationRecorder(database, ids);
  const endReservation = createReservationEnder(database);
  return (id: string, accountId: string): Promise<boolean> => {
    const need = { accountId, subjects: [subjects.account(accountId)], reservationId: id };
    return runInLedger(need, async (tx) => {
      const db = await tx.reader();
      const own = db.selectFrom('stream_journal').select('unsettled_json').where('generation_id', '=', id);
      const found = await own.executeTakeFirst();
      if (found === undefined) return false;
      endReservation(tx, id);
      noted.dropWith(tx, id);
      const recorded = db.selectFrom('generation').select('id').where('id', '=', id);
      if ((await recorded.executeTakeFirst()) !== undefined) return false;
      const { generation, charge } = readUnsettled(found.unsettled_json);
      await record(tx, generation, charge);
      return true;
    });
  };
}

/** Amounts as text, since JSON has no integers of their size. */
function writeUnsettled({ generation, charge }: Unsettled): string {
  const written = charge && { ...charge, costNanoUsd: String(charge.costNanoUsd) };
  return JSON.stringify({ generation, charge: written });
}

type Written<T> = { readonly [Name in keyof T]: T[Name] extends bigint ? string : T[Name] };

/** Only rows of this table are read, which `writeUnsettled` has made. */
function readUnsettled(json: string): Unsettled {
  const { generation, charge }: WrittenUnsettled = JSON.parse(json);
  return {
    // What a process of the version before has noted has none of these.
    generation: { ...NO_MODE, ...NO_ATTRIBUTION, ...generation },
    charge: charge && { ...charge, costNanoUsd: BigInt(charge.costNanoUsd) },
  };
}

type WrittenUnsettled = Pick<Unsettled, 'generation'> & {
  readonly charge: Written<NonNullable<Unsettled['charge']>> | null;
};
