import type { Guardrail } from '../guardrails/guardrail.js';
import type { Listed, Page } from '../page.js';
import type { Workspace } from './workspace.js';

export interface WorkspaceTransaction {
  findWorkspace(accountId: string, idOrSlug: string): Promise<Workspace | undefined>;
  findBySlug(accountId: string, slug: string): Promise<Workspace | undefined>;
  insertWorkspace(workspace: Workspace, defaultGuardrail: Guardrail): Promise<void>;
  replaceWorkspace(workspace: Workspace): Promise<void>;
  /** Whether the workspace has BYOK keys, or API keys that are not deleted. */
  hasKeys(workspaceId: string): Promise<boolean>;
  /** Whether a guardrail of the workspace is assigned to any key or member. */
  hasAssignedGuardrails(workspaceId: string): Promise<boolean>;
  /** Deletes the workspace with its guardrails, members and budgets; reports keep its name. */
  deleteWorkspace(workspace: Workspace): Promise<void>;
}

/** `idOrSlug`: when both match, the id takes precedence. */
export interface WorkspaceStore {
  transact<T>(work: (tx: WorkspaceTransaction) => Promise<T>): Promise<T>;
  findWorkspace(accountId: string, idOrSlug: string): Promise<Workspace | undefined>;
  /** By `createdAt`, then id. */
  listWorkspaces(accountId: string, page: Page): Promise<Listed<Workspace>>;
}
