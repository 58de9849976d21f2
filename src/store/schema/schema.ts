import type { Generated } from 'kysely';
import type { EndUserTable, StoredUsageAttributionTable } from './attribution-schema.js';
import type { BatchRowsTable, BatchTable } from './batch-schema.js';
import type { CachedAnswersSizeTable, CachedAnswerTable } from './cache-schema.js';
import type { CatalogModelTable, CatalogProviderTable, ProviderHeaderTable } from './catalog-schema.js';
import type { LedgerEntryTable, TopUpNoteTable } from './ledger-kinds.js';
import type { ReservationTable, RunTable, SpendTotalTable, StreamJournalRow } from './ledger-schema.js';
import type { RefusalColumns } from './refusal-columns.js';
import type {
  AttributionCarriedForwardTable,
  LedgerCarriedForwardTable,
  RetentionTable,
} from './retention-schema.js';
import type { SealedColumns } from './sealed-columns.js';
import type {
  BillingTermsTable,
  GenerationTable,
  UsageDailyFillTable,
  UsageDailyTable,
  UsageFillTable,
  UsageRollupTable,
} from './usage-schema.js';

export type { LedgerEntryTable, ReservationTable, SpendTotalTable };

/**
 * The tables for Kysely, the same in SQLite and in PostgreSQL. Instants are Unix milliseconds; booleans are 0 or 1;
 * columns that end in `_nano_usd` are bigint, every other integer is a number; `*_json` columns hold JSON text.
 */
export interface Tables {
  account: AccountTable;
  workspace: WorkspaceTable;
  api_key: ApiKeyTable;
  management_key: ManagementKeyTable;
  client: ClientTable;
  operator_key: OperatorKeyTable;
  guardrail: GuardrailTable;
  guardrail_assignment: GuardrailAssignmentTable;
  workspace_member: WorkspaceMemberTable;
  workspace_budget: WorkspaceBudgetTable;
  account_preferences: AccountPreferencesTable;
  deleted_name: DeletedNameTable;
  byok_key: ByokKeyTable;
  shared_credential: SharedCredentialTable;
  mark_key: MarkKeyTable;
  cached_answer: CachedAnswerTable;
  cached_answers_size: CachedAnswersSizeTable;
  catalog_provider: CatalogProviderTable;
  catalog_model: CatalogModelTable;
  provider_header: ProviderHeaderTable;
  billing_terms: BillingTermsTable;
  generation: GenerationTable;
  usage_rollup: UsageRollupTable;
  usage_fill: UsageFillTable;
  usage_daily: UsageDailyTable;
  usage_daily_fill: UsageDailyFillTable;
  usage_attribution: StoredUsageAttributionTable;
  end_user: EndUserTable;
  ledger_entry: LedgerEntryTable;
  top_up_note: TopUpNoteTable;
  ledger_carried_forward: LedgerCarriedForwardTable;
  attribution_carried_forward: AttributionCarriedForwardTable;
  retention: RetentionTable;
  spend_total: SpendTotalTable;
  reservation: ReservationTable;
  run: RunTable;
  stream_journal: StreamJournalRow;
  batch: BatchTable;
  batch_rows: BatchRowsTable;
  revision: RevisionTable;
}

/** Everything else belongs to an account, which is what is charged. */
export interface AccountTable {
  id: string;
  name: string;
  plan: 'pay_as_you_go' | 'enterprise';
  owner_user_id: string;
  created_at: number;
  has_shared_capacity: Generated<number>;
  /** null = open. */
  closed_at: number | null;
}

/** Exactly one workspace of an account has `is_default` 1. */
export interface WorkspaceTable {
  id: string;
  account_id: string;
  name: string;
  slug: string;
  description: string | null;
  is_default: number;
  /** A guardrail of this workspace. */
  default_guardrail_id: Generated<string>;
  include_byok_in_budgets: Generated<number>;
  created_at: number;
  updated_at: number;
}

/** `hash` is the SHA-256 of the secret, which is not stored. */
export interface ApiKeyTable {
  hash: string;
  account_id: string;
  workspace_id: string;
  client_id: string | null;
  creator_user_id: string;
  name: string;
  label: string;
  disabled: number;
  limit_nano_usd: bigint | null;
  limit_reset: 'daily' | 'weekly' | 'monthly' | null;
  include_byok_in_limit: number;
  expires_at: number | null;
  created_at: number;
  updated_at: number;
  /** Deleted keys keep their row, since ledger entries and generations refer to them. */
  deleted_at: number | null;
  end_user_limit_nano_usd: bigint | null;
  end_user_limit_reset: 'daily' | 'weekly' | 'monthly' | null;
  end_user_required: Generated<number>;
  /** Seconds; null = nothing is cached. */
  cache_ttl: number | null;
}

/** Revoked keys keep their row. */
export interface ManagementKeyTable {
  hash: string;
  account_id: string;
  name: string;
  label: string;
  created_at: number;
  revoked_at: number | null;
}

/** Revoked keys keep their row. */
export type OperatorKeyTable = Omit<ManagementKeyTable, 'account_id'>;

/** Deleted clients keep their row. */
export interface ClientTable {
  id: string;
  account_id: string;
  name: string;
  secret_hash: string;
  /** The member that its keys belong to; null = `defaultClientUser`. */
  user_id: string | null;
  created_at: number;
  deleted_at: number | null;
}

export interface GuardrailTable {
  id: string;
  account_id: string;
  workspace_id: string;
  name: string;
  description: string | null;
  limit_nano_usd: bigint | null;
  reset_interval: 'daily' | 'weekly' | 'monthly' | null;
  allowed_models_json: string | null;
  ignored_models_json: string | null;
  allowed_providers_json: string | null;
  ignored_providers_json: string | null;
  enforce_zdr: number;
  data_collection: 'allow' | 'deny' | null;
  allowed_data_regions_json: string | null;
  include_byok_in_budgets: number;
  created_at: number;
  updated_at: number;
}

/** At most one row per key and per member of an account. */
export interface GuardrailAssignmentTable {
  id: string;
  account_id: string;
  guardrail_id: string;
  kind: 'key' | 'member';
  /** The hash of an API key or a user identifier. */
  subject: string;
  created_at: number;
}

export interface WorkspaceMemberTable {
  id: string;
  workspace_id: string;
  user_id: string;
  created_at: number;
}

/** At most one row per interval of a workspace. */
export interface WorkspaceBudgetTable {
  id: string;
  workspace_id: string;
  interval: 'daily' | 'weekly' | 'monthly' | 'lifetime';
  limit_nano_usd: bigint;
  created_at: number;
  updated_at: number;
}

/** An account without a row has the defaults. */
export interface AccountPreferencesTable {
  account_id: string;
  allowed_providers_json: string | null;
  ignored_providers_json: string | null;
  zdr: number;
  data_collection: 'allow' | 'deny' | null;
  default_sort: 'price' | 'throughput' | 'latency' | null;
}

/** `sort_order` has no gaps within a section. Lists are JSON arrays; null = unrestricted. */
export interface ByokKeyTable extends SealedColumns, RefusalColumns {
  id: string;
  account_id: string;
  workspace_id: string;
  provider: string;
  label: string;
  name: string | null;
  disabled: number;
  is_fallback: number;
  is_required: number;
  is_byok_only: number;
  declared_zdr: number | null;
  allowed_models_json: string | null;
  allowed_api_key_hashes_json: string | null;
  allowed_user_ids_json: string | null;
  workspace_ids_json: string | null;
  sort_order: number;
  created_at: number;
  updated_at: number;
}

/** What reports call a workspace or a BYOK key whose row is gone. */
export interface DeletedNameTable {
  id: string;
  account_id: string;
  kind: 'workspace' | 'byok_key';
  name: string;
}

/** The operator's credentials, at most one per provider. */
export interface SharedCredentialTable extends SealedColumns {
  provider: string;
  label: string;
  updated_at: number;
}

/** The keys that accounts' marks are signed with, at most one per account. */
export interface MarkKeyTable extends SealedColumns {
  account_id: string;
}

/** One counter per kind of cached state; every write of such state bumps its counter in the same transaction. */
export interface RevisionTable {
  scope: RevisionScope;
  value: number;
}

/**
 * State that processes cache: `identity` (keys, clients, accounts, workspaces), `byok` (keys and shared credentials),
 * `catalog`, `policy` (guardrails, assignments, preferences, budgets).
 */
export const REVISION_SCOPES = ['identity', 'byok', 'catalog', 'policy'] as const;
export type RevisionScope = (typeof REVISION_SCOPES)[number];
