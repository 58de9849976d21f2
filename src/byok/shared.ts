/** Credentials of the operator's own, behind shared capacity (interface section 7). Same formats, same vault. */
import type { Clock } from '../base/clock.js';
import { invalid } from '../base/problem.js';
import { type CredentialRules, parseCredential } from './credential.js';
import { type ProviderDirectory, unknownProvider } from './key-validation.js';
import { labelOf } from './label.js';
import type { SharedCredentialStore } from './ports.js';
import type { SealContext, Vault } from './vault/vault.js';

/** What storing a shared credential works with. */
export interface SharedCredentialDependencies {
  readonly store: SharedCredentialStore;
  readonly vault: Vault;
  readonly providers: ProviderDirectory;
  readonly rules: CredentialRules;
  readonly clock: Clock;
}

/** Stores a provider's shared credential, in the place of an older one, and returns its label. Throws a 400 that names every fault. */
export async function setSharedCredential(
  { store, vault, providers, rules, clock }: SharedCredentialDependencies,
  provider: string,
  text: string,
): Promise<string> {
  const adapter = providers.adapterOf(provider);
  if (adapter === undefined) throw invalid([unknownProvider(provider, providers)]);
  const parsed = parseCredential(adapter, text, rules);
  if (!('ok' in parsed)) throw invalid(parsed.violations);
  const label = labelOf(parsed.ok);
  const sealed = vault.seal(text, sharedContext(provider));
  await store.putShared({ provider, label, sealed, updatedAt: clock.now() });
  return label;
}

/** What a provider's shared credential is sealed for. No account is called `shared`: accounts are UUIDs. */
export function sharedContext(provider: string): SealContext {
  return { id: provider, accountId: 'shared' };
}
