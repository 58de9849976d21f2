import type { ByokKey } from '../../../../gen/byway/v1/byok_pb.js';
import { listField, textField } from '../../base/changes.js';

/** A provider key as typed; the members have the names of the contract. */
export interface ByokDraft {
  /** Empty = none. */
  readonly name: string;
  /** The credential; empty = keep the stored one. */
  readonly key: string;
  readonly disabled: boolean;
  readonly isFallback: boolean;
  readonly isRequired: boolean;
  readonly isByokOnly: boolean;
  /** Null leaves it to the endpoint's own policy. */
  readonly declaredZdr: boolean | null;
  /** Null restricts nothing, here and below. */
  readonly allowedModels: readonly string[] | null;
  readonly allowedApiKeyHashes: readonly string[] | null;
  readonly allowedUserIds: readonly string[] | null;
  /** Null for none, `*` alone for all. */
  readonly workspaceIds: readonly string[] | null;
}

export const BLANK: ByokDraft = {
  name: '',
  key: '',
  disabled: false,
  isFallback: false,
  isRequired: false,
  isByokOnly: false,
  declaredZdr: null,
  allowedModels: null,
  allowedApiKeyHashes: null,
  allowedUserIds: null,
  workspaceIds: null,
};

export function keyDraftOf(record: ByokKey): ByokDraft {
  return {
    name: record.name ?? '',
    key: '',
    disabled: record.disabled ?? false,
    isFallback: record.isFallback ?? false,
    isRequired: record.isRequired ?? false,
    isByokOnly: record.isByokOnly ?? false,
    declaredZdr: record.declaredZdr ?? null,
    allowedModels: record.allowedModels?.values ?? null,
    allowedApiKeyHashes: record.allowedApiKeyHashes?.values ?? null,
    allowedUserIds: record.allowedUserIds?.values ?? null,
    workspaceIds: record.workspaceIds?.values ?? null,
  };
}

export function keyMessageOf(draft: ByokDraft) {
  const { disabled, isFallback, isRequired, isByokOnly } = draft;
  return {
    disabled,
    isFallback,
    isRequired,
    isByokOnly,
    name: textField(draft.name),
    declaredZdr: draft.declaredZdr ?? undefined,
    allowedModels: listField(draft.allowedModels),
    allowedApiKeyHashes: listField(draft.allowedApiKeyHashes),
    allowedUserIds: listField(draft.allowedUserIds),
    workspaceIds: listField(draft.workspaceIds),
  };
}
