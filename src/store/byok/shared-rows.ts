import type { ExpressionBuilder } from 'kysely';
import { asShared, EVERY_WORKSPACE } from '../../byok/further-workspaces.js';
import type { ByokKey } from '../../byok/types.js';
import type { Tables } from '../schema/schema.js';
import { isNaming, namesJson } from '../tables/name-list.js';

/** Rows of `byok_key` that a workspace may use: its own, and those of its account that name it or all. */
export function rowsUsableIn(workspaceId: string) {
  return ({ eb, or, and, selectFrom }: ExpressionBuilder<Tables, 'byok_key'>) =>
    or([
      eb('byok_key.workspace_id', '=', workspaceId),
      and([
        eb('workspace_ids_json', 'is not', null),
        eb(
          'byok_key.account_id',
          '=',
          selectFrom('workspace').select('workspace.account_id').where('workspace.id', '=', workspaceId),
        ),
        or([eb('workspace_ids_json', '=', namesJson([EVERY_WORKSPACE])), isNaming(workspaceId)]),
      ]),
    ]);
}

export function asSeenIn(workspaceId: string, key: ByokKey): ByokKey {
  return key.workspaceId === workspaceId ? key : asShared(key);
}
