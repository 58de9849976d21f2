/**
 * What an account and its guardrails allow a caller, and the budgets that apply to it. Pure. See
 * `docs/routing.md#guardrails` and `docs/money.md#limits-and-budgets`.
 */

import type { NanoUsd } from '../../base/money.js';
import { isListed } from '../../base/name-pattern.js';
import type { Visibility } from '../../catalog/visibility.js';
import type { Interval } from '../../ledger/balance/windows.js';
import type { SpendLimit } from '../../ledger/limits.js';
import { type Keyholder, subjects } from '../../ledger/payer.js';
import type { Guardrail } from '../guardrails/guardrail.js';
import type { Names } from '../rules.js';
import { type WorkspaceBudgets, windowOf } from '../workspaces/budget.js';
import type { Preferences } from './preferences.js';

/** What a guardrail is assigned to. */
export type GuardrailScope = 'key' | 'member' | 'workspace';

/** Everything that applies to one caller. The same guardrail may apply through several scopes. */
export interface PolicySources {
  readonly preferences: Preferences;
  readonly guardrails: readonly { readonly scope: GuardrailScope; readonly guardrail: Guardrail }[];
  readonly workspaceBudgets: WorkspaceBudgets;
  /** Whether the account may use the gateway's own credentials. */
  readonly hasSharedCapacity: boolean;
}

/** The budget of a guardrail in one of its scopes. Each is checked separately. */
export interface GuardrailBudget {
  readonly scope: GuardrailScope;
  readonly guardrailId: string;
  readonly name: string;
  readonly limitNanoUsd: NanoUsd;
  /** null = never resets. */
  readonly resetInterval: Interval | null;
  readonly includeByok: boolean;
}

/** With names as the account gave them: models by id, slug or alias. */
export type Restrictions = Omit<Visibility, 'region' | 'isRegionAdmitted'>;

/** Restrictions intersect, ZDR and deny are OR-ed, budgets are listed separately. */
export interface CallerPolicy {
  readonly restrictions: Restrictions;
  /** Every list must contain the region through which the request comes in. */
  readonly allowedDataRegions: readonly (readonly string[])[];
  readonly defaultSort: Preferences['defaultSort'];
  readonly guardrailBudgets: readonly GuardrailBudget[];
  readonly workspaceBudgets: WorkspaceBudgets;
}

/** Order and repetition of guardrails make no difference to what is allowed. */
export function combinePolicies({
  preferences,
  guardrails,
  workspaceBudgets,
  hasSharedCapacity,
}: PolicySources): CallerPolicy {
  const rules = guardrails.map(({ guardrail }) => guardrail);
  return {
    restrictions: {
      hasSharedCapacity,
      zdr: preferences.zdr || rules.some((rule) => rule.enforceZdr),
      denyDataCollection: [preferences, ...rules].some((rule) => rule.dataCollection === 'deny'),
      guardrailAllowedModels: given(rules.map((rule) => rule.allowedModels)),
      guardrailIgnoredModels: union(rules.map((rule) => rule.ignoredModels)),
      guardrailAllowedProviders: given(rules.map((rule) => rule.allowedProviders)),
      guardrailIgnoredProviders: union(rules.map((rule) => rule.ignoredProviders)),
      preferenceAllowedProviders: preferences.allowedProviders,
      preferenceIgnoredProviders: preferences.ignoredProviders ?? [],
    },
    allowedDataRegions: given(rules.map((rule) => rule.allowedDataRegions)),
    defaultSort: preferences.defaultSort,
    guardrailBudgets: guardrails.flatMap(({ scope, guardrail }) => budgetOf(scope, guardrail)),
    workspaceBudgets,
  };
}

/** `region` is the one that the request came in through; `global` for hosts without a region of their own. */
export function regionAllowed({ allowedDataRegions }: CallerPolicy, region: string): boolean {
  return allowedDataRegions.every((regions) => isListed(regions, region));
}

/** Resolves every name of a model to its id. */
export function resolvePolicy(
  policy: CallerPolicy,
  region: string,
  resolveModelId: (name: string) => string,
): Visibility {
  const { restrictions } = policy;
  return {
    ...restrictions,
    region,
    isRegionAdmitted: regionAllowed(policy, region),
    guardrailAllowedModels: restrictions.guardrailAllowedModels.map((names) => names.map(resolveModelId)),
    guardrailIgnoredModels: restrictions.guardrailIgnoredModels.map(resolveModelId),
  };
}

/**
 * The budgets that apply to the payer, each checked separately: those of guardrails, then those of the workspace with
 * the shortest interval first.
 */
export function budgetLimits(
  { guardrailBudgets, workspaceBudgets }: CallerPolicy,
  payer: Keyholder,
): readonly SpendLimit[] {
  const { budgets, includeByokInBudgets, workspaceId, workspaceName } = workspaceBudgets;
  return [
    ...guardrailBudgets.map((budget) => guardrailLimit(budget, payer)),
    ...budgets.map(
      ({ interval, limitNanoUsd }): SpendLimit => ({
        kind: 'workspace',
        subject: subjects.workspace(workspaceId),
        interval: windowOf(interval),
        includeByok: includeByokInBudgets,
        limitNanoUsd,
        id: workspaceId,
        name: workspaceName,
        title: null,
      }),
    ),
  ];
}

function given(lists: readonly Names[]): readonly (readonly string[])[] {
  return lists.filter((names) => names !== null);
}

function union(lists: readonly Names[]): readonly string[] {
  return [...new Set(lists.flatMap((names) => names ?? []))];
}

function budgetOf(scope: GuardrailScope, guardrail: Guardrail): GuardrailBudget[] {
  const { id, name, limitNanoUsd, resetInterval, includeByokInBudgets } = guardrail;
  if (limitNanoUsd === null) return [];
  return [{ scope, guardrailId: id, name, limitNanoUsd, resetInterval, includeByok: includeByokInBudgets }];
}

function guardrailLimit(budget: GuardrailBudget, payer: Keyholder): SpendLimit {
  const { scope, guardrailId, name, resetInterval, includeByok, limitNanoUsd } = budget;
  return {
    kind: 'guardrail',
    subject: subjectFor(scope, payer),
    interval: resetInterval,
    includeByok,
    limitNanoUsd,
    id: guardrailId,
    name,
    title: `the guardrail ${JSON.stringify(name)} ${WHOSE[scope]}`,
  };
}

const WHOSE: Record<GuardrailScope, string> = {
  key: 'of this API key',
  member: 'of this member',
  workspace: 'of this workspace',
};

/** The budget of a workspace's default guardrail applies to each member within the workspace. */
function subjectFor(scope: GuardrailScope, payer: Keyholder): string {
  switch (scope) {
    case 'key':
      return subjects.key(payer.apiKeyHash);
    case 'member':
      return subjects.member(payer.accountId, payer.userId);
    case 'workspace':
      return subjects.workspaceMember(payer.workspaceId, payer.userId);
  }
}
