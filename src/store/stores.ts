import type { Clock } from '../base/clock.js';
import { accountStore } from './account-store.js';
import { activityReader } from './activity-reader.js';
import { assignmentStore } from './assignment-store.js';
import { budgetStore } from './budget-store.js';
import { byokStore } from './byok-store.js';
import { createCatalogStore } from './catalog-store.js';
import { clientStore } from './client-store.js';
import { credentialStore } from './credential-store.js';
import { creditStore } from './credit-store.js';
import type { Database } from './database.js';
import { createGenerationStore } from './generation-store.js';
import { guardrailStore } from './guardrail-store.js';
import { keyStore } from './key-store.js';
import { workspaceSpendReader } from './ledger-sums.js';
import { managementKeyStore } from './management-key-store.js';
import { memberStore } from './member-store.js';
import { policyStore } from './policy-store.js';
import { preferenceStore } from './preference-store.js';
import { sealedCredentialStore } from './sealed-credential-store.js';
import { usageReader } from './usage-reader.js';
import { workspaceStore } from './workspace-store.js';

/** Everything that is kept in a database, by what it is to the parts. */
export type Stores = ReturnType<typeof createStores>;

/** All stores on one database. */
export function createStores(database: Database, clock: Clock) {
  return {
    accounts: accountStore(database),
    activity: activityReader(database),
    assignments: assignmentStore(database),
    authentication: credentialStore(database),
    budgets: budgetStore(database),
    byok: byokStore(database),
    catalog: createCatalogStore(database, clock),
    clients: clientStore(database),
    credentials: sealedCredentialStore(database),
    credits: creditStore(database),
    generations: createGenerationStore(database),
    guardrails: guardrailStore(database),
    keys: keyStore(database),
    managementKeys: managementKeyStore(database),
    members: memberStore(database),
    policies: policyStore(database),
    preferences: preferenceStore(database),
    usage: usageReader(database),
    workspaces: workspaceStore(database),
    workspaceSpend: workspaceSpendReader(database),
  };
}
