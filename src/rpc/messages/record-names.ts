import type { RecordNames } from '../../accounts/record-names.js';
import type { Generation } from '../../inference/ports/generation.js';

export function workspaceNames(id: string, nameOf: RecordNames) {
  const { name, isDeleted } = nameOf(id);
  return { workspaceDeleted: isDeleted, ...(name !== null && { workspaceName: name }) };
}

/** Without a hash the record is of no API key, as those of batches may be. */
export function apiKeyNames(hash: string, nameOf: RecordNames) {
  if (hash === '') return {};
  const { name, isDeleted } = nameOf(hash);
  return { apiKeyDeleted: isDeleted, ...(name !== null && { apiKeyName: name }) };
}

/** Without an id the record is of shared capacity. */
export function byokKeyNames(id: string | null, nameOf: RecordNames) {
  if (id === null) return {};
  const { name, isDeleted } = nameOf(id);
  return { byokKeyDeleted: isDeleted, ...(name !== null && { byokKeyName: name }) };
}

/** What the records refer to. */
export function namedBy(generations: readonly Generation[]) {
  const attempts = generations.flatMap(({ providerResponses }) => providerResponses);
  const byokKeyIds = [
    ...generations.map(({ byokKeyId }) => byokKeyId),
    ...attempts.map(({ byok_key_id }) => byok_key_id),
  ];
  return {
    apiKeyHashes: generations.map(({ apiKeyHash }) => apiKeyHash),
    workspaceIds: generations.map(({ workspaceId }) => workspaceId),
    byokKeyIds: byokKeyIds.filter((id) => id !== null),
  };
}
