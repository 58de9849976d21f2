import {
  applyChange,
  applyRequired,
  type Change,
  mustNotBeNull,
  sent,
  withFields,
} from '../../base/change.js';
import type { Clock } from '../../base/clock.js';
import { type Ids, isUuid } from '../../base/ids.js';
import { invalid, notFound, Problem, type Violation } from '../../base/problem.js';
import { checkName } from '../../identity/key-rules.js';
import type { Listed, Page } from '../page.js';
import { checkDescription } from '../rules.js';
import { newWorkspace } from './new-workspace.js';
import type { Workspace } from './workspace.js';
import type { WorkspaceStore, WorkspaceTransaction } from './workspace-store.js';

export interface WorkspaceDependencies {
  readonly store: WorkspaceStore;
  readonly clock: Clock;
  readonly ids: Ids;
}

export type NewWorkspace = Pick<Workspace, 'name' | 'slug' | 'description'>;

/** Only the description can be cleared. */
export interface WorkspaceChanges {
  readonly name: Change<string>;
  readonly slug: Change<string>;
  readonly description: Change<string>;
}

const SLUG = /^[a-z0-9-]{1,50}$/;

/**
 * Creates a workspace with an empty default guardrail. Throws a 400 Problem that names every violation, 409 for a slug
 * that the account already uses.
 */
export async function createWorkspace(
  { store, clock, ids }: WorkspaceDependencies,
  accountId: string,
  input: NewWorkspace,
): Promise<Workspace> {
  throwIfAny([
    ...checkName('name', input.name),
    ...checkSlug(input.slug),
    ...checkDescription(input.description),
  ]);
  const { workspace, guardrail } = newWorkspace(accountId, { ...input, isDefault: false }, ids, clock.now());
  return store.transact(async (tx) => {
    await requireFreeSlug(tx, workspace);
    await tx.insertWorkspace(workspace, guardrail);
    return workspace;
  });
}

/** Throws 404 for a workspace that the account does not have. */
export async function getWorkspace(
  { store }: Pick<WorkspaceDependencies, 'store'>,
  accountId: string,
  idOrSlug: string,
): Promise<Workspace> {
  return found(await store.findWorkspace(accountId, idOrSlug));
}

export function listWorkspaces(
  { store }: Pick<WorkspaceDependencies, 'store'>,
  accountId: string,
  page: Page,
): Promise<Listed<Workspace>> {
  return store.listWorkspaces(accountId, page);
}

/**
 * Throws a 400 Problem that names every violation, 404 for a workspace that the account does not have, 409 for a slug
 * that another workspace uses.
 */
export async function updateWorkspace(
  { store, clock }: Pick<WorkspaceDependencies, 'store' | 'clock'>,
  accountId: string,
  idOrSlug: string,
  changes: WorkspaceChanges,
): Promise<Workspace> {
  throwIfAny(workspaceChangeViolations(changes));
  return store.transact(async (tx) => {
    const current = found(await tx.findWorkspace(accountId, idOrSlug));
    const fields = {
      name: applyRequired(changes.name, current.name),
      slug: applyRequired(changes.slug, current.slug),
      description: applyChange(changes.description, current.description),
    };
    const next = withFields(current, fields, clock.now());
    if (next === current) return current;
    await requireFreeSlug(tx, next);
    await tx.replaceWorkspace(next);
    return next;
  });
}

/**
 * Deletes a workspace with its guardrails, members and budgets. Throws 404 when there is none, 409 for the default one
 * and for one that still has keys or assigned guardrails, so that no restriction ends unnoticed.
 */
export function deleteWorkspace(
  { store }: Pick<WorkspaceDependencies, 'store'>,
  accountId: string,
  idOrSlug: string,
): Promise<void> {
  return store.transact(async (tx) => {
    const workspace = found(await tx.findWorkspace(accountId, idOrSlug));
    const { id, isDefault } = workspace;
    if (isDefault) throw new Problem('in_use', 'The default workspace cannot be deleted');
    if (await tx.hasKeys(id)) throw new Problem('in_use', 'The workspace still has keys');
    if (await tx.hasAssignedGuardrails(id)) {
      throw new Problem('in_use', 'The workspace still has a guardrail that is assigned');
    }
    await tx.deleteWorkspace(workspace);
  });
}

/** Without the check whether the slug is free. */
export function workspaceChangeViolations({ name, slug, description }: WorkspaceChanges): Violation[] {
  return [
    ...mustNotBeNull('name', name),
    ...(name.kind === 'set' ? checkName('name', name.value) : []),
    ...mustNotBeNull('slug', slug),
    ...(slug.kind === 'set' ? checkSlug(slug.value) : []),
    ...checkDescription(sent(description) ?? null),
  ];
}

/** With the form of an id a slug could be another workspace's, made before it or after. */
function checkSlug(slug: string): Violation[] {
  if (isUuid(slug)) {
    const message = 'must not have the form of an identifier (UUID), by which workspaces are named too';
    return [{ field: 'slug', rule: 'identifier', message }];
  }
  if (SLUG.test(slug)) return [];
  const message = 'must have 1 to 50 characters, each a lower-case letter, a digit or a dash';
  return [{ field: 'slug', rule: 'pattern', message }];
}

function throwIfAny(violations: readonly Violation[]): void {
  if (violations.length > 0) throw invalid(violations);
}

async function requireFreeSlug(tx: WorkspaceTransaction, { accountId, id, slug }: Workspace): Promise<void> {
  const existing = await tx.findBySlug(accountId, slug);
  if (existing === undefined || existing.id === id) return;
  throw new Problem('already_exists', `The account already has a workspace with the slug ${slug}`);
}

function found(workspace: Workspace | undefined): Workspace {
  if (workspace === undefined) throw notFound();
  return workspace;
}
