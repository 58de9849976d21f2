import { inspect } from 'node:util';
import type { AdapterName } from '../../catalog/types.js';
import { type Credential, type CredentialRules, parseCredential } from '../credential.js';
import type { CredentialSource, SharedCredential, StoredKey } from '../ports.js';
import { REDACTED } from '../redact.js';
import { sharedContext } from '../shared.js';
import { CredentialUnreadable, type SealContext, type Sealed, type Vault } from './vault.js';

/** How many keys the book holds at most; the workspaces asked for longest ago make room. */
const MAX_KEYS_HELD = 10_000;

/** A credential ready to use, or why it can't be: the vault's reasons, or `rejected` by the rules of its kind. */
export type Opened =
  | { readonly credential: Credential }
  | { readonly unusable: CredentialUnreadable['reason'] | 'rejected' };

/** What a book reads from, opens with and checks by. */
export interface CredentialCacheDependencies {
  readonly source: CredentialSource;
  readonly vault: Vault;
  readonly rules: CredentialRules;
}

/** One workspace's keys, which count as soon as they are there; a workspace without any counts as one. */
interface Held {
  readonly keys: Promise<readonly StoredKey[]>;
  count: number;
}

/**
 * Stored and opened credentials in memory, so that a request costs no query and no cipher. Everything is dropped as
 * soon as any key or shared credential changes. Nothing of it can be serialised or printed.
 */
export class CredentialCache {
  readonly #source: CredentialSource;
  readonly #vault: Vault;
  readonly #rules: CredentialRules;
  readonly #workspaces = new Map<string, Held>();
  /** Asked for last, and so at the end of the workspaces. */
  #newest: Held | undefined;
  #shared: Promise<ReadonlyMap<string, SharedCredential>> | undefined;
  /** By the stored record itself: what was dropped with it can't be mistaken for its successor. */
  #opened = new WeakMap<StoredKey | SharedCredential, Opened & { adapter: AdapterName }>();
  #heldCount = 0;
  readonly #unsubscribe: () => void;

  constructor({ source, vault, rules }: CredentialCacheDependencies) {
    this.#source = source;
    this.#vault = vault;
    this.#rules = rules;
    this.#unsubscribe = source.onChange(() => this.#drop());
  }

  /** All keys of a workspace, by provider, then section and position: the same list until any key changes. */
  keysOf(workspaceId: string): Promise<readonly StoredKey[]> {
    const held = this.#workspaces.get(workspaceId) ?? this.#load(workspaceId);
    if (held === this.#newest) return held.keys;
    this.#newest = held;
    this.#workspaces.delete(workspaceId);
    this.#workspaces.set(workspaceId, held);
    return held.keys;
  }

  /** The credential of a key, for the adapter of its provider. Throws nothing. */
  open(stored: StoredKey, adapter: AdapterName): Opened {
    return this.#open(stored, adapter, stored.sealed, stored.key);
  }

  /** The shared credential of a provider; undefined when none is stored. */
  async shared(provider: string, adapter: AdapterName): Promise<Opened | undefined> {
    const stored = (await this.sharedByProvider()).get(provider);
    return stored && this.openShared(stored, adapter);
  }

  /** The stored shared credentials by the slugs of their providers: the same map until one of them changes. */
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

  /** As `open`, of a shared credential. */
  openShared(stored: SharedCredential, adapter: AdapterName): Opened {
    return this.#open(stored, adapter, stored.sealed, sharedContext(stored.provider));
  }

  /** Stops listening for changes and forgets everything. */
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

  #load(workspaceId: string): Held {
    const held: Held = { keys: this.#source.storedKeysOf(workspaceId), count: 0 };
    held.keys.then(
      (keys) => this.#account(workspaceId, held, Math.max(keys.length, 1)),
      () => this.#forget(workspaceId, held),
    );
    return held;
  }

  #account(workspaceId: string, held: Held, count: number): void {
    if (this.#workspaces.get(workspaceId) !== held) return;
    held.count = count;
    this.#heldCount += count;
    for (const [oldestId, oldest] of this.#workspaces) {
      if (this.#heldCount <= MAX_KEYS_HELD || oldest === held) break;
      this.#forget(oldestId, oldest);
    }
  }

  #forget(workspaceId: string, held: Held): void {
    if (this.#workspaces.get(workspaceId) !== held) return;
    this.#workspaces.delete(workspaceId);
    this.#heldCount -= held.count;
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
    this.#heldCount = 0;
    this.#shared = undefined;
    this.#opened = new WeakMap();
  }
}
