import { compareText } from '../../base/text.js';
import { callerFilterReason, type FilteredCaller } from '../filters.js';
import type { ByokKey } from '../types.js';

/** Keys of a workspace, found by id, by provider and by who may use them, without looking at all of them. Never changes. */
export class KeyIndex<Item extends { readonly key: ByokKey }> {
  readonly #byId = new Map<string, Item>();
  /** Enabled keys, by the first of their filters that restricts callers. */
  readonly #unrestricted: Item[] = [];
  readonly #byApiKey = new Map<string, Item[]>();
  readonly #byMember = new Map<string, Item[]>();
  readonly #byProvider = new Map<string, Item[]>();

  constructor(items: Iterable<Item> = []) {
    for (const item of [...items].sort((a, b) => compareText(a.key.id, b.key.id))) {
      const { id, provider, disabled, allowedApiKeyHashes, allowedUserIds } = item.key;
      this.#byId.set(id, item);
      append(this.#byProvider, provider, item);
      if (disabled) continue;
      if (allowedApiKeyHashes !== null) appendToEach(this.#byApiKey, allowedApiKeyHashes, item);
      else if (allowedUserIds !== null) appendToEach(this.#byMember, allowedUserIds, item);
      else this.#unrestricted.push(item);
    }
  }

  get(id: string): Item | undefined {
    return this.#byId.get(id);
  }

  get items(): Iterable<Item> {
    return this.#byId.values();
  }

  get providers(): readonly string[] {
    return [...this.#byProvider.keys()];
  }

  /** By id. */
  ofProvider(provider: string): readonly Item[] {
    return this.#byProvider.get(provider) ?? [];
  }

  /** Enabled keys whose API-key and member filters contain the caller. */
  admittedTo(caller: FilteredCaller): readonly Item[] {
    const naming = this.naming(caller).filter(({ key }) => callerFilterReason(key, caller) === null);
    return [...this.#unrestricted, ...naming];
  }

  /** Enabled keys of which the first filter that restricts callers contains the caller; each once. */
  naming({ apiKeyHash, userId }: FilteredCaller): readonly Item[] {
    return [...(this.#byApiKey.get(apiKeyHash) ?? []), ...(this.#byMember.get(userId) ?? [])];
  }

  /** The index with these items, each in the place of the one with its id, and without those of these ids. */
  changed(put: ReadonlyMap<string, Item>, removed: Iterable<string>): KeyIndex<Item> {
    const items = new Map([...this.#byId, ...put]);
    for (const id of removed) items.delete(id);
    return new KeyIndex(items.values());
  }
}

function append<Item>(lists: Map<string, Item[]>, name: string, item: Item): void {
  const known = lists.get(name);
  if (known === undefined) lists.set(name, [item]);
  else known.push(item);
}

/** Once to each; a name may be there twice. */
function appendToEach<Item>(lists: Map<string, Item[]>, names: readonly string[], item: Item): void {
  for (const name of new Set(names)) append(lists, name, item);
}
