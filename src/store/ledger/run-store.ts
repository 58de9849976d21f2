import { type CompiledQuery, type Kysely, sql } from 'kysely';
import type { Ids } from '../../base/ids.js';
import { subjects } from '../../ledger/payer.js';
import {
  type ListedRun,
  type LivingRun,
  MAX_LIMITED_RUNS,
  type NamedRun,
  RUN_LIFE_MS,
  type RunStore,
  runLimit,
  tooManyRuns,
} from '../../ledger/runs.js';
import type { Database } from '../database/database.js';
import { preparedList, preparedSelect } from '../query/prepared.js';
import { countUpToBound } from '../query/read-page.js';
import { sumByKey } from '../query/sum-by-key.js';
import type { Tables } from '../schema/schema.js';
import { accountLock } from './account-lock.js';

export function createRunStore(database: Database, ids: Pick<Ids, 'uuid'>): RunStore {
  const { query } = database;
  const read = preparedSelect(query, (db, { apiKeyHash, name }: { apiKeyHash: string; name: string }) =>
    db
      .selectFrom('run')
      .select(['id', 'limit_nano_usd', 'last_at'])
      .where('api_key_hash', '=', apiKeyHash)
      .where('name', '=', name)
      .compile(),
  );
  const find: RunStore['find'] = async (apiKeyHash, name, at) => {
    const [row] = await read({ apiKeyHash, name });
    return row === undefined || hasEnded(row, at) ? undefined : livingRun(row);
  };
  return {
    find,

    async open(holder, named, at) {
      const known = await find(holder.apiKeyHash, named.name, at);
      if (known !== undefined && !isChanged(named, known)) return known;
      // Throws before anything is locked where the limit would be raised.
      runLimit(named, known);
      return database.transactWithLocks([accountLock(holder.accountId)], async (db) => ({
        result: await openLocked(db, { id: ids.uuid(), holder, named, at }),
        writes: [],
      }));
    },

    async list(accountId, { apiKeyHashes, from, to }, { offset, limit }) {
      const db = database.lists(accountId);
      let matching = db.selectFrom('run').where('account_id', '=', accountId);
      for (const hash of apiKeyHashes) matching = matching.where('api_key_hash', '=', hash);
      if (from !== null) matching = matching.where('last_at', '>=', from);
      if (to !== null) matching = matching.where('last_at', '<', to);
      const count = await countUpToBound(db, matching.select('run.id'));
      const rows = await matching
        .leftJoin('spend_total', (join) => join.on('spend_total.subject', '=', sql`'run/' || run.id`))
        .selectAll('run')
        .select(['credit_nano_usd', 'byok_nano_usd'])
        .orderBy('last_at', 'desc')
        .orderBy('id')
        .limit(limit)
        .offset(offset)
        .execute();
      const runs = rows.map(
        (row): ListedRun => ({
          id: row.id,
          name: row.name,
          apiKeyHash: row.api_key_hash,
          workspaceId: row.workspace_id,
          limitNanoUsd: row.limit_nano_usd,
          requests: row.requests,
          usageNanoUsd: row.credit_nano_usd ?? 0n,
          byokUsageNanoUsd: row.byok_nano_usd ?? 0n,
          firstAt: row.first_at,
          lastAt: row.last_at,
        }),
      );
      return { runs, ...count };
    },
  };
}

interface Opening {
  /** For a run that begins. */
  readonly id: string;
  readonly holder: Parameters<RunStore['open']>[0];
  readonly named: NamedRun;
  readonly at: number;
}

/** Under the lock of the account. */
async function openLocked(db: Kysely<Tables>, { id, holder, named, at }: Opening): Promise<LivingRun> {
  const { accountId, workspaceId, apiKeyHash } = holder;
  const own = db.selectFrom('run').select(['id', 'limit_nano_usd', 'last_at']);
  const row = await own
    .where('api_key_hash', '=', apiKeyHash)
    .where('name', '=', named.name)
    .executeTakeFirst();
  const known = row === undefined || hasEnded(row, at) ? undefined : livingRun(row);
  // Throws where another process has set or lowered the limit meanwhile.
  runLimit(named, known);
  if (known !== undefined && !isChanged(named, known)) return known;
  const isLimited = known !== undefined && known.limitNanoUsd !== null;
  if (named.limitNanoUsd !== null && !isLimited) await refuseTooMany(db, apiKeyHash, at);
  if (known !== undefined) {
    await db
      .updateTable('run')
      .set({ limit_nano_usd: named.limitNanoUsd })
      .where('id', '=', known.id)
      .execute();
    return { id: known.id, limitNanoUsd: named.limitNanoUsd };
  }
  if (row !== undefined) await deleteRuns(db, [row.id]);
  await db
    .insertInto('run')
    .values({
      id,
      account_id: accountId,
      workspace_id: workspaceId,
      api_key_hash: apiKeyHash,
      name: named.name,
      limit_nano_usd: named.limitNanoUsd,
      requests: 0,
      first_at: at,
      last_at: at,
    })
    .execute();
  return { id, limitNanoUsd: named.limitNanoUsd };
}

async function refuseTooMany(db: Kysely<Tables>, apiKeyHash: string, at: number): Promise<void> {
  const { count } = await db
    .selectFrom('run')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('api_key_hash', '=', apiKeyHash)
    .where('last_at', '>', at - RUN_LIFE_MS)
    .where('limit_nano_usd', 'is not', null)
    .executeTakeFirstOrThrow();
  if (Number(count) >= MAX_LIMITED_RUNS) throw tooManyRuns();
}

/** Deletes runs and their totals; what they were charged stays in the ledger. */
export async function deleteRuns(db: Kysely<Tables>, runIds: readonly string[]): Promise<void> {
  await db.deleteFrom('run').where('id', 'in', runIds).execute();
  await db.deleteFrom('spend_total').where('subject', 'in', runIds.map(subjects.run)).execute();
}

/** Counts a request of a run that has ended. */
export interface CountedRequest {
  readonly runId: string;
  requests: number;
  /** Unix milliseconds. */
  at: number;
}

/** Makes statements that count requests of runs, which may be dropped by now. */
export function createRunCounter(
  query: Kysely<Tables>,
): (rows: readonly CountedRequest[]) => readonly CompiledQuery[] {
  const update = preparedList(
    (db, counted: readonly CountedRequest[]) => {
      const rows = counted.map(
        ({ runId, requests, at }) =>
          sql`(cast(${runId} as text), cast(${requests} as bigint), cast(${at} as bigint))`,
      );
      return sql`
        update run set requests = run.requests + counted.column2,
          last_at = case when run.last_at < counted.column3 then counted.column3 else run.last_at end
        from (values ${sql.join(rows)}) as counted where run.id = counted.column1`.compile(db);
    },
    ({ runId, requests, at }) => [runId, requests, at],
  );
  return (rows) => [
    update(
      query,
      sumByKey(rows, ({ runId }) => runId, addRequests),
    ),
  ];
}

function addRequests(sum: CountedRequest, { requests, at }: CountedRequest): void {
  sum.requests += requests;
  sum.at = Math.max(sum.at, at);
}

interface StoredRun {
  readonly id: string;
  readonly limit_nano_usd: bigint | null;
  readonly last_at: number;
}

function livingRun({ id, limit_nano_usd }: StoredRun): LivingRun {
  return { id, limitNanoUsd: limit_nano_usd };
}

function hasEnded({ last_at }: StoredRun, at: number): boolean {
  return last_at <= at - RUN_LIFE_MS;
}

function isChanged({ limitNanoUsd }: NamedRun, run: LivingRun): boolean {
  return limitNanoUsd !== null && limitNanoUsd !== run.limitNanoUsd;
}
