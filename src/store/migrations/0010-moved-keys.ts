import { sql } from 'kysely';
import type { Migration } from './migration.js';

/**
 * A move of a provider key writes every row that it passes. Without `sort_order` in an index, and with room for the new
 * row beside the old one, PostgreSQL leaves all indexes as they are.
 */
export const movedKeys: Migration = {
  name: '0010-moved-keys',
  async up(tx, { leaveRoom }) {
    await tx.schema.dropIndex('byok_key_section').execute();
    await tx.schema
      .createIndex('byok_key_places')
      .on('byok_key')
      .columns(['workspace_id', 'provider', 'is_fallback'])
      .execute();
    for (const statement of leaveRoom('byok_key')) await sql.raw(statement).execute(tx);
  },
};
