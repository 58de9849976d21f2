import type { CredentialSource, KeyChange, StoredKey } from '../keys/ports.js';
import { KeyIndex } from './key-index.js';

/** Estimate of a key without its credential. */
const KEY_BYTES = 1_024;

/** More changes than this between two requests are read as if all keys had changed. */
const MAX_CHANGES = 500;

type KeySource = Pick<CredentialSource, 'storedKeysOf' | 'storedKeysAmong' | 'placesOf'>;

/** The keys of one workspace, read once. When some of them change, only these are read again. */
export class CachedKeys {
  readonly #source: KeySource;
  readonly #workspaceId: string;
  #keys: Promise<KeyIndex<StoredKey>>;
  #changes: KeyChange[] = [];
  #bytes = 0;

  constructor(source: KeySource, workspaceId: string) {
    this.#source = source;
    this.#workspaceId = workspaceId;
    this.#keys = this.#readAll();
  }

  /** Another index after each change. */
  get current(): Promise<KeyIndex<StoredKey>> {
    if (this.#changes.length > 0) {
      const changes = this.#changes;
      this.#changes = [];
      this.#keys = this.#keys.then((keys) => this.#readChanged(keys, changes));
    }
    return this.#keys;
  }

  /** Estimate of what was read; a workspace without keys counts as one. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Reads what has changed when the keys are next asked for. False where all keys should be read anew. */
  change(change: KeyChange): boolean {
    this.#changes.push(change);
    return this.#changes.length <= MAX_CHANGES;
  }

  async #readAll(): Promise<KeyIndex<StoredKey>> {
    return this.#counted(new KeyIndex(await this.#source.storedKeysOf(this.#workspaceId)));
  }

  async #readChanged(keys: KeyIndex<StoredKey>, changes: readonly KeyChange[]): Promise<KeyIndex<StoredKey>> {
    const ids = [...new Set(changes.flatMap((change) => change.ids))];
    const found = ids.length === 0 ? [] : await this.#source.storedKeysAmong(this.#workspaceId, ids);
    const put = new Map(found.map((stored) => [stored.key.id, stored]));
    for (const provider of new Set(changes.map(({ rearranged }) => rearranged))) {
      if (provider === null) continue;
      for (const { id, ...place } of await this.#source.placesOf(this.#workspaceId, provider)) {
        const stored = put.get(id) ?? keys.get(id);
        if (stored === undefined || isAt(stored, place)) continue;
        put.set(id, { ...stored, key: { ...stored.key, ...place } });
      }
    }
    return this.#counted(
      keys.changed(
        put,
        ids.filter((id) => !put.has(id)),
      ),
    );
  }

  #counted(keys: KeyIndex<StoredKey>): KeyIndex<StoredKey> {
    this.#bytes = KEY_BYTES;
    for (const stored of keys.items) this.#bytes += bytesOf(stored);
    return keys;
  }
}

function isAt({ key }: StoredKey, place: Pick<StoredKey['key'], 'isFallback' | 'sortOrder'>): boolean {
  return key.isFallback === place.isFallback && key.sortOrder === place.sortOrder;
}

/** With the credential twice, since it is opened too. */
function bytesOf({ sealed }: StoredKey): number {
  return KEY_BYTES + 2 * sealed.ciphertext.length;
}
