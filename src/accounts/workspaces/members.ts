import type { Clock } from '../../base/clock.js';
import type { Ids } from '../../base/ids.js';
import { invalid, notFound, type Violation } from '../../base/problem.js';
import type { Listed, Page } from '../page.js';
import { checkSubjects } from '../rules.js';

/** A user who belongs to a workspace. User identifiers are the operator's own and registered nowhere. */
export interface WorkspaceMember {
  readonly id: string;
  readonly workspaceId: string;
  readonly userId: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** Every method is one transaction and resolves to undefined when there is no such workspace. */
export interface MemberStore {
  /** By `createdAt`, then id. */
  listMembers(accountId: string, workspace: string, page: Page): Promise<Listed<WorkspaceMember> | undefined>;
  /** `added` counts the new members; `members` has all the users, in their order. */
  addMembers(
    accountId: string,
    workspace: string,
    users: readonly Omit<WorkspaceMember, 'workspaceId'>[],
  ): Promise<{ added: number; members: readonly WorkspaceMember[] } | undefined>;
  /** How many of the users were members. */
  removeMembers(
    accountId: string,
    workspace: string,
    userIds: readonly string[],
  ): Promise<number | undefined>;
}

/** The operations accept the id or the slug of a workspace. */
export interface MemberDependencies {
  readonly store: MemberStore;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Throws 404 for a workspace that the account does not have. */
export async function listMembers(
  { store }: Pick<MemberDependencies, 'store'>,
  accountId: string,
  workspace: string,
  page: Page,
): Promise<Listed<WorkspaceMember>> {
  return found(await store.listMembers(accountId, workspace, page));
}

/** Adds 1 to 100 users. Throws a 400 Problem that names every violation, 404 when there is no such workspace. */
export async function addMembers(
  { store, clock, ids }: MemberDependencies,
  accountId: string,
  workspace: string,
  userIds: readonly string[],
): Promise<{ added: number; members: readonly WorkspaceMember[] }> {
  requireUsers(userIds);
  const createdAt = clock.now();
  const users = [...new Set(userIds)].map((userId) => ({ id: ids.uuid(), userId, createdAt }));
  return found(await store.addMembers(accountId, workspace, users));
}

/** Removes 1 to 100 users and returns how many were members. Throws as `addMembers` does. */
export async function removeMembers(
  { store }: Pick<MemberDependencies, 'store'>,
  accountId: string,
  workspace: string,
  userIds: readonly string[],
): Promise<number> {
  requireUsers(userIds);
  return found(await store.removeMembers(accountId, workspace, userIds));
}

export function memberViolations(userIds: readonly string[]): Violation[] {
  return checkSubjects('user_ids', userIds);
}

function requireUsers(userIds: readonly string[]): void {
  const violations = memberViolations(userIds);
  if (violations.length > 0) throw invalid(violations);
}

function found<T>(answer: T | undefined): T {
  if (answer === undefined) throw notFound();
  return answer;
}
