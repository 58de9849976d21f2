import { create } from '@bufbuild/protobuf';
import { DataCollectionSchema } from '../../../gen/byway/v1/chat_pb.js';
import { LimitResetSchema, WarningSchema } from '../../../gen/byway/v1/common_pb.js';
import {
  type CreateGuardrailRequest,
  type Guardrail as GuardrailMessage,
  GuardrailSchema,
  type UpdateGuardrailRequest,
} from '../../../gen/byway/v1/guardrails_pb.js';
import type { Guardrail } from '../../accounts/guardrails/guardrail.js';
import type { GuardrailChanges } from '../../accounts/guardrails/guardrail-changes.js';
import type { NewGuardrail } from '../../accounts/guardrails/guardrails.js';
import { mapChange } from '../../base/change.js';
import { isoTimestamp } from '../../base/clock.js';
import { nanoToUsd } from '../../base/money.js';
import type { Violation } from '../../base/problem.js';
import { enumNumber } from '../../protobuf/spelling.js';
import { readChanges } from './changes.js';
import { defined } from './defined.js';
import {
  amountOf,
  dataCollectionOf,
  intervalOf,
  listOf,
  namedChange,
  namesChange,
  namesIn,
} from './named-values.js';

export function newGuardrailOf(request: CreateGuardrailRequest): NewGuardrail {
  const { limitUsd, resetInterval, dataCollection } = request;
  return {
    name: request.name,
    description: request.description ?? null,
    limitNanoUsd: limitUsd === undefined ? null : amountOf(limitUsd),
    resetInterval: resetInterval === undefined ? null : intervalOf(resetInterval),
    allowedModels: namesIn(request.allowedModels),
    ignoredModels: namesIn(request.ignoredModels),
    allowedProviders: namesIn(request.allowedProviders),
    ignoredProviders: namesIn(request.ignoredProviders),
    enforceZdr: request.enforceZdr ?? false,
    dataCollection: dataCollection === undefined ? null : dataCollectionOf(dataCollection),
    allowedDataRegions: namesIn(request.allowedDataRegions),
    includeByokInBudgets: request.includeByokInBudgets ?? false,
    workspaceId: request.workspaceId ?? null,
  };
}

/** Throws a 400 Problem for a path that is unknown or read-only. */
export function changesOf({ guardrail, updateMask }: UpdateGuardrailRequest): GuardrailChanges {
  const change = readChanges(GuardrailSchema, guardrail ?? create(GuardrailSchema), updateMask);
  return {
    name: change('name'),
    description: change('description'),
    limitNanoUsd: mapChange(change('limitUsd'), amountOf),
    resetInterval: namedChange(change('resetInterval'), intervalOf),
    allowedModels: namesChange(change('allowedModels')),
    ignoredModels: namesChange(change('ignoredModels')),
    allowedProviders: namesChange(change('allowedProviders')),
    ignoredProviders: namesChange(change('ignoredProviders')),
    enforceZdr: change('enforceZdr'),
    dataCollection: namedChange(change('dataCollection'), dataCollectionOf),
    allowedDataRegions: namesChange(change('allowedDataRegions')),
    includeByokInBudgets: change('includeByokInBudgets'),
  };
}

export function guardrailMessage(guardrail: Guardrail, warnings: readonly Violation[]): GuardrailMessage {
  const { id, name, description, limitNanoUsd, enforceZdr, includeByokInBudgets, workspaceId } = guardrail;
  return create(GuardrailSchema, {
    id,
    name,
    enforceZdr,
    includeByokInBudgets,
    workspaceId,
    createdAt: isoTimestamp(guardrail.createdAt),
    updatedAt: isoTimestamp(guardrail.updatedAt),
    warnings: warnings.map((warning) => create(WarningSchema, warning)),
    ...defined({
      description,
      limitUsd: limitNanoUsd === null ? null : nanoToUsd(limitNanoUsd),
      resetInterval: enumNumber(LimitResetSchema, guardrail.resetInterval) ?? null,
      allowedModels: listOf(guardrail.allowedModels),
      ignoredModels: listOf(guardrail.ignoredModels),
      allowedProviders: listOf(guardrail.allowedProviders),
      ignoredProviders: listOf(guardrail.ignoredProviders),
      dataCollection: enumNumber(DataCollectionSchema, guardrail.dataCollection) ?? null,
      allowedDataRegions: listOf(guardrail.allowedDataRegions),
    }),
  });
}
