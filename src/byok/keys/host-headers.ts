/** Headers that the operator has a provider's host get with every call: `docs/catalog.md#headers`. */
import { hideMembers } from '../redact.js';
import type { SealContext } from '../vault/vault.js';

/** Opened. It is never printed. */
export interface HostHeaders {
  /** By name. */
  readonly values: Readonly<Record<string, string>>;
  /** The values, each an object of its own for the redactor to know it by. */
  readonly secrets: readonly { readonly text: string }[];
  /** Whether the URL stands at the provider's own `base_url`. No other host gets them. */
  isFor(url: URL): boolean;
}

/** The `base_url` has no placeholder in its host: `checkCatalog` refuses one. */
export function hostHeaders(baseUrl: string, values: Readonly<Record<string, string>>): HostHeaders {
  const { origin } = new URL(baseUrl);
  const secrets = Object.values(values).map((text) => hideMembers({ text }));
  return hideMembers({ values, secrets, isFor: (url: URL) => url.origin === origin });
}

/** The context of a header's value. No account's id is `header`: ids of accounts are UUIDs. */
export function headerContext(provider: string, name: string): SealContext {
  return { id: `${provider}:${name.toLowerCase()}`, accountId: 'header' };
}
