/**
 * Warnings about an account's rules that were accepted and have no effect now: docs/routing.md#warnings. Made whenever
 * the rules are read.
 */
import type { Violation } from '../../base/problem.js';
import type { Catalog } from '../../catalog/assembled/catalog.js';
import { unmatchedModels, unmatchedNames } from '../../catalog/assembled/unmatched.js';
import type { GuardrailRules } from '../guardrails/guardrail.js';
import type { KnownNames } from '../known-names.js';
import type { Preferences } from './preferences.js';

type Models = Pick<Catalog, 'models' | 'resolveId' | 'nearestModelIds'>;

export function guardrailWarnings(rules: GuardrailRules, catalog: Models, known: KnownNames): Violation[] {
  const { limitNanoUsd, includeByokInBudgets, resetInterval } = rules;
  return [
    ...unmatchedModels('allowed_models', rules.allowedModels, catalog),
    ...unmatchedModels('ignored_models', rules.ignoredModels, catalog),
    ...preferenceWarnings(rules, known),
    ...unmatchedNames('allowed_data_regions', rules.allowedDataRegions, 'region', known.regions),
    ...(limitNanoUsd === null && includeByokInBudgets ? [withoutLimit('include_byok_in_budgets')] : []),
    ...(limitNanoUsd === null && resetInterval !== null ? [withoutLimit('reset_interval')] : []),
  ];
}

export function preferenceWarnings(
  { allowedProviders, ignoredProviders }: Pick<Preferences, 'allowedProviders' | 'ignoredProviders'>,
  { providers }: KnownNames,
): Violation[] {
  return [
    ...unmatchedNames('allowed_providers', allowedProviders, 'provider', providers),
    ...unmatchedNames('ignored_providers', ignoredProviders, 'provider', providers),
  ];
}

function withoutLimit(field: string): Violation {
  return { field, rule: 'no_effect', message: 'has no effect without a budget: set limit_usd' };
}
