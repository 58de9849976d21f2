/** Validates new and changed guardrails, and applies updates. Pure. */
import {
  applyChange,
  applyRequired,
  type Change,
  mustNotBeNull,
  sent,
  withFields,
} from '../../base/change.js';
import type { Violation } from '../../base/problem.js';
import { deduplicate } from '../../base/text.js';
import { checkLimit, checkName } from '../../identity/key-rules.js';
import { type KnownNames, unknownNameViolations } from '../known-names.js';
import { checkDescription, checkNames, checkPatterns } from '../rules.js';
import type { Guardrail, GuardrailRules } from './guardrail.js';

/** Name and booleans can't be cleared. */
export type GuardrailChanges = {
  readonly [Field in keyof GuardrailRules]: Change<NonNullable<GuardrailRules[Field]>>;
};

type PartialRules = { readonly [Field in keyof GuardrailRules]?: GuardrailRules[Field] | undefined };

/** Checks the rules that are given; undefined = not given. */
export function guardrailViolations(rules: PartialRules, known: KnownNames): Violation[] {
  return [
    ...(rules.name === undefined ? [] : checkName('name', rules.name)),
    ...checkDescription(rules.description ?? null),
    ...checkLimit('limit_usd', rules.limitNanoUsd ?? null),
    ...guardrailListViolations(rules),
    ...unknownNameViolations(rules, known),
  ];
}

function guardrailListViolations(rules: PartialRules): Violation[] {
  return [
    ...checkPatterns('allowed_models', rules.allowedModels ?? null),
    ...checkPatterns('ignored_models', rules.ignoredModels ?? null),
    ...checkPatterns('allowed_providers', rules.allowedProviders ?? null),
    ...checkPatterns('ignored_providers', rules.ignoredProviders ?? null),
    ...checkNames('allowed_data_regions', rules.allowedDataRegions ?? null),
  ];
}

export function guardrailChangeViolations(changes: GuardrailChanges, known: KnownNames): Violation[] {
  return [
    ...mustNotBeNull('name', changes.name),
    ...mustNotBeNull('enforce_zdr', changes.enforceZdr),
    ...mustNotBeNull('include_byok_in_budgets', changes.includeByokInBudgets),
    ...guardrailViolations(sentRules(changes), known),
  ];
}

function sentRules(changes: GuardrailChanges): PartialRules {
  return {
    name: sent(changes.name),
    description: sent(changes.description),
    limitNanoUsd: sent(changes.limitNanoUsd),
    allowedModels: sent(changes.allowedModels),
    ignoredModels: sent(changes.ignoredModels),
    allowedProviders: sent(changes.allowedProviders),
    ignoredProviders: sent(changes.ignoredProviders),
    allowedDataRegions: sent(changes.allowedDataRegions),
  };
}

export function changedGuardrail(current: Guardrail, changes: GuardrailChanges, now: number): Guardrail {
  const fields: GuardrailRules = {
    name: applyRequired(changes.name, current.name),
    description: applyChange(changes.description, current.description),
    limitNanoUsd: applyChange(changes.limitNanoUsd, current.limitNanoUsd),
    resetInterval: applyChange(changes.resetInterval, current.resetInterval),
    allowedModels: applyChange(changes.allowedModels, current.allowedModels),
    ignoredModels: applyChange(changes.ignoredModels, current.ignoredModels),
    allowedProviders: applyChange(changes.allowedProviders, current.allowedProviders),
    ignoredProviders: applyChange(changes.ignoredProviders, current.ignoredProviders),
    enforceZdr: applyRequired(changes.enforceZdr, current.enforceZdr),
    dataCollection: applyChange(changes.dataCollection, current.dataCollection),
    allowedDataRegions: applyChange(changes.allowedDataRegions, current.allowedDataRegions),
    includeByokInBudgets: applyRequired(changes.includeByokInBudgets, current.includeByokInBudgets),
  };
  return withFields(current, deduplicated(fields), now);
}

/** The rules as they are stored: lists without duplicates. */
export function deduplicated(rules: GuardrailRules): GuardrailRules {
  return {
    ...rules,
    allowedModels: deduplicate(rules.allowedModels),
    ignoredModels: deduplicate(rules.ignoredModels),
    allowedProviders: deduplicate(rules.allowedProviders),
    ignoredProviders: deduplicate(rules.ignoredProviders),
    allowedDataRegions: deduplicate(rules.allowedDataRegions),
  };
}
