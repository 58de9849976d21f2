import type { Tables } from '../schema.js';

/** Every table with the column that is its primary key. Each stands after all that it references. */
export const TABLE_KEYS = {
  account: 'id',
  workspace: 'id',
  client: 'id',
  api_key: 'hash',
  management_key: 'hash',
  operator_key: 'hash',
  guardrail: 'id',
  guardrail_assignment: 'id',
  workspace_member: 'id',
  workspace_budget: 'id',
  account_preferences: 'account_id',
  byok_key: 'id',
  shared_credential: 'provider',
  catalog_provider: 'slug',
  catalog_model: 'id',
  generation: 'id',
  ledger_entry: 'id',
  spend_total: 'subject',
  reservation: 'id',
  batch: 'id',
  batch_rows: 'batch_id',
  revision: 'scope',
} as const satisfies { readonly [Table in keyof Tables]: keyof Tables[Table] };
