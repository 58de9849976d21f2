import { type Kysely, sql } from 'kysely';
import type { CachedAnswer, CachedAnswerStore } from '../../inference/ports/cached-answers.js';
import type { Database } from '../database/database.js';
import { preparedSelect } from '../query/prepared.js';
import type { Tables } from '../schema/schema.js';
import { toSealed, toSealedColumns } from '../schema/sealed-columns.js';

/** All writes of cached answers, and of their size, come one after the other. */
const LOCK = 'cached-answers';

/** Dropped in one transaction: on SQLite, each takes some tens of microseconds of the event loop. */
const PIECE_ROWS = 100;

/** What an answer takes beside its ciphertext: the other columns, and its places in indexes. */
const ROW_BYTES = 512;

export function createCachedAnswerStore(database: Database): CachedAnswerStore {
  const { query } = database;
  const select = preparedSelect(query, (db, { key }: { readonly key: string }) =>
    db.selectFrom('cached_answer').selectAll().where('key', '=', key).compile(),
  );
  const locked = <T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> =>
    database.transactWithLocks([LOCK], async (db) => ({ result: await work(db), writes: [] }));
  return {
    async find(key) {
      const [row] = await select({ key });
      if (row === undefined) return undefined;
      return {
        key,
        accountId: row.account_id,
        sealed: toSealed(row),
        createdAt: row.created_at,
        expiresAt: row.expires_at,
      };
    },

    touch: (key, at) =>
      locked(async (db) => {
        await db.updateTable('cached_answer').set({ used_at: at }).where('key', '=', key).execute();
      }),

    async put(answer, maxBytes) {
      const { createdAt } = answer;
      await locked(async (db) => {
        await deleteAnswers(db, await withKey(db, answer.key).execute());
        await insert(db, answer);
        await deleteAnswers(db, await expired(db, createdAt).execute());
      });
      while (await locked((db) => evict(db, maxBytes)));
    },

    async deleteAll(accountId) {
      const some = (db: Kysely<Tables>) =>
        rows(db).where('account_id', '=', accountId).limit(PIECE_ROWS).execute();
      while ((await locked(async (db) => deleteAnswers(db, await some(db)))) > 0);
    },
  };
}

/** Drops a piece of the answers that have expired at `now` (Unix milliseconds); resolves to how many. */
export function dropExpiredAnswers(database: Database, now: number): Promise<number> {
  return database.transactWithLocks([LOCK], async (db) => ({
    result: await deleteAnswers(db, await expired(db, now).execute()),
    writes: [],
  }));
}

interface Sized {
  readonly key: string;
  readonly bytes: number;
}

function rows(db: Kysely<Tables>) {
  return db.selectFrom('cached_answer').select(['key', 'bytes']);
}

function withKey(db: Kysely<Tables>, key: string) {
  return rows(db).where('key', '=', key);
}

function expired(db: Kysely<Tables>, now: number) {
  return rows(db).where('expires_at', '<=', now).orderBy('expires_at').limit(PIECE_ROWS);
}

async function insert(
  db: Kysely<Tables>,
  { key, accountId, sealed, createdAt, expiresAt }: CachedAnswer,
): Promise<void> {
  const bytes = sealed.ciphertext.length + ROW_BYTES;
  await db
    .insertInto('cached_answer')
    .values({
      key,
      account_id: accountId,
      ...toSealedColumns(sealed),
      bytes,
      created_at: createdAt,
      expires_at: expiresAt,
      used_at: createdAt,
    })
    .execute();
  await addToSize(db, bytes);
}

/** Drops a piece of the answers that were used least recently; whether the rest is still too large. */
async function evict(db: Kysely<Tables>, maxBytes: number): Promise<boolean> {
  const size = await db.selectFrom('cached_answers_size').select('bytes').executeTakeFirst();
  let excess = (size?.bytes ?? 0) - maxBytes;
  if (excess <= 0) return false;
  const oldest = await rows(db).orderBy('used_at').orderBy('key').limit(PIECE_ROWS).execute();
  const evicted: Sized[] = [];
  for (const one of oldest) {
    if (excess <= 0) break;
    evicted.push(one);
    excess -= one.bytes;
  }
  return (await deleteAnswers(db, evicted)) > 0 && excess > 0;
}

/** Resolves to how many. */
async function deleteAnswers(db: Kysely<Tables>, answers: readonly Sized[]): Promise<number> {
  if (answers.length === 0) return 0;
  const keys = answers.map(({ key }) => key);
  await db.deleteFrom('cached_answer').where('key', 'in', keys).execute();
  await addToSize(db, -answers.reduce((sum, { bytes }) => sum + bytes, 0));
  return answers.length;
}

async function addToSize(db: Kysely<Tables>, bytes: number): Promise<void> {
  await db
    .insertInto('cached_answers_size')
    .values({ id: 1, bytes })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet(({ ref }) => ({ bytes: sql<number>`${ref('cached_answers_size.bytes')} + ${bytes}` })),
    )
    .execute();
}
