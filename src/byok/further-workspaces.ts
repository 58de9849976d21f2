/** Keys that further workspaces of the account may use: `docs/routing.md#keys-of-other-workspaces`. */
import type { Violation } from '../base/problem.js';
import type { ByokKey } from './types.js';

/** Stands alone in `workspace_ids` for every workspace of the account, those to come too. */
export const EVERY_WORKSPACE = '*';

/** Limit of entries as sent, before duplicates collapse. */
const MAX_WORKSPACES = 100;

/** Limit of an identifier; ours are shorter. */
const MAX_ID_CHARACTERS = 256;

const FIELD = 'workspace_ids';

/** Behind all positions of a section. */
const BEHIND_OWN_KEYS = 2 ** 31;

/**
 * The key as a workspace has it that is not its own: in the same section behind the workspace's own keys, by creation, and
 * without the rules that bind in its own workspace alone.
 */
export function asShared(key: ByokKey): ByokKey {
  return {
    ...key,
    isRequired: false,
    isByokOnly: false,
    sortOrder: BEHIND_OWN_KEYS + key.createdAt,
  };
}

/** Whether a workspace of the key's account may use it. */
export function isUsableIn(key: Pick<ByokKey, 'workspaceId' | 'workspaceIds'>, workspaceId: string): boolean {
  const { workspaceIds } = key;
  if (key.workspaceId === workspaceId) return true;
  return workspaceIds !== null && (workspaceIds[0] === EVERY_WORKSPACE || workspaceIds.includes(workspaceId));
}

/** The workspaces that the account must have. */
export function workspacesToResolve(ids: readonly string[] | null | undefined): string[] {
  const named = (ids ?? []).slice(0, MAX_WORKSPACES);
  return [
    ...new Set(named.filter((id) => id !== EVERY_WORKSPACE && id !== '' && id.length <= MAX_ID_CHARACTERS)),
  ];
}

/** What is wrong with a list of further workspaces by itself. */
export function workspaceListViolations(ids: readonly string[] | null | undefined): Violation[] {
  const list = ids ?? [];
  const tooMany: Violation[] =
    list.length <= MAX_WORKSPACES
      ? []
      : [
          {
            field: FIELD,
            rule: 'count',
            message: `must have at most ${MAX_WORKSPACES} entries; ["*"] names all`,
          },
        ];
  const entries = list.slice(0, MAX_WORKSPACES).flatMap((id, index): Violation[] => {
    const field = `${FIELD}[${index}]`;
    if (id === EVERY_WORKSPACE && list.length > 1) {
      return [{ field, rule: 'alone', message: '* stands for all, and must be the only entry' }];
    }
    if (id !== '' && Array.from(id).length <= MAX_ID_CHARACTERS) return [];
    return [{ field, rule: 'length', message: `must have 1 to ${MAX_ID_CHARACTERS} characters` }];
  });
  return [...tooMany, ...entries];
}

/**
 * A violation for every entry that has the form of an id but is no workspace of the account. `known` are the
 * account's.
 */
export function unknownWorkspaceViolations(
  ids: readonly string[] | null | undefined,
  known: ReadonlySet<string>,
): Violation[] {
  const resolvable = new Set(workspacesToResolve(ids));
  return (ids ?? [])
    .slice(0, MAX_WORKSPACES)
    .flatMap((id, index) =>
      resolvable.has(id) && !known.has(id)
        ? [{ field: `${FIELD}[${index}]`, rule: 'known', message: 'must be a workspace of this account' }]
        : [],
    );
}
