/** Which models and regions of its provider a credential covers. */
import type { Credential } from '../../byok/credential.js';
import type { SharedCredential, StoredKey } from '../../byok/ports.js';
import { servesModel } from '../../byok/serves-model.js';
import type { CredentialCache, Opened } from '../../byok/vault/credential-cache.js';
import type { Catalog } from '../../catalog/catalog.js';
import type { AdapterName } from '../../catalog/types.js';
import type { CredentialCoverage, RoutableKey } from '../types.js';
import { regionsCalledWith, regionsOf } from './called-regions.js';

export function coverageOf(
  credential: Credential,
  resolveModelId: (name: string) => string,
): CredentialCoverage {
  return {
    regionsFor: regionsCalledWith(credential),
    servesModel: (modelId) => servesModel(credential, modelId, resolveModelId),
  };
}

/** The coverage where no credential restricts it: everything in the catalogue. */
export const FULL_COVERAGE: CredentialCoverage = { regionsFor: regionsOf, servesModel: () => true };

/** A stored key with the coverage of its credential; full coverage where it can't be opened. */
export function routableKey(
  cache: Pick<CredentialCache, 'open'>,
  { providers, resolveId }: Catalog,
  stored: StoredKey,
): RoutableKey {
  const { key } = stored;
  const provider = providers.get(key.provider);
  const opened = provider && cache.open(stored, provider.adapter);
  const coverage = coverageOfOpened(opened, resolveId);
  return { key, usable: coverage !== undefined, ...(coverage ?? FULL_COVERAGE) };
}

/** The providers of this adapter answer without any credential. */
const NEEDS_NO_CREDENTIAL: AdapterName = 'demo';

/** The coverage of shared capacity by provider slug: providers whose shared credential can be used. */
export function sharedCoverage(
  cache: Pick<CredentialCache, 'openShared'>,
  { providers, resolveId }: Catalog,
  stored: ReadonlyMap<string, SharedCredential>,
): ReadonlyMap<string, CredentialCoverage> {
  const shared = new Map<string, CredentialCoverage>();
  for (const { slug, adapter } of providers.values()) {
    const credential = stored.get(slug);
    const opened = credential && cache.openShared(credential, adapter);
    const coverage = coverageOfOpened(opened, resolveId);
    if (coverage !== undefined) shared.set(slug, coverage);
    else if (adapter === NEEDS_NO_CREDENTIAL) shared.set(slug, FULL_COVERAGE);
  }
  return shared;
}

function coverageOfOpened(
  opened: Opened | undefined,
  resolveId: Catalog['resolveId'],
): CredentialCoverage | undefined {
  return opened !== undefined && 'credential' in opened
    ? coverageOf(opened.credential, resolveId)
    : undefined;
}
