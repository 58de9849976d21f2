import type { KeyChange } from '../../byok/ports.js';

/** Key changes as the detail of a change of the scope `byok`; other details are not written. */
export function keyChangesText(changes: readonly KeyChange[]): string {
  return JSON.stringify(changes);
}

export function keyChangesOf(detail: string | null): readonly KeyChange[] | null {
  return detail === null ? null : (JSON.parse(detail) as readonly KeyChange[]);
}
