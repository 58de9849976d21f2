import type { Violation } from '../../base/problem.js';
import { UNKNOWN_WORKSPACE } from '../../identity/key-rules.js';

/** The violation of a workspace that is not the account's; none where none is named. */
export async function workspaceViolations(
  workspaceId: string | undefined,
  isOfAccount: (workspaceId: string) => Promise<boolean>,
): Promise<Violation[]> {
  if (workspaceId === undefined || (await isOfAccount(workspaceId))) return [];
  return [UNKNOWN_WORKSPACE];
}
