/**
 * Warnings about a key's filters that were accepted and match nothing now: docs/routing.md#warnings. Made whenever
 * keys are read.
 */

import type { Violation } from '../../base/problem.js';
import { deduplicate } from '../../base/text.js';
import type { Catalog } from '../../catalog/assembled/catalog.js';
import { modelsNamedBy } from '../../catalog/assembled/model-patterns.js';
import { unmatchedModels, warned } from '../../catalog/assembled/unmatched.js';
import type { ByokStore } from '../keys/ports.js';
import type { ByokKey } from '../types.js';

type Filters = Pick<ByokKey, 'provider' | 'allowedModels' | 'allowedApiKeyHashes' | 'allowedUserIds'>;
type Models = Pick<Catalog, 'models' | 'resolveId' | 'nearestModelIds'>;
type Lookups = Pick<ByokStore, 'liveHashes' | 'usersWithKeys'>;

/** The warnings about the keys of an account, in their order, from two look-ups. */
export async function filterWarnings(
  store: Lookups,
  accountId: string,
  keys: readonly Filters[],
  catalog: Models,
  now: number,
): Promise<readonly (readonly Violation[])[]> {
  const hashes = all(keys.map(({ allowedApiKeyHashes }) => allowedApiKeyHashes));
  const users = all(keys.map(({ allowedUserIds }) => allowedUserIds));
  const live = hashes.length === 0 ? NONE : await store.liveHashes(accountId, hashes, now);
  const known = users.length === 0 ? NONE : await store.usersWithKeys(accountId, users);
  return keys.map((key) => [
    ...modelWarnings(key, catalog),
    ...warned(
      'allowed_api_key_hashes',
      key.allowedApiKeyHashes,
      (hash) => !live.has(hash),
      () => DEAD,
    ),
    ...warned(
      'allowed_user_ids',
      key.allowedUserIds,
      (id) => !known.has(id),
      () => NOBODY,
    ),
  ]);
}

const NONE: ReadonlySet<string> = new Set();
const DEAD = 'is no live API key any more (deleted or expired): this entry has no effect';
const NOBODY = 'no API key of the account acts as this member: until one does, this entry has no effect';

export function modelWarnings({ provider, allowedModels }: Filters, catalog: Models): Violation[] {
  const isElsewhere = (entry: string) => {
    const models = modelsNamedBy(entry, catalog);
    return (
      models.length > 0 && !models.some(({ endpoints }) => endpoints.some((one) => one.provider === provider))
    );
  };
  return [
    ...unmatchedModels('allowed_models', allowedModels, catalog),
    ...warned(
      'allowed_models',
      allowedModels,
      isElsewhere,
      () => `${provider} has no endpoint of it: this entry has no effect`,
    ),
  ];
}

function all(lists: readonly (readonly string[] | null)[]): readonly string[] {
  return deduplicate(lists.flatMap((list) => list ?? [])) ?? [];
}
