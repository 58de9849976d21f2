import { inspect } from 'node:util';
import type { AdapterName } from '../../catalog/types.js';
import { type Credential, type CredentialRules, parseCredential } from '../credential.js';
import type { CredentialSource, SharedCredential, StoredKey } from '../ports.js';
import { REDACTED } from '../redact.js';
import { sharedContext } from '../shared-credential.js';
import { CredentialUnreadable, type SealContext, type Sealed, type Vault } from './vault.js';

/** Limit of cached keys; the least recently used workspaces are dropped. */
const MAX_CACHED_KEYS = 10_000;

/** A usable credential, or why there is none: the vault's reasons, or `rejected` by the rules of its kind. */
export type Opened =
  | { readonly credential: Credential }
  | { readonly unusable: CredentialUnreadable['reason'] | 'rejected' };

export interface CredentialCacheDependencies {
  readonly source: CredentialSource;
  readonly vault: Vault;
  readonly rules: CredentialRules;
}

/** One workspace's keys, counted once they are loaded; a workspace without keys counts as one. */
interface CachedWorkspace {
  readonly keys: Promise<readonly StoredKey[]>;
  count: number;
}

/**
 * Caches stored and opened credentials, so that a request needs no query and no decryption. Everything is dropped as
 * soon as any key or shared credential changes. It can't be serialised or printed.
 */
export class CredentialCache {
  readonly #source: CredentialSource;
  readonly #vault: Vault;
  readonly #rules: CredentialRules;
  readonly #workspaces = new Map<string, CachedWorkspace>();
  /** The most recently used workspace, the last of the map. */
  #newest: CachedWorkspace | undefined;
  #shared: Promise<ReadonlyMap<string, SharedCredential>> | undefined;
  /** By the stored record's identity, so that a dropped record is never mistaken for its successor. */
  #opened = new WeakMap<StoredKey | SharedCredential, Opened & { adapter: AdapterName }>();
  #cachedCount = 0;
  readonly #unsubscribe: () => void;

  constructor({ source, vault, rules }: CredentialCacheDependencies) {
    this.#source = source;
    this.#vault = vault;
    this.#rules = rules;
    this.#unsubscribe = source.onChange(() => this.#drop());
  }

  /** All keys of a workspace by provider, section and position; the same array until any key changes. */
  keysOf(workspaceId: string): Promise<readonly StoredKey[]> {
    const cached = this.#workspaces.get(workspaceId) ?? this.#load(workspaceId);
    if (cached === this.#newest) return cached.keys;
    this.#newest = cached;
    this.#workspaces.delete(workspaceId);
    this.#workspaces.set(workspaceId, cached);
    return cached.keys;
  }

  /** Opens the credential of a key for the adapter of its provider. Throws nothing. */
  open(stored: StoredKey, adapter: AdapterName): Opened {
    return this.#open(stored, adapter, stored.sealed, stored.key);
  }

  /** Opens the shared credential of a provider; undefined when none is stored. */
  async shared(provider: string, adapter: AdapterName): Promise<Opened | undefined> {
    const stored = (await this.sharedByProvider()).get(provider);
    return stored && this.openShared(stored, adapter);
  }

  /** The stored shared credentials by provider slug; the same map until any of them changes. */
  sharedByProvider(): Promise<ReadonlyMap<string, SharedCredential>> {
    this.#shared ??= this.#source.sharedCredentials().then(
      (all) => new Map(all.map((credential) => [credential.provider, credential])),
      (error: unknown) => {
        this.#shared = undefined;
        throw error;
      },
    );
    return this.#shared;
  }

  /** As `open`, for a shared credential. */
  openShared(stored: SharedCredential, adapter: AdapterName): Opened {
    return this.#open(stored, adapter, stored.sealed, sharedContext(stored.provider));
  }

  /** Stops listening for changes and drops everything. */
  close(): void {
    this.#unsubscribe();
    this.#drop();
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }

  #load(workspaceId: string): CachedWorkspace {
    const cached: CachedWorkspace = { keys: this.#source.storedKeysOf(workspaceId), count: 0 };
    cached.keys.then(
      (keys) => this.#account(workspaceId, cached, Math.max(keys.length, 1)),
      () => this.#forget(workspaceId, cached),
    );
    return cached;
  }

  #account(workspaceId: string, cached: CachedWorkspace, count: number): void {
    if (this.#workspaces.get(workspaceId) !== cached) return;
    cached.count = count;
    this.#cachedCount += count;
    for (const [oldestId, oldest] of this.#workspaces) {
      if (this.#cachedCount <= MAX_CACHED_KEYS || oldest === cached) break;
      this.#forget(oldestId, oldest);
    }
  }

  #forget(workspaceId: string, cached: CachedWorkspace): void {
    if (this.#workspaces.get(workspaceId) !== cached) return;
    this.#workspaces.delete(workspaceId);
    this.#cachedCount -= cached.count;
  }

  #open(
    stored: StoredKey | SharedCredential,
    adapter: AdapterName,
    sealed: Sealed,
    context: SealContext,
  ): Opened {
    const known = this.#opened.get(stored);
    if (known?.adapter === adapter) return known;
    const opened = { adapter, ...this.#unseal(adapter, sealed, context) };
    this.#opened.set(stored, opened);
    return opened;
  }

  #unseal(adapter: AdapterName, sealed: Sealed, context: SealContext): Opened {
    try {
      const parsed = parseCredential(adapter, this.#vault.open(sealed, context), this.#rules);
      return 'ok' in parsed ? { credential: parsed.ok } : { unusable: 'rejected' };
    } catch (error) {
      if (error instanceof CredentialUnreadable) return { unusable: error.reason };
      throw error;
    }
  }

  #drop(): void {
    this.#workspaces.clear();
    this.#newest = undefined;
    this.#cachedCount = 0;
    this.#shared = undefined;
    this.#opened = new WeakMap();
  }
}
