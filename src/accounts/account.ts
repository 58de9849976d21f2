import type { ApiKey } from '../identity/api-key.js';
import type { ManagementKey } from '../identity/management-key.js';
import type { OperatorKey } from '../identity/operator-key.js';
import type { Plan } from '../ledger/plan.js';
import type { Guardrail } from './guardrails/guardrail.js';

/** An organisation: everything in the gateway belongs to one (interface section 2). */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  readonly ownerUserId: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** A part of an account that API keys and BYOK keys belong to. */
export interface Workspace {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** Unique within the account. */
  readonly slug: string;
  readonly description: string | null;
  /** Every account has exactly one: what names no workspace goes there. */
  readonly isDefault: boolean;
  /** The guardrail that applies to all traffic of the workspace. */
  readonly defaultGuardrailId: string;
  /** Whether BYOK spend counts toward the workspace's budgets, whatever their interval (spec 4.5.9). */
  readonly includeByokInBudgets: boolean;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Keeps accounts and workspaces. Every method is one transaction. */
export interface AccountStore {
  /** Stores an account with its default workspace, that one's guardrail and its first management key, all or nothing. */
  addAccount(
    account: Account,
    workspace: Workspace,
    guardrail: Guardrail,
    managementKey: ManagementKey,
  ): Promise<void>;
  /**
   * As `addAccount`, with an API key of the account and an operator key, unless there is an account already; then
   * nothing is stored and the answer is false.
   */
  addFirstAccount(
    records: Parameters<AccountStore['addAccount']>,
    apiKey: ApiKey,
    operatorKey: OperatorKey,
  ): Promise<boolean>;
  /** All accounts by `createdAt`, then id. */
  listAccounts(): Promise<readonly Account[]>;
  /** Whether there is any account at all: there is none before the very first start. */
  hasAccounts(): Promise<boolean>;
  findAccount(id: string): Promise<Account | undefined>;
  /** The account's workspace of that id, or with null its default one. */
  findWorkspace(accountId: string, id: string | null): Promise<Workspace | undefined>;
}
