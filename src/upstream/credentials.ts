import type { CredentialBook, Opened } from '../byok/credential-book.js';
import type { Credential } from '../byok/credential.js';
import type { Attempt } from '../routing/types.js';

/**
 * The credential that an attempt is made with: its key's, else the provider's shared one; null where the provider has
 * none, which only `demo` may. Throws an Error without any secret in it when there is one that can't be used.
 */
export async function openCredential(
  book: Pick<CredentialBook, 'keysOf' | 'open' | 'shared'>,
  { key, provider }: Attempt,
): Promise<Credential | null> {
  if (key === null) return opened(await book.shared(provider.slug, provider.adapter));
  const stored = (await book.keysOf(key.workspaceId)).find((one) => one.key.id === key.id);
  if (stored === undefined) throw new Error('the key has been deleted');
  return opened(book.open(stored, provider.adapter));
}

function opened(credential: Opened | undefined): Credential | null {
  if (credential === undefined) return null;
  if ('unusable' in credential) throw new Error(`the credential is unusable: ${credential.unusable}`);
  return credential.credential;
}
