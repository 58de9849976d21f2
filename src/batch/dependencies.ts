import type { AccountStore } from '../accounts/account/account.js';
import type { Clock } from '../base/clock.js';
import type { Ids } from '../base/ids.js';
import type { CredentialCache } from '../byok/cache/credential-cache.js';
import type { CredentialSource } from '../byok/keys/ports.js';
import type { CatalogCache } from '../catalog/assembled/catalog.js';
import type { KeyStore } from '../identity/api-key.js';
import type { AvailableFunds } from '../ledger/admission.js';
import type { SpendLimit } from '../ledger/limits.js';
import type { BillingPlan, BillingPlanInForce, Keyholder } from '../ledger/payer.js';
import type { FallbackChain } from '../routing/plan/plan.js';
import type { Refuse } from '../routing/router/refusal.js';
import type { RouteRequest } from '../routing/router/router.js';
import type { BatchMeter, BatchStore, BatchUpstream } from './ports.js';

export interface BatchDependencies {
  readonly store: BatchStore;
  readonly upstream: BatchUpstream;
  readonly accounts: Pick<AccountStore, 'findAccount' | 'findWorkspace'>;
  planInForce(plan: BillingPlan): BillingPlanInForce;
  readonly keys: Pick<KeyStore, 'findKey'>;
  readonly byok: Pick<CredentialSource, 'storedKey'>;
  readonly credentials: Pick<CredentialCache, 'open' | 'headersOf'>;
  readonly catalogs: Pick<CatalogCache, 'current'>;
  /** Routes a request of an account with these available funds. */
  route(request: RouteRequest, funds: AvailableFunds): Promise<FallbackChain>;
  readonly refuse: Refuse;
  /** All budgets that apply to the payer. */
  budgetsOf(payer: Keyholder): Promise<readonly SpendLimit[]>;
  readonly meter: BatchMeter;
  /** Reports errors of background work. */
  report(error: unknown): void;
  readonly clock: Clock;
  readonly ids: Ids;
}
