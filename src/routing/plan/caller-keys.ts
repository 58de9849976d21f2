/** Which BYOK keys may serve a caller, found without looking at all keys of the workspace. */
import { callerFilterReason } from '../../byok/filters.js';
import type { Caller, RoutableKey } from '../types.js';

export interface CallerKeys {
  /** Enabled, and admitted by their API-key and member filters. */
  readonly admitted: readonly RoutableKey[];
  /** All others of the workspace; takes as long as there are keys. */
  others(): readonly RoutableKey[];
}

/** Only keys of the caller's own workspace count. */
export function callerKeys(keys: readonly RoutableKey[], caller: Caller): CallerKeys {
  const { unrestricted, byApiKey, byMember } = indexOf(keys);
  const named = new Set([
    ...unrestricted,
    ...(byApiKey.get(caller.apiKeyHash) ?? []),
    ...(byMember.get(caller.userId) ?? []),
  ]);
  const isOwn = ({ key }: RoutableKey) => key.workspaceId === caller.workspaceId;
  const admitted = [...named].filter((one) => isOwn(one) && callerFilterReason(one.key, caller) === null);
  return {
    admitted,
    others() {
      const isAdmitted = new Set(admitted);
      return keys.filter((one) => isOwn(one) && !isAdmitted.has(one));
    },
  };
}

/** Enabled keys by the first of their filters that restricts callers. */
interface KeyIndex {
  readonly unrestricted: readonly RoutableKey[];
  readonly byApiKey: ReadonlyMap<string, readonly RoutableKey[]>;
  readonly byMember: ReadonlyMap<string, readonly RoutableKey[]>;
}

/** The keys of a workspace are the same array until one of them changes. */
const INDEXES = new WeakMap<readonly RoutableKey[], KeyIndex>();

function indexOf(keys: readonly RoutableKey[]): KeyIndex {
  const known = INDEXES.get(keys);
  if (known !== undefined) return known;
  const unrestricted: RoutableKey[] = [];
  const byApiKey = new Map<string, RoutableKey[]>();
  const byMember = new Map<string, RoutableKey[]>();
  for (const one of keys) {
    const { disabled, allowedApiKeyHashes, allowedUserIds } = one.key;
    if (disabled) continue;
    if (allowedApiKeyHashes !== null) addUnder(byApiKey, allowedApiKeyHashes, one);
    else if (allowedUserIds !== null) addUnder(byMember, allowedUserIds, one);
    else unrestricted.push(one);
  }
  const index = { unrestricted, byApiKey, byMember };
  INDEXES.set(keys, index);
  return index;
}

function addUnder(index: Map<string, RoutableKey[]>, names: readonly string[], key: RoutableKey): void {
  for (const name of names) {
    const known = index.get(name);
    if (known === undefined) index.set(name, [key]);
    else known.push(key);
  }
}
