/** Finds the models that could answer now: docs/routing.md#available-models. */
import type { WorkspaceStore } from '../../accounts/workspaces/workspace-store.js';
import { Problem } from '../../base/problem.js';
import type { Catalog } from '../../catalog/assembled/catalog.js';
import { missingAuthentication } from '../../identity/authenticate.js';
import type { Principal } from '../../identity/principal.js';
import type { AvailableFunds } from '../../ledger/admission.js';
import { exceedsFunds } from '../plan/checks.js';
import { noPreferences } from '../plan/preferences.js';
import type { RouteRequest, RouterDependencies } from './router.js';

export interface AvailabilityDependencies {
  readonly router: RouterDependencies;
  readonly workspaces: Pick<WorkspaceStore, 'listWorkspaces'>;
  availableFunds(accountId: string): Promise<AvailableFunds>;
}

/**
 * A management key asks on behalf of an API key that no filter names and no guardrail is assigned to, in any of these
 * workspaces.
 */
const NO_KEY = { apiKeyHash: '', userId: '' };
const FIRST_WORKSPACES = { offset: 0, limit: 100 };

const NOT_ASKED = 'Only API keys and management keys can ask which models are available';

/**
 * The ids of the models that are available through the region, to an API key or to a management key's account. Throws a
 * 401 Problem without a credential, and a 403 for other callers.
 */
export async function modelsAvailableTo(
  { router, workspaces, availableFunds }: AvailabilityDependencies,
  principal: Principal,
  catalog: Catalog,
  region: string,
): Promise<ReadonlySet<string>> {
  if (principal.kind === 'anonymous') throw missingAuthentication();
  if (principal.kind !== 'api_key' && principal.kind !== 'management_key')
    throw new Problem('permission_denied', NOT_ASKED);
  const { accountId } = principal;
  const callers =
    principal.kind === 'api_key'
      ? [{ ...principal, apiKeyHash: principal.keyHash }]
      : (await workspaces.listWorkspaces(accountId, FIRST_WORKSPACES)).records.map(({ id }) => ({
          ...NO_KEY,
          accountId,
          workspaceId: id,
        }));
  const funds = await availableFunds(accountId);
  const ids = new Set<string>();
  for (const caller of callers) {
    for (const id of await availableModels(router, catalog, caller, region, funds)) ids.add(id);
  }
  return ids;
}

/**
 * The models that a plain request of the caller has an attempt for: with a key, or over shared capacity that the
 * account can pay for. Endpoints that are deferred for their health count.
 */
async function availableModels(
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
