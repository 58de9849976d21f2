import { sql } from 'kysely';
import type { Migration } from './migration.js';

/** The further workspaces of BYOK keys, and the index by which one of them finds its keys: most keys have none. */
export const sharedKeys: Migration = {
  name: '0016-shared-keys',
  async up(tx) {
    await tx.schema.alterTable('byok_key').addColumn('workspace_ids_json', 'text').execute();
    await sql`create index byok_key_shared on byok_key (account_id) where workspace_ids_json is not null`.execute(
      tx,
    );
  },
};
