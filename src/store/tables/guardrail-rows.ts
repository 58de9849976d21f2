import type { Insertable, Selectable } from 'kysely';
import type { Guardrail } from '../../accounts/guardrails/guardrail.js';
import type { GuardrailTable } from '../schema/schema.js';
import { namesJson, storedNames } from './name-list.js';

export function guardrailRow(guardrail: Guardrail): Insertable<GuardrailTable> {
  return {
    id: guardrail.id,
    account_id: guardrail.accountId,
    workspace_id: guardrail.workspaceId,
    name: guardrail.name,
    description: guardrail.description,
    limit_nano_usd: guardrail.limitNanoUsd,
    reset_interval: guardrail.resetInterval,
    allowed_models_json: namesJson(guardrail.allowedModels),
    ignored_models_json: namesJson(guardrail.ignoredModels),
    allowed_providers_json: namesJson(guardrail.allowedProviders),
    ignored_providers_json: namesJson(guardrail.ignoredProviders),
    enforce_zdr: guardrail.enforceZdr ? 1 : 0,
    data_collection: guardrail.dataCollection,
    allowed_data_regions_json: namesJson(guardrail.allowedDataRegions),
    include_byok_in_budgets: guardrail.includeByokInBudgets ? 1 : 0,
    created_at: guardrail.createdAt,
    updated_at: guardrail.updatedAt,
  };
}

export function guardrailOf(row: Selectable<GuardrailTable>): Guardrail {
  return {
    id: row.id,
    accountId: row.account_id,
    workspaceId: row.workspace_id,
    name: row.name,
    description: row.description,
    limitNanoUsd: row.limit_nano_usd,
    resetInterval: row.reset_interval,
    allowedModels: storedNames(row.allowed_models_json),
    ignoredModels: storedNames(row.ignored_models_json),
    allowedProviders: storedNames(row.allowed_providers_json),
    ignoredProviders: storedNames(row.ignored_providers_json),
    enforceZdr: row.enforce_zdr === 1,
    dataCollection: row.data_collection,
    allowedDataRegions: storedNames(row.allowed_data_regions_json),
    includeByokInBudgets: row.include_byok_in_budgets === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
