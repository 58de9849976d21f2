import type { Clock } from '../../base/clock.js';
import type { Ids } from '../../base/ids.js';
import { invalid, notFound, Problem } from '../../base/problem.js';
import { UNKNOWN_WORKSPACE } from '../../identity/key-rules.js';
import type { KnownNames } from '../known-names.js';
import type { Listed } from '../page.js';
import type { Guardrail, GuardrailQuery, GuardrailRules, GuardrailStore } from './guardrail.js';
import {
  changedGuardrail,
  deduplicated,
  type GuardrailChanges,
  guardrailChangeViolations,
  guardrailViolations,
} from './guardrail-changes.js';

export interface GuardrailDependencies {
  readonly store: GuardrailStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly knownNames: () => Promise<KnownNames>;
}

/** `workspaceId` null = the account's default workspace. */
export interface NewGuardrail extends GuardrailRules {
  readonly workspaceId: string | null;
}

/** A guardrail enforces nothing until it is assigned. Throws a 400 Problem that names every violation. */
export async function createGuardrail(
  { store, clock, ids, knownNames }: GuardrailDependencies,
  accountId: string,
  { workspaceId: requestedWorkspaceId, ...rules }: NewGuardrail,
): Promise<Guardrail> {
  const ownViolations = guardrailViolations(rules, await knownNames());
  const now = clock.now();
  return store.createGuardrail(accountId, requestedWorkspaceId, (workspaceId) => {
    const violations = workspaceId === undefined ? [...ownViolations, UNKNOWN_WORKSPACE] : ownViolations;
    if (workspaceId === undefined || violations.length > 0) throw invalid(violations);
    return { id: ids.uuid(), accountId, workspaceId, ...deduplicated(rules), createdAt: now, updatedAt: now };
  });
}

/** Throws 404 for a guardrail that the account does not have. */
export async function getGuardrail(
  { store }: Pick<GuardrailDependencies, 'store'>,
  accountId: string,
  id: string,
): Promise<Guardrail> {
  return found(await store.findGuardrail(accountId, id));
}

/** Throws a 400 Problem for a workspace that the account has never had. */
export async function listGuardrails(
  { store }: Pick<GuardrailDependencies, 'store'>,
  accountId: string,
  query: GuardrailQuery,
): Promise<Listed<Guardrail>> {
  if (query.workspaceId !== null && !(await store.hadWorkspace(accountId, query.workspaceId))) {
    throw invalid([UNKNOWN_WORKSPACE]);
  }
  return store.listGuardrails(accountId, query);
}

/** Throws a 400 Problem that names every violation, 404 for a guardrail that the account does not have. */
export async function updateGuardrail(
  { store, clock, knownNames }: Omit<GuardrailDependencies, 'ids'>,
  accountId: string,
  id: string,
  changes: GuardrailChanges,
): Promise<Guardrail> {
  const violations = guardrailChangeViolations(changes, await knownNames());
  if (violations.length > 0) throw invalid(violations);
  return found(
    await store.updateGuardrail(accountId, id, (current) => changedGuardrail(current, changes, clock.now())),
  );
}

/** Deletes a guardrail with its assignments. Throws 404 when there is none, 409 for the default one of a workspace. */
export async function deleteGuardrail(
  { store }: Pick<GuardrailDependencies, 'store'>,
  accountId: string,
  id: string,
): Promise<void> {
  switch (await store.deleteGuardrail(accountId, id)) {
    case 'absent':
      throw notFound();
    case 'default':
      throw new Problem('in_use', 'The default guardrail of a workspace cannot be deleted');
    case 'deleted':
  }
}

function found(guardrail: Guardrail | undefined): Guardrail {
  if (guardrail === undefined) throw notFound();
  return guardrail;
}
