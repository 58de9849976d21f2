import type { Violation } from '../../base/problem.js';
import type { CatalogCache } from '../../catalog/assembled/catalog.js';
import type { CredentialCache } from '../cache/credential-cache.js';
import type { CredentialSource } from '../keys/ports.js';
import type { ByokKey } from '../types.js';
import { keyWarnings } from './key-warnings.js';

export interface WarningDependencies {
  readonly source: Pick<CredentialSource, 'storedKeys'>;
  readonly credentials: Pick<CredentialCache, 'open'>;
  readonly catalogs: Pick<CatalogCache, 'current'>;
}

/**
 * The warnings about the account's keys as they are stored now, by id. A key whose credential can't be opened, or whose
 * provider is not in the catalogue any more, has none.
 */
export async function credentialWarnings(
  { source, credentials, catalogs }: WarningDependencies,
  accountId: string,
  keys: readonly Pick<ByokKey, 'id'>[],
): Promise<ReadonlyMap<string, readonly Violation[]>> {
  if (keys.length === 0) return new Map();
  const { providers } = await catalogs.current();
  const ids = keys.map(({ id }) => id);
  const warned = new Map<string, readonly Violation[]>();
  for (const stored of await source.storedKeys(accountId, ids)) {
    const adapter = providers.get(stored.key.provider)?.adapter;
    const opened = adapter === undefined ? undefined : credentials.open(stored, adapter);
    if (opened === undefined || 'unusable' in opened) continue;
    warned.set(stored.key.id, keyWarnings(stored.key.provider, opened.credential));
  }
  return warned;
}
