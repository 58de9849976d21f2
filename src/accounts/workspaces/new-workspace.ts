import type { Ids } from '../../base/ids.js';
import { emptyGuardrail, type Guardrail } from '../guardrails/guardrail.js';
import type { Workspace } from './workspace.js';

/** Every workspace has a default guardrail. */
export function newWorkspace(
  accountId: string,
  fields: Pick<Workspace, 'name' | 'slug' | 'description' | 'isDefault'>,
  ids: Ids,
  now: number,
): { workspace: Workspace; guardrail: Guardrail } {
  const id = ids.uuid();
  const guardrail = emptyGuardrail({ id: ids.uuid(), accountId, workspaceId: id }, now);
  const workspace: Workspace = {
    id,
    accountId,
    ...fields,
    defaultGuardrailId: guardrail.id,
    includeByokInBudgets: false,
    createdAt: now,
    updatedAt: now,
  };
  return { workspace, guardrail };
}
