import { inspect } from 'node:util';
import type { CacheReport } from '../../base/memory/bounded-cache.js';
import type { AdapterName, Provider } from '../../catalog/types.js';
import { type HostHeaders, headerContext, hostHeaders } from '../keys/host-headers.js';
import { sharedContext } from '../keys/operator-credential.js';
import type {
  CredentialSource,
  KeyChange,
  SealedHeader,
  SharedCredential,
  StoredKey,
} from '../keys/ports.js';
import { type Credential, type CredentialRules, parseCredential } from '../kinds/credential.js';
import { REDACTED } from '../redact.js';
import { CredentialUnreadable, type SealContext, type Sealed, type Vault } from '../vault/vault.js';
import { CachedKeys } from './cached-keys.js';
import type { KeyIndex } from './key-index.js';

/** How much the keys of all workspaces may take. The least recently used workspaces are dropped; one alone may have more. */
const MAX_CACHED_BYTES = 64 * 2 ** 20;

/** A usable credential, or why there is none: the vault's reasons, or `rejected` by the rules of its kind. */
export type Opened =
  | { readonly credential: Credential }
  | { readonly unusable: CredentialUnreadable['reason'] | 'rejected' };

export interface CredentialCacheDependencies {
  readonly source: CredentialSource;
  readonly vault: Vault;
  readonly rules: CredentialRules;
}

/** One workspace's keys, and the bytes that they are accounted with. */
interface CachedWorkspace {
  readonly accountId: string;
  readonly cached: CachedKeys;
  keys: Promise<KeyIndex<StoredKey>>;
  bytes: number;
}

/**
 * Caches stored and opened credentials, so that a request needs no query and no decryption. After a change only what
 * has changed is read again, or everything where that is not known. It can't be serialised or printed.
 */
export class CredentialCache {
  readonly #source: CredentialSource;
  readonly #vault: Vault;
  readonly #rules: CredentialRules;
  readonly #workspaces = new Map<string, CachedWorkspace>();
  /** The most recently used workspace, the last of the map. */
  #newest: CachedWorkspace | undefined;
  #shared: Promise<ReadonlyMap<string, SharedCredential>> | undefined;
  /** Keyed by the object that was read from the store, so that a dropped record is never mistaken for its successor. */
  #opened = new WeakMap<Sealed, Opened & { adapter: AdapterName }>();
  #allHeaders: Promise<readonly SealedHeader[]> | undefined;
  /** Keyed by the provider's own member, so that the headers of a changed provider are opened anew. */
  #headers = new WeakMap<
    object,
    { readonly sealed: readonly SealedHeader[]; readonly opened: HostHeaders }
  >();
  #cachedBytes = 0;
  readonly #unsubscribe: () => void;

  constructor({ source, vault, rules }: CredentialCacheDependencies) {
    this.#source = source;
    this.#vault = vault;
    this.#rules = rules;
    this.#unsubscribe = source.onChange((changes) => this.#change(changes));
  }

  /** The keys that a workspace of the account may use: the same index until any of them changes. */
  keysOf(accountId: string, workspaceId: string): Promise<KeyIndex<StoredKey>> {
    const workspace = this.#workspaces.get(workspaceId) ?? this.#load(accountId, workspaceId);
    if (workspace !== this.#newest) {
      this.#newest = workspace;
      this.#workspaces.delete(workspaceId);
      this.#workspaces.set(workspaceId, workspace);
    }
    const keys = workspace.cached.current;
    if (keys !== workspace.keys) this.#follow(workspaceId, workspace, keys);
    return keys;
  }

  /** Opens the credential of a key for the adapter of its provider. Throws nothing. */
  open(stored: StoredKey, adapter: AdapterName): Opened {
    return this.#open(adapter, stored.sealed, stored.key);
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
    return this.#open(adapter, stored.sealed, sharedContext(stored.provider));
  }

  /**
   * The opened headers of a provider of the catalogue; undefined where it has none. Rejects where the value of one is not
   * stored or can't be opened, with an Error without any secret in it.
   */
  async headersOf({ slug, baseUrl, headers }: Provider): Promise<HostHeaders | undefined> {
    if (headers === undefined || baseUrl === null) return undefined;
    const sealed = await this.#sealedHeaders();
    const rows = sealed.filter(({ provider }) => provider === slug);
    const known = this.#headers.get(headers);
    if (known?.sealed === sealed) return known.opened;
    const values = Object.keys(headers).map((name) => {
      const row = rows.find((one) => one.name.toLowerCase() === name.toLowerCase());
      if (row === undefined) throw new Error('the value of a header is not stored');
      return [name, this.#vault.open(row.sealed, headerContext(slug, name))];
    });
    const opened = hostHeaders(baseUrl, Object.fromEntries(values));
    this.#headers.set(headers, { sealed, opened });
    return opened;
  }

  #sealedHeaders(): Promise<readonly SealedHeader[]> {
    this.#allHeaders ??= this.#source.providerHeaders().catch((error: unknown) => {
      this.#allHeaders = undefined;
      throw error;
    });
    return this.#allHeaders;
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

  #load(accountId: string, workspaceId: string): CachedWorkspace {
    const cached = new CachedKeys(this.#source, workspaceId);
    const workspace = { accountId, cached, keys: cached.current, bytes: 0 };
    this.#follow(workspaceId, workspace, workspace.keys);
    return workspace;
  }

  /** Accounts for what was read, or forgets the workspace where reading has failed. */
  #follow(workspaceId: string, workspace: CachedWorkspace, keys: Promise<KeyIndex<StoredKey>>): void {
    workspace.keys = keys;
    keys.then(
      () => this.#account(workspaceId, workspace),
      () => this.#forget(workspaceId, workspace),
    );
  }

  #account(workspaceId: string, workspace: CachedWorkspace): void {
    if (this.#workspaces.get(workspaceId) !== workspace) return;
    this.#cachedBytes += workspace.cached.bytes - workspace.bytes;
    workspace.bytes = workspace.cached.bytes;
    for (const [oldestId, oldest] of this.#workspaces) {
      if (this.#cachedBytes <= MAX_CACHED_BYTES || oldest === workspace) break;
      this.#forget(oldestId, oldest);
    }
  }

  #forget(workspaceId: string, workspace: CachedWorkspace): void {
    if (this.#workspaces.get(workspaceId) !== workspace) return;
    this.#workspaces.delete(workspaceId);
    this.#cachedBytes -= workspace.bytes;
  }

  #open(adapter: AdapterName, sealed: Sealed, context: SealContext): Opened {
    const known = this.#opened.get(sealed);
    if (known?.adapter === adapter) return known;
    const opened = { adapter, ...this.#unseal(adapter, sealed, context) };
    this.#opened.set(sealed, opened);
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

  #change(changes: readonly KeyChange[] | null): void {
    if (changes === null) this.#drop();
    for (const change of changes ?? []) {
      for (const [id, workspace] of this.#changedBy(change)) {
        if (!workspace.cached.change(change)) this.#forget(id, workspace);
      }
    }
  }

  /** The cached workspaces whose keys may have changed, by id. */
  #changedBy({ workspaceId, sharedBy }: KeyChange): [string, CachedWorkspace][] {
    const own = this.#workspaces.get(workspaceId);
    if (sharedBy === null) return own === undefined ? [] : [[workspaceId, own]];
    return [...this.#workspaces].filter(([, { accountId }]) => accountId === sharedBy);
  }

  #drop(): void {
    this.#workspaces.clear();
    this.#newest = undefined;
    this.#cachedBytes = 0;
    this.#shared = undefined;
    this.#allHeaders = undefined;
    this.#opened = new WeakMap();
  }
}
