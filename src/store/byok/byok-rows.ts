import type { Insertable, Selectable } from 'kysely';
import type { ByokKey } from '../../byok/types.js';
import type { ByokKeyTable } from '../schema/schema.js';
import type { SealedColumns } from '../schema/sealed-columns.js';
import { namesJson, storedNames } from '../tables/name-list.js';

/** A BYOK key without its credential. */
export type ByokKeyRow = Omit<Selectable<ByokKeyTable>, keyof SealedColumns>;

/** The columns of `ByokKeyRow`, so that lists of keys do not read credentials. */
export const BYOK_KEY_COLUMNS = [
  'id',
  'account_id',
  'workspace_id',
  'provider',
  'label',
  'name',
  'disabled',
  'is_fallback',
  'is_required',
  'is_byok_only',
  'declared_zdr',
  'allowed_models_json',
  'allowed_api_key_hashes_json',
  'allowed_user_ids_json',
  'workspace_ids_json',
  'sort_order',
  'created_at',
  'updated_at',
  'refusal_reason',
  'refusal_status',
  'refused_at',
] as const satisfies readonly (keyof ByokKeyRow)[];

export function toByokKey(row: ByokKeyRow): ByokKey {
  return {
    id: row.id,
    accountId: row.account_id,
    workspaceId: row.workspace_id,
    provider: row.provider,
    label: row.label,
    name: row.name,
    disabled: row.disabled === 1,
    isFallback: row.is_fallback === 1,
    isRequired: row.is_required === 1,
    isByokOnly: row.is_byok_only === 1,
    declaredZdr: row.declared_zdr === null ? null : false,
    allowedModels: storedNames(row.allowed_models_json),
    allowedApiKeyHashes: storedNames(row.allowed_api_key_hashes_json),
    allowedUserIds: storedNames(row.allowed_user_ids_json),
    workspaceIds: storedNames(row.workspace_ids_json),
    sortOrder: row.sort_order,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(row.refusal_reason !== null &&
      row.refused_at !== null && {
        refusal: { reason: row.refusal_reason, status: row.refusal_status, at: row.refused_at },
      }),
  };
}

/** The columns of a key whose provider does not refuse it, as far as is known. */
export const NOT_REFUSED = { refusal_reason: null, refusal_status: null, refused_at: null };

/** Refusals are written apart. */
export function toByokKeyRow(key: ByokKey): Omit<Insertable<ByokKeyRow>, keyof typeof NOT_REFUSED> {
  return {
    id: key.id,
    account_id: key.accountId,
    workspace_id: key.workspaceId,
    provider: key.provider,
    label: key.label,
    name: key.name,
    disabled: Number(key.disabled),
    is_fallback: Number(key.isFallback),
    is_required: Number(key.isRequired),
    is_byok_only: Number(key.isByokOnly),
    declared_zdr: key.declaredZdr === null ? null : 0,
    allowed_models_json: namesJson(key.allowedModels),
    allowed_api_key_hashes_json: namesJson(key.allowedApiKeyHashes),
    allowed_user_ids_json: namesJson(key.allowedUserIds),
    workspace_ids_json: namesJson(key.workspaceIds),
    sort_order: key.sortOrder,
    created_at: key.createdAt,
    updated_at: key.updatedAt,
  };
}
