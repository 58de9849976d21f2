import { isUsableIn } from '../../byok/further-workspaces.js';
import type { FallbackChain } from '../plan/plan.js';

/** How many keys that the caller's workspace may use are of providers that have no endpoint of any of the models. */
export function unrelatedKeys({ models, context }: Pick<FallbackChain, 'models' | 'context'>): number {
  const related = new Set(models.flatMap(({ endpoints }) => endpoints.map(({ provider }) => provider)));
  const { keys, caller } = context;
  const others = keys.providers.filter((slug) => !related.has(slug)).flatMap((slug) => keys.ofProvider(slug));
  return others.filter(({ key }) => isUsableIn(key, caller.workspaceId)).length;
}
