import { notFound } from '../base/problem.js';
import { scopeOf } from './api-key.js';
import type { KeyDependencies } from './create-key.js';
import type { KeyAdministrator } from './principal.js';

/** The usage of the key stays on record. Throws 404 for a key outside of the caller's scope. */
export async function deleteKey(
  { store, clock }: Pick<KeyDependencies, 'store' | 'clock'>,
  administrator: KeyAdministrator,
  hash: string,
): Promise<void> {
  if (!(await store.deleteKey(scopeOf(administrator), hash, clock.now()))) throw notFound();
}
