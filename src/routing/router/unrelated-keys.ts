import { isUsableIn } from '../../byok/further-workspaces.js';
import type { FallbackChain } from '../plan/plan.js';

/** Counts the keys that the caller's workspace may use whose providers have no endpoint of any of the models. */
export function unrelatedKeys({ models, context }: Pick<FallbackChain, 'models' | 'context'>): number {
  const related = new Set(models.flatMap(({ endpoints }) => endpoints.map(({ provider }) => provider)));
  const { keys, caller } = context;
  const others = keys.providers.filter((slug) => !related.has(slug)).flatMap((slug) => keys.ofProvider(slug));
  return others.filter(({ key }) => isUsableIn(key, caller.workspaceId)).length;
}
