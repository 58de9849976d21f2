import type { NanoUsd } from '../../base/money.js';
import type { Interval } from '../../ledger/balance/windows.js';
import type { Listed, Page } from '../page.js';
import type { Names } from '../rules.js';

export interface GuardrailRules {
  readonly name: string;
  readonly description: string | null;
  /** Budget of each key and each member; null = none. */
  readonly limitNanoUsd: NanoUsd | null;
  /** null = the budget never resets. */
  readonly resetInterval: Interval | null;
  readonly allowedModels: Names;
  readonly ignoredModels: Names;
  readonly allowedProviders: Names;
  readonly ignoredProviders: Names;
  readonly enforceZdr: boolean;
  readonly dataCollection: 'allow' | 'deny' | null;
  /** Regions through which requests may come in. */
  readonly allowedDataRegions: Names;
  /** Whether BYOK spend counts toward the budget. */
  readonly includeByokInBudgets: boolean;
}

/** Restrictions and a budget for the keys and members it is assigned to, or for a whole workspace. */
export interface Guardrail extends GuardrailRules {
  readonly id: string;
  readonly accountId: string;
  readonly workspaceId: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface GuardrailQuery extends Page {
  /** null = all workspaces. */
  readonly workspaceId: string | null;
}

/** Every method is one transaction. */
export interface GuardrailStore {
  /**
   * Stores the guardrail that `make` returns. `workspaceId` null means the account's default workspace; `make` gets
   * undefined for a workspace that the account does not have.
   */
  createGuardrail(
    accountId: string,
    workspaceId: string | null,
    make: (workspaceId: string | undefined) => Guardrail,
  ): Promise<Guardrail>;
  findGuardrail(accountId: string, id: string): Promise<Guardrail | undefined>;
  ownsWorkspace(accountId: string, workspaceId: string): Promise<boolean>;
  /** Whether the account has the workspace, or has had it. */
  hadWorkspace(accountId: string, workspaceId: string): Promise<boolean>;
  /** By `createdAt`, then id. */
  listGuardrails(accountId: string, query: GuardrailQuery): Promise<Listed<Guardrail>>;
  /** Replaces the guardrail by the result of `change`, with no other write in between. */
  updateGuardrail(
    accountId: string,
    id: string,
    change: (current: Guardrail) => Guardrail,
  ): Promise<Guardrail | undefined>;
  /** Deletes the guardrail with its assignments, unless it is the default one of its workspace. */
  deleteGuardrail(accountId: string, id: string): Promise<'deleted' | 'absent' | 'default'>;
}

/** The guardrail that every workspace starts with: it restricts nothing. */
export function emptyGuardrail(
  owner: Pick<Guardrail, 'id' | 'accountId' | 'workspaceId'>,
  now: number,
): Guardrail {
  return {
    ...owner,
    name: 'Workspace default',
    description: null,
    limitNanoUsd: null,
    resetInterval: null,
    allowedModels: null,
    ignoredModels: null,
    allowedProviders: null,
    ignoredProviders: null,
    enforceZdr: false,
    dataCollection: null,
    allowedDataRegions: null,
    includeByokInBudgets: false,
    createdAt: now,
    updatedAt: now,
  };
}
