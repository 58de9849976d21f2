import type { ApiKey } from '../../identity/api-key.js';
import type { ManagementKey } from '../../identity/management-key.js';
import type { OperatorKey } from '../../identity/operator-key.js';
import type { BillingPlan } from '../../ledger/payer.js';
import type { Guardrail } from '../guardrails/guardrail.js';
import type { Workspace } from '../workspaces/workspace.js';

/** An organisation, which everything else belongs to. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly plan: BillingPlan;
  readonly ownerUserId: string;
  /** Whether it may use the gateway's own credentials. */
  readonly hasSharedCapacity: boolean;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** Unix milliseconds; null = open. None of the keys of a closed account is admitted. */
  readonly closedAt: number | null;
}

export type AccountChange = Partial<Pick<Account, 'name' | 'plan' | 'hasSharedCapacity' | 'closedAt'>>;

/** Every method is one transaction. */
export interface AccountStore {
  /** Stores an account with its default workspace, the guardrail of that, and its first management key. */
  addAccount(
    account: Account,
    workspace: Workspace,
    guardrail: Guardrail,
    managementKey: ManagementKey,
  ): Promise<void>;
  /**
   * As `addAccount`, with an API key of the account and an operator key. Stores nothing and resolves to false when
   * there is an account already.
   */
  addFirstAccount(
    records: Parameters<AccountStore['addAccount']>,
    apiKey: ApiKey,
    operatorKey: OperatorKey,
  ): Promise<boolean>;
  /** All accounts by `createdAt`, then id. */
  listAccounts(): Promise<readonly Account[]>;
  /** False before the very first start. */
  hasAccounts(): Promise<boolean>;
  /** The account after the change; undefined when there is none of that id. */
  changeAccount(id: string, change: AccountChange): Promise<Account | undefined>;
  findAccount(id: string): Promise<Account | undefined>;
  /** The account's workspace with that id; with null its default one. */
  findWorkspace(accountId: string, id: string | null): Promise<Workspace | undefined>;
}
