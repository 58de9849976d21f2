/** What an account and its guardrails let a caller do, combined (interface section 4). Pure. */
import type { NanoUsd } from '../../base/money.js';
import type { Visibility } from '../../catalog/visibility.js';
import type { Interval } from '../../ledger/windows.js';
import type { Guardrail, Names } from '../guardrails/guardrail.js';
import type { WorkspaceBudgets } from '../workspaces/budget.js';
import type { Preferences } from './preferences.js';

/** How a guardrail comes to apply to a request: through its API key, its member, or its whole workspace. */
export type GuardrailScope = 'key' | 'member' | 'workspace';

/** Everything that bears on one caller. The same guardrail may apply in several ways. */
export interface PolicySources {
  readonly preferences: Preferences;
  readonly guardrails: readonly { readonly scope: GuardrailScope; readonly guardrail: Guardrail }[];
  readonly workspaceBudgets: WorkspaceBudgets;
}

/** The budget of a guardrail in one of the ways in which it applies. Each is checked by itself. */
export interface GuardrailBudget {
  readonly scope: GuardrailScope;
  readonly guardrailId: string;
  readonly name: string;
  readonly limitNanoUsd: NanoUsd;
  /** null = never starts anew. */
  readonly resetInterval: Interval | null;
  readonly includeByok: boolean;
}

/** What may be used, with names as the account gave them: models by id, slug or alias. */
export type Restrictions = Omit<Visibility, 'region' | 'isRegionAdmitted'>;

/** The sources combined: restrictions intersect, ZDR and deny are OR-ed, budgets stand side by side. */
export interface CallerPolicy {
  readonly restrictions: Restrictions;
  /** Every list must have the region that a request comes in through. */
  readonly allowedDataRegions: readonly (readonly string[])[];
  readonly defaultSort: Preferences['defaultSort'];
  readonly guardrailBudgets: readonly GuardrailBudget[];
  readonly workspaceBudgets: WorkspaceBudgets;
}

/** Combines everything that bears on a caller. Order and repetition of guardrails make no difference to what is admitted. */
export function combinePolicies({ preferences, guardrails, workspaceBudgets }: PolicySources): CallerPolicy {
  const rules = guardrails.map(({ guardrail }) => guardrail);
  return {
    restrictions: {
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

/** Whether a request may come in through the region; `global` is the ordinary host's. */
export function regionAllowed({ allowedDataRegions }: CallerPolicy, region: string): boolean {
  return allowedDataRegions.every((regions) => regions.includes(region));
}

/** The restrictions on a request through the region, with every name of a model resolved to its id. */
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
