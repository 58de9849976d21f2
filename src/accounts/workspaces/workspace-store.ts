import type { Workspace } from '../account.js';
import type { Guardrail } from '../guardrails/guardrail.js';
import type { Listed, Page } from '../page.js';

/** Reads and writes within one transaction. */
export interface WorkspaceTransaction {
  findWorkspace(accountId: string, idOrSlug: string): Promise<Workspace | undefined>;
  /** The account's workspace of exactly that slug. */
  findBySlug(accountId: string, slug: string): Promise<Workspace | undefined>;
  insertWorkspace(workspace: Workspace, defaultGuardrail: Guardrail): Promise<void>;
  replaceWorkspace(workspace: Workspace): Promise<void>;
  /** Whether the workspace has BYOK keys, or API keys that are not deleted. */
  hasKeys(workspaceId: string): Promise<boolean>;
  /** Whether a guardrail of the workspace is on any key or member. */
  hasAssignedGuardrails(workspaceId: string): Promise<boolean>;
  /** Deletes the workspace with its guardrails, members and budgets. */
  deleteWorkspace(workspaceId: string): Promise<void>;
}

/** Keeps workspaces. What names one may be its id or its slug; an id goes first. */
export interface WorkspaceStore {
  transact<T>(work: (tx: WorkspaceTransaction) => Promise<T>): Promise<T>;
  findWorkspace(accountId: string, idOrSlug: string): Promise<Workspace | undefined>;
  /** Workspaces by `createdAt`, then id. */
  listWorkspaces(accountId: string, page: Page): Promise<Listed<Workspace>>;
}
