import { applyChange, applyRequired } from '../../base/change.js';
import { deduplicate } from '../../base/text.js';
import type { Credential } from '../kinds/credential.js';
import type { ByokKey } from '../types.js';
import type { ByokKeyUpdate } from './inputs.js';
import { labelOf } from './label.js';

/**
 * The key after the update. A new credential changes the label. The position is not applied here: it depends on the
 * other keys of the section.
 */
export function applyUpdate(
  key: ByokKey,
  update: ByokKeyUpdate,
  credential: Credential | undefined,
): ByokKey {
  return {
    ...key,
    label: credential === undefined ? key.label : labelOf(credential),
    name: applyChange(update.name, key.name),
    disabled: applyRequired(update.disabled, key.disabled),
    isFallback: applyRequired(update.isFallback, key.isFallback),
    isRequired: applyRequired(update.isRequired, key.isRequired),
    isByokOnly: applyRequired(update.isByokOnly, key.isByokOnly),
    declaredZdr: applyChange(update.declaredZdr, key.declaredZdr) === null ? null : false,
    allowedModels: deduplicate(applyChange(update.allowedModels, key.allowedModels)),
    allowedApiKeyHashes: deduplicate(applyChange(update.allowedApiKeyHashes, key.allowedApiKeyHashes)),
    allowedUserIds: deduplicate(applyChange(update.allowedUserIds, key.allowedUserIds)),
    workspaceIds: furtherWorkspaces(applyChange(update.workspaceIds, key.workspaceIds)),
  };
}

/** Each once; an empty list says as much as none. */
export function furtherWorkspaces(ids: readonly string[] | null): readonly string[] | null {
  return ids === null || ids.length === 0 ? null : deduplicate(ids);
}

/** Whether two states of a key differ in anything that the API shows. */
export function isChanged(before: ByokKey, after: ByokKey): boolean {
  return JSON.stringify(before, FIELDS) !== JSON.stringify(after, FIELDS);
}

const FIELDS: (keyof ByokKey)[] = [
  'label',
  'name',
  'disabled',
  'isFallback',
  'isRequired',
  'isByokOnly',
  'declaredZdr',
  'allowedModels',
  'allowedApiKeyHashes',
  'allowedUserIds',
  'workspaceIds',
  'sortOrder',
];
