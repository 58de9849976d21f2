import type { KeyChange } from '../../byok/keys/ports.js';

/** Key changes as the detail of a change of the scope `byok`; other details are not written. */
export function keyChangesText(changes: readonly KeyChange[]): string {
  return JSON.stringify(changes);
}

export function keyChangesOf(detail: string | null): readonly KeyChange[] | null {
  if (detail === null) return null;
  const changes = JSON.parse(detail) as readonly (Omit<KeyChange, 'sharedBy'> & Partial<KeyChange>)[];
  // Processes of the version before know of no shared keys.
  return changes.map((change) => ({ sharedBy: null, ...change }));
}
