import type { CredentialCache, Opened } from '../byok/cache/credential-cache.js';
import { keylessCredential } from '../byok/kinds/bare-key.js';
import type { Credential } from '../byok/kinds/credential.js';
import { type AdapterCredential, credentialForModel, isWhole } from '../byok/kinds/credential-for-model.js';
import type { Catalog } from '../catalog/assembled/catalog.js';
import type { Attempt } from '../routing/types.js';

/** Opens stored credentials, and resolves the names in them. */
interface OpenerDependencies {
  readonly cache: Pick<CredentialCache, 'keysOf' | 'open' | 'shared'>;
  readonly catalogs: { current(): Promise<Pick<Catalog, 'resolveId'>> };
}

/**
 * Opens the credential of an attempt: its key's, else the provider's shared one; null if the provider has none, which
 * only `demo` may. A provider that takes no key gets a credential without one. Throws an Error without secrets if a
 * credential can't be used.
 */
export function credentialOpener(
  dependencies: OpenerDependencies,
): (attempt: Attempt) => Promise<AdapterCredential | null> {
  return (attempt) => openCredential(dependencies, attempt);
}

async function openCredential(
  dependencies: OpenerDependencies,
  attempt: Attempt,
): Promise<AdapterCredential | null> {
  const credential = await storedCredential(dependencies, attempt);
  if (credential === null || isWhole(credential)) return credential;
  const { resolveId } = await dependencies.catalogs.current();
  return adapterCredential(credential, attempt.endpoint.modelId, resolveId);
}

/** The credential in its adapter's form. Throws an Error if it has no entry for the model. */
export function adapterCredential(
  credential: Credential,
  modelId: string,
  resolveModelId: (name: string) => string,
): AdapterCredential {
  const found = credentialForModel(credential, modelId, resolveModelId);
  if (found === undefined) throw new Error('the credential has no entry for the model');
  return found;
}

async function storedCredential(
  { cache }: OpenerDependencies,
  { key, provider }: Attempt,
): Promise<Credential | null> {
  if (key === null) {
    const shared = opened(await cache.shared(provider.slug, provider.adapter));
    return shared ?? (provider.credential === 'none' ? (keylessCredential(provider.adapter) ?? null) : null);
  }
  const stored = (await cache.keysOf(key.accountId, key.workspaceId)).get(key.id);
  if (stored === undefined) throw new Error('the key has been deleted');
  return opened(cache.open(stored, provider.adapter));
}

function opened(credential: Opened | undefined): Credential | null {
  if (credential === undefined) return null;
  if ('unusable' in credential) throw new Error(`the credential is unusable: ${credential.unusable}`);
  return credential.credential;
}
