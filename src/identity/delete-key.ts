import { notFound } from '../base/problem.js';
import { scopeOf } from './api-key.js';
import type { KeyDependencies } from './create-key.js';
import type { KeyAdministrator } from './principal.js';

/**
 * Deletes a key: it opens nothing any more and no call shows it; what it has spent stays on record. Throws 404 for
 * a key that the caller does not reach.
 */
export async function deleteKey(
  { store, clock }: Pick<KeyDependencies, 'store' | 'clock'>,
  administrator: KeyAdministrator,
  hash: string,
): Promise<void> {
  if (!(await store.deleteKey(scopeOf(administrator), hash, clock.now()))) throw notFound();
}
