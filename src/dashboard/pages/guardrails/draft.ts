import type { Guardrail } from '../../../../gen/byway/v1/guardrails_pb.js';
import { listField, textField, usdField } from '../../base/changes.js';
import { COLLECTION, RESETS } from '../../base/choices.js';
import { decimalText } from '../../base/decimal.js';

type List = readonly string[] | null;

/** A guardrail as typed; the members have the names of the contract. */
export interface GuardrailDraft {
  readonly name: string;
  readonly description: string;
  readonly limitUsd: string;
  readonly resetInterval: string;
  readonly includeByokInBudgets: boolean;
  readonly enforceZdr: boolean;
  readonly dataCollection: string;
  /** Null restricts nothing, here and below. */
  readonly allowedModels: List;
  readonly ignoredModels: List;
  readonly allowedProviders: List;
  readonly ignoredProviders: List;
  readonly allowedDataRegions: List;
}

export function draftOf(stored: Guardrail): GuardrailDraft {
  return {
    name: stored.name ?? '',
    description: stored.description ?? '',
    limitUsd: stored.limitUsd === undefined ? '' : decimalText(stored.limitUsd),
    resetInterval: RESETS.show(stored.resetInterval),
    includeByokInBudgets: stored.includeByokInBudgets ?? false,
    enforceZdr: stored.enforceZdr ?? false,
    dataCollection: COLLECTION.show(stored.dataCollection),
    allowedModels: stored.allowedModels?.values ?? null,
    ignoredModels: stored.ignoredModels?.values ?? null,
    allowedProviders: stored.allowedProviders?.values ?? null,
    ignoredProviders: stored.ignoredProviders?.values ?? null,
    allowedDataRegions: stored.allowedDataRegions?.values ?? null,
  };
}

export function messageOf(draft: GuardrailDraft) {
  const { name, includeByokInBudgets, enforceZdr } = draft;
  return {
    name,
    includeByokInBudgets,
    enforceZdr,
    description: textField(draft.description),
    limitUsd: usdField(draft.limitUsd),
    resetInterval: RESETS.read(draft.resetInterval),
    dataCollection: COLLECTION.read(draft.dataCollection),
    allowedModels: listField(draft.allowedModels),
    ignoredModels: listField(draft.ignoredModels),
    allowedProviders: listField(draft.allowedProviders),
    ignoredProviders: listField(draft.ignoredProviders),
    allowedDataRegions: listField(draft.allowedDataRegions),
  };
}
