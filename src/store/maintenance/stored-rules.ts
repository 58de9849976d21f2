/** The rules of all accounts that name models, providers, regions, API keys or members. */
import type { Guardrail } from '../../accounts/guardrails/guardrail.js';
import type { Preferences } from '../../accounts/policy/preferences.js';
import type { ByokKey } from '../../byok/types.js';
import { BYOK_KEY_COLUMNS, toByokKey } from '../byok/byok-rows.js';
import type { Database } from '../database/database.js';
import { guardrailOf } from '../tables/guardrail-rows.js';
import { preferencesOfRow } from '../tables/preference-store.js';

export interface StoredRules {
  readonly guardrails: readonly Guardrail[];
  readonly preferences: readonly { readonly accountId: string; readonly preferences: Preferences }[];
  /** The keys that have a filter. */
  readonly keys: readonly ByokKey[];
}

/** Each by account and id. */
export async function readStoredRules({ query: db }: Pick<Database, 'query'>): Promise<StoredRules> {
  const guardrails = await db
    .selectFrom('guardrail')
    .selectAll()
    .orderBy('account_id')
    .orderBy('id')
    .execute();
  const preferences = await db.selectFrom('account_preferences').selectAll().orderBy('account_id').execute();
  const keys = await db
    .selectFrom('byok_key')
    .select(BYOK_KEY_COLUMNS)
    .where((where) =>
      where.or([
        where('allowed_models_json', 'is not', null),
        where('allowed_api_key_hashes_json', 'is not', null),
        where('allowed_user_ids_json', 'is not', null),
      ]),
    )
    .orderBy('account_id')
    .orderBy('id')
    .execute();
  return {
    guardrails: guardrails.map(guardrailOf),
    preferences: preferences.map((row) => ({
      accountId: row.account_id,
      preferences: preferencesOfRow(row),
    })),
    keys: keys.map(toByokKey),
  };
}
