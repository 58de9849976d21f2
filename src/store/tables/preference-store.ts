import type { Kysely, Selectable } from 'kysely';
import {
  DEFAULT_PREFERENCES,
  type PreferenceStore,
  type Preferences,
} from '../../accounts/policy/preferences.js';
import type { Database } from '../database/database.js';
import type { AccountPreferencesTable, Tables } from '../schema/schema.js';
import { namesJson, storedNames } from './name-list.js';

export function createPreferenceStore(database: Database): PreferenceStore {
  return {
    findPreferences: (accountId) => readPreferences(database.query, accountId),

    updatePreferences: (accountId, change) =>
      database.transact(['policy'], async (tx) => {
        const preferences = change(await readPreferences(tx, accountId));
        const columns = columnsOf(preferences);
        await tx
          .insertInto('account_preferences')
          .values({ account_id: accountId, ...columns })
          .onConflict((conflict) => conflict.column('account_id').doUpdateSet(columns))
          .execute();
        return preferences;
      }),
  };
}

/** `DEFAULT_PREFERENCES` when nothing is stored. */
export async function readPreferences(db: Kysely<Tables>, accountId: string): Promise<Preferences> {
  const row = await db
    .selectFrom('account_preferences')
    .selectAll()
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row === undefined ? DEFAULT_PREFERENCES : preferencesOfRow(row);
}

function columnsOf(preferences: Preferences): Omit<AccountPreferencesTable, 'account_id'> {
  return {
    allowed_providers_json: namesJson(preferences.allowedProviders),
    ignored_providers_json: namesJson(preferences.ignoredProviders),
    zdr: preferences.zdr ? 1 : 0,
    data_collection: preferences.dataCollection,
    default_sort: preferences.defaultSort,
  };
}

export function preferencesOfRow(row: Selectable<AccountPreferencesTable>): Preferences {
  return {
    allowedProviders: storedNames(row.allowed_providers_json),
    ignoredProviders: storedNames(row.ignored_providers_json),
    zdr: row.zdr === 1,
    dataCollection: row.data_collection,
    defaultSort: row.default_sort,
  };
}
