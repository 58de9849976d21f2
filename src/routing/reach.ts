/** What of its provider a credential reaches. */
import type { Credential } from '../byok/credential.js';
import type { CredentialBook, Opened } from '../byok/credential-book.js';
import type { SharedCredential, StoredKey } from '../byok/ports.js';
import { servesModel } from '../byok/served-models.js';
import type { Catalog } from '../catalog/catalog.js';
import type { AdapterName } from '../catalog/types.js';
import { regionsCalledWith, regionsOf } from './called-regions.js';
import type { Reach, RoutableKey } from './types.js';

/** The reach of a credential. */
export function reachOf(credential: Credential, resolveModelId: (name: string) => string): Reach {
  return {
    regionsFor: regionsCalledWith(credential),
    servesModel: (modelId) => servesModel(credential, modelId, resolveModelId),
  };
}

/** The reach where there is no credential that says anything: all of what the catalogue says. */
export const WHOLE_REACH: Reach = { regionsFor: regionsOf, servesModel: () => true };

/** A stored key with what its credential reaches; all of its provider where it can't be opened. */
export function routableKey(
  book: Pick<CredentialBook, 'open'>,
  { providers, resolveId }: Catalog,
  stored: StoredKey,
): RoutableKey {
  const { key } = stored;
  const provider = providers.get(key.provider);
  const opened = provider && book.open(stored, provider.adapter);
  const reach = reachOfOpened(opened, resolveId);
  return { key, usable: reach !== undefined, ...(reach ?? WHOLE_REACH) };
}

/** The providers of this adapter answer without any credential. */
const NEEDS_NO_CREDENTIAL: AdapterName = 'demo';

/** The providers with shared capacity, by slug, and what of each is reached: those with a credential that can be used. */
export function sharedReaches(
  book: Pick<CredentialBook, 'openShared'>,
  { providers, resolveId }: Catalog,
  stored: ReadonlyMap<string, SharedCredential>,
): ReadonlyMap<string, Reach> {
  const shared = new Map<string, Reach>();
  for (const { slug, adapter } of providers.values()) {
    const credential = stored.get(slug);
    const opened = credential && book.openShared(credential, adapter);
    const reach = reachOfOpened(opened, resolveId);
    if (reach !== undefined) shared.set(slug, reach);
    else if (adapter === NEEDS_NO_CREDENTIAL) shared.set(slug, WHOLE_REACH);
  }
  return shared;
}

function reachOfOpened(opened: Opened | undefined, resolveId: Catalog['resolveId']): Reach | undefined {
  return opened !== undefined && 'credential' in opened ? reachOf(opened.credential, resolveId) : undefined;
}
