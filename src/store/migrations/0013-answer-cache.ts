import type { Transaction } from 'kysely';
import type { ColumnTypes } from '../engine/engine.js';
import type { Tables } from '../schema/schema.js';
import { sealed } from './0001-first-light.js';
import type { Migration } from './migration.js';

/** Answers that are kept for requests which come again. */
export const answerCache: Migration = {
  name: '0013-answer-cache',
  async up(tx, types) {
    await createCachedAnswers(tx, types);
    await tx.schema.alterTable('api_key').addColumn('cache_ttl', 'integer').execute();
    await tx.schema
      .alterTable('generation')
      .addColumn('cached', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};

async function createCachedAnswers({ schema }: Transaction<Tables>, types: ColumnTypes): Promise<void> {
  let table = sealed(schema.createTable('cached_answer'), types)
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull());
  for (const name of ['bytes', 'created_at', 'expires_at', 'used_at']) {
    table = table.addColumn(name, 'bigint', (column) => column.notNull());
  }
  await table.execute();
  const indexes = { cached_answer_of_account: 'account_id', cached_answer_expiry: 'expires_at' };
  for (const [name, column] of Object.entries(indexes)) {
    await schema.createIndex(name).on('cached_answer').column(column).execute();
  }
  await schema.createIndex('cached_answer_use').on('cached_answer').columns(['used_at', 'key']).execute();
  await schema
    .createTable('cached_answers_size')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .execute();
}
