/** The operator's own credentials, behind shared capacity. */
import type { Clock } from '../../base/clock.js';
import { invalid } from '../../base/problem.js';
import { type CredentialRules, parseCredential } from '../kinds/credential.js';
import type { SealContext, Vault } from '../vault/vault.js';
import { type ProviderDirectory, unknownProvider } from './key-validation.js';
import { labelOf } from './label.js';
import type { SharedCredentialStore } from './ports.js';

export interface SharedCredentialDependencies {
  readonly store: SharedCredentialStore;
  readonly vault: Vault;
  readonly providers: ProviderDirectory;
  readonly rules: CredentialRules;
  readonly clock: Clock;
}

/** Stores or replaces a provider's shared credential and returns its label. Throws a 400 with all violations. */
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

/** The context of a shared credential. No account's id is `shared`: ids of accounts are UUIDs. */
export function sharedContext(provider: string): SealContext {
  return { id: provider, accountId: 'shared' };
}
