import type { Clock } from '../../base/clock.js';
import type { Ids } from '../../base/ids.js';
import { invalid, notFound, type Violation } from '../../base/problem.js';
import type { Listed, Page } from '../page.js';
import { checkSubjects } from '../rules.js';

/** Keys are identified by their hash, members by their user identifier. */
export type SubjectKind = 'key' | 'member';

/** Assigns a guardrail to a key or a member; each has at most one. */
export interface Assignment {
  readonly id: string;
  readonly accountId: string;
  readonly guardrailId: string;
  readonly kind: SubjectKind;
  readonly subject: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** An assignment with what people know its key by; null for members. */
export interface ListedAssignment extends Assignment {
  readonly keyName: string | null;
  readonly keyLabel: string | null;
}

export interface AssignmentTransaction {
  hasGuardrail(accountId: string, id: string): Promise<boolean>;
  /** The hashes among these that are keys of the account and not deleted. */
  ownKeys(accountId: string, hashes: readonly string[]): Promise<ReadonlySet<string>>;
  /** Replaces existing assignments; returns how many subjects did not have the guardrail before. */
  assign(assignments: readonly Assignment[]): Promise<number>;
  /** Returns how many of the subjects had the guardrail. */
  unassign(guardrailId: string, kind: SubjectKind, subjects: readonly string[]): Promise<number>;
}

export interface AssignmentStore {
  transact<T>(work: (tx: AssignmentTransaction) => Promise<T>): Promise<T>;
  /** By `createdAt`, then id, without deleted keys; null = of all guardrails; undefined when there is no such guardrail. */
  listAssignments(
    accountId: string,
    guardrailId: string | null,
    kind: SubjectKind,
    page: Page,
  ): Promise<Listed<ListedAssignment> | undefined>;
}

export interface AssignmentDependencies {
  readonly store: AssignmentStore;
  readonly clock: Clock;
  readonly ids: Ids;
}

const FIELDS: Readonly<Record<SubjectKind, string>> = { key: 'key_hashes', member: 'member_user_ids' };

/** Of one guardrail, or with null of all. Throws 404 for a guardrail that the account does not have. */
export async function listAssignments(
  { store }: Pick<AssignmentDependencies, 'store'>,
  accountId: string,
  guardrailId: string | null,
  kind: SubjectKind,
  page: Page,
): Promise<Listed<ListedAssignment>> {
  const listed = await store.listAssignments(accountId, guardrailId, kind, page);
  if (listed === undefined) throw notFound();
  return listed;
}

/**
 * Assigns the guardrail to 1 to 100 keys or members, in place of the one that they had, and returns how many did not
 * have it before. Throws a 400 Problem that names every violation and every key that the account does not have, 404 for
 * a guardrail that it does not have.
 */
export async function assign(
  { store, clock, ids }: AssignmentDependencies,
  accountId: string,
  guardrailId: string,
  kind: SubjectKind,
  subjects: readonly string[],
): Promise<number> {
  requireSubjects(kind, subjects);
  const createdAt = clock.now();
  return store.transact(async (tx) => {
    if (!(await tx.hasGuardrail(accountId, guardrailId))) throw notFound();
    if (kind === 'key') requireKnown(subjects, await tx.ownKeys(accountId, subjects));
    return tx.assign(
      [...new Set(subjects)].map((subject) => ({
        id: ids.uuid(),
        accountId,
        guardrailId,
        kind,
        subject,
        createdAt,
      })),
    );
  });
}

/**
 * Removes the guardrail from 1 to 100 keys or members and returns how many had it. Throws a 400 Problem that names
 * every violation, 404 for a guardrail that the account does not have.
 */
export async function unassign(
  { store }: Pick<AssignmentDependencies, 'store'>,
  accountId: string,
  guardrailId: string,
  kind: SubjectKind,
  subjects: readonly string[],
): Promise<number> {
  requireSubjects(kind, subjects);
  return store.transact(async (tx) => {
    if (!(await tx.hasGuardrail(accountId, guardrailId))) throw notFound();
    return tx.unassign(guardrailId, kind, subjects);
  });
}

/** Without the check whether the keys exist. */
export function subjectViolations(kind: SubjectKind, subjects: readonly string[]): Violation[] {
  return checkSubjects(FIELDS[kind], subjects);
}

function requireSubjects(kind: SubjectKind, subjects: readonly string[]): void {
  const violations = subjectViolations(kind, subjects);
  if (violations.length > 0) throw invalid(violations);
}

function requireKnown(hashes: readonly string[], known: ReadonlySet<string>): void {
  const violations = hashes.flatMap((hash, index): Violation[] =>
    known.has(hash)
      ? []
      : [{ field: `${FIELDS.key}[${index}]`, rule: 'known', message: 'must be an API key of this account' }],
  );
  if (violations.length > 0) throw invalid(violations);
}
