import { inspect } from 'node:util';
import type { CacheReport } from '../../base/memory/bounded-cache.js';
import type { AdapterName } from '../../catalog/types.js';
import { type Credential, type CredentialRules, parseCredential } from '../credential.js';
import { sharedContext } from '../operator-credential.js';
import type { CredentialSource, SharedCredential, StoredKey } from '../ports.js';
import { REDACTED } from '../redact.js';
import { CredentialUnreadable, type SealContext, type Sealed, type Vault } from './vault.js';

/** Of the keys of all workspaces, but for one alone that has more; the least recently used workspaces are dropped. */
const MAX_CACHED_BYTES = 64 * 2 ** 20;

/** Estimate of a key without its credential. */
const KEY_BYTES = 1_024;

/** A usable credential, or why there is none: the vault's reasons, or `rejected` by the rules of its kind. */
export type Opened =
  | { readonly credential: Credential }
  | { readonly unusable: CredentialUnreadable['reason'] | 'rejected' };

export interface CredentialCacheDependencies {
  readonly source: CredentialSource;
  readonly vault: Vault;
  readonly rules: CredentialRules;
}

/** One workspace's keys, measured once they are loaded; a workspace without keys counts as one. */
interface CachedWorkspace {
  readonly keys: Promise<readonly StoredKey[]>;
  bytes: number;
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
  #cachedBytes = 0;
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

  get report(): CacheReport {
    return { name: 'provider_keys', bytes: this.#cachedBytes, maxBytes: MAX_CACHED_BYTES };
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }

  #load(workspaceId: string): CachedWorkspace {
    const cached: CachedWorkspace = { keys: this.#source.storedKeysOf(workspaceId), bytes: 0 };
    cached.keys.then(
      (keys) => this.#account(workspaceId, cached, bytesOf(keys)),
      () => this.#forget(workspaceId, cached),
    );
    return cached;
  }

  #account(workspaceId: string, cached: CachedWorkspace, bytes: number): void {
    if (this.#workspaces.get(workspaceId) !== cached) return;
    cached.bytes = bytes;
    this.#cachedBytes += bytes;
    for (const [oldestId, oldest] of this.#workspaces) {
      if (this.#cachedBytes <= MAX_CACHED_BYTES || oldest === cached) break;
      this.#forget(oldestId, oldest);
    }
  }

  #forget(workspaceId: string, cached: CachedWorkspace): void {
    if (this.#workspaces.get(workspaceId) !== cached) return;
    this.#workspaces.delete(workspaceId);
    this.#cachedBytes -= cached.bytes;
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
    this.#cachedBytes = 0;
    this.#shared = undefined;
    this.#opened = new WeakMap();
  }
}

/** With the credential twice, since it is opened too. */
function bytesOf(keys: readonly StoredKey[]): number {
  return keys.reduce((sum, { sealed }) => sum + KEY_BYTES + 2 * sealed.ciphertext.length, KEY_BYTES);
}
