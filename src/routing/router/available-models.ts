/** Which models could be answered now: docs/routing.md#available-models. */
import type { Catalog } from '../../catalog/assembled/catalog.js';
import type { AvailableFunds } from '../../ledger/admission.js';
import { exceedsFunds } from '../plan/checks.js';
import { noPreferences } from '../plan/preferences.js';
import type { RouteRequest, RouterDependencies } from './router.js';

/**
 * The ids of the models that a plain request of the caller has an attempt for: over a key, or over shared capacity that the
 * account can pay for. What the health of endpoints defers counts.
 */
export async function availableModels(
  { policyFor, credentials, routeCache }: RouterDependencies,
  catalog: Catalog,
  caller: RouteRequest['caller'],
  region: string,
  funds: AvailableFunds,
): Promise<ReadonlySet<string>> {
  const { visibility } = await policyFor(caller, region, catalog);
  const context = {
    providers: catalog.providers,
    caller,
    policy: visibility,
    keys: routeCache.routableKeys(await credentials.keysOf(caller.accountId, caller.workspaceId), catalog),
    sharedProviders: routeCache.sharedCoverage(await credentials.sharedByProvider(), catalog),
    resolveModelId: catalog.resolveId,
  };
  const available = catalog.models
    .filter(({ aliasTarget }) => aliasTarget === null)
    .filter((model) => {
      const { eligible } = routeCache.candidatesOf(model, context, noPreferences);
      return eligible.some((one) => one.unavailable === null && exceedsFunds(one, funds) === undefined);
    });
  return new Set(available.map(({ id }) => id));
}
