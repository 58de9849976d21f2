import type { Migration } from './migration.js';

/** Why a provider refuses a BYOK key, and since when. */
export const keyRefusals: Migration = {
  name: '0012-key-refusals',
  async up(tx) {
    await tx.schema.alterTable('byok_key').addColumn('refusal_reason', 'text').execute();
    await tx.schema.alterTable('byok_key').addColumn('refusal_status', 'integer').execute();
    await tx.schema.alterTable('byok_key').addColumn('refused_at', 'bigint').execute();
    await tx.schema
      .createIndex('byok_key_refused')
      .on('byok_key')
      .column('refused_at')
      .where('refused_at', 'is not', null)
      .execute();
  },
};
