import { compareText } from '../../base/text.js';
import { callerFilterReason, type FilteredCaller } from '../filters.js';
import type { ByokKey } from '../types.js';

/** Keys of a workspace, found by id, by provider and by who may use them, without looking at all of them. */
export class KeyIndex<Item extends { readonly key: ByokKey }> {
  #byId = new Map<string, Item>();
  /** Enabled keys, by the first of their filters that restricts callers. */
  #unrestricted: Group<Item> = new Map();
  #byApiKey = new Map<string, Group<Item>>();
  #byMember = new Map<string, Group<Item>>();
  /** Each list by id. */
  #byProvider = new Map<string, Item[]>();

  constructor(items: Iterable<Item> = []) {
    const sorted = [...items].sort((a, b) => compareText(a.key.id, b.key.id));
    for (const item of sorted) this.#put(item);
  }

  get(id: string): Item | undefined {
    return this.#byId.get(id);
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
    return [...this.#unrestricted.values(), ...naming];
  }

  /** Enabled keys of which the first filter that restricts callers contains the caller; each once. */
  naming({ apiKeyHash, userId }: FilteredCaller): readonly Item[] {
    return [
      ...(this.#byApiKey.get(apiKeyHash)?.values() ?? []),
      ...(this.#byMember.get(userId)?.values() ?? []),
    ];
  }

  /**
   * The index with these items, each in the place of the one with its id, and without those of these ids. Takes as
   * long as there are changes. This index changes too, and must not be used any more.
   */
  changed(put: Iterable<Item>, removed: Iterable<string>): KeyIndex<Item> {
    for (const id of removed) this.#remove(id);
    for (const item of put) this.#put(item);
    const next = new KeyIndex<Item>();
    next.#byId = this.#byId;
    next.#unrestricted = this.#unrestricted;
    next.#byApiKey = this.#byApiKey;
    next.#byMember = this.#byMember;
    next.#byProvider = this.#byProvider;
    return next;
  }

  #put(item: Item): void {
    const { id, provider } = item.key;
    const known = this.#byId.get(id);
    if (known !== undefined) this.#ungroup(known);
    this.#byId.set(id, item);
    for (const [groups, name] of this.#groupsOf(item.key)) groupOf(groups, name).set(id, item);
    if (isUnrestricted(item.key)) this.#unrestricted.set(id, item);
    const list = this.#byProvider.get(provider);
    if (list === undefined) this.#byProvider.set(provider, [item]);
    // The provider of a key never changes.
    else list.splice(positionOf(list, id), known === undefined ? 0 : 1, item);
  }

  #remove(id: string): void {
    const item = this.#byId.get(id);
    if (item === undefined) return;
    this.#byId.delete(id);
    this.#ungroup(item);
    const list = this.#byProvider.get(item.key.provider) ?? [];
    list.splice(positionOf(list, id), 1);
    if (list.length === 0) this.#byProvider.delete(item.key.provider);
  }

  #ungroup({ key }: Item): void {
    this.#unrestricted.delete(key.id);
    for (const [groups, name] of this.#groupsOf(key)) {
      const group = groupOf(groups, name);
      group.delete(key.id);
      if (group.size === 0) groups.delete(name);
    }
  }

  #groupsOf({ disabled, allowedApiKeyHashes, allowedUserIds }: ByokKey) {
    if (disabled) return [];
    if (allowedApiKeyHashes !== null)
      return allowedApiKeyHashes.map((hash) => [this.#byApiKey, hash] as const);
    return (allowedUserIds ?? []).map((user) => [this.#byMember, user] as const);
  }
}

/** By id. */
type Group<Item> = Map<string, Item>;

function isUnrestricted({ disabled, allowedApiKeyHashes, allowedUserIds }: ByokKey): boolean {
  return !disabled && allowedApiKeyHashes === null && allowedUserIds === null;
}

function groupOf<Item>(groups: Map<string, Group<Item>>, name: string): Group<Item> {
  const known = groups.get(name);
  if (known !== undefined) return known;
  const group: Group<Item> = new Map();
  groups.set(name, group);
  return group;
}

/** Where an item of this id stands in a list by id, or belongs. */
function positionOf(list: readonly { readonly key: ByokKey }[], id: string): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle]?.key.id ?? '') < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
