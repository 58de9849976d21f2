import type { Clock } from '../base/clock.js';
import type { Ids } from '../base/ids.js';
import { batchStore } from './batch/batch-store.js';
import { byokStore } from './byok/byok-store.js';
import { credentialStore } from './byok/credential-store.js';
import { sealedCredentialStore } from './byok/sealed-credential-store.js';
import type { Database } from './database.js';
import { creditStore } from './ledger/credit-store.js';
import { ledgerRunner } from './ledger/ledger-runner.js';
import { ledger } from './ledger/ledger-store.js';
import { usageReader } from './ledger/usage-reader.js';
import { workspaceSpendReader } from './ledger/workspace-spend.js';
import { accountStore } from './tables/account-store.js';
import { activityReader } from './tables/activity-reader.js';
import { assignmentStore } from './tables/assignment-store.js';
import { budgetStore } from './tables/budget-store.js';
import { createCatalogStore } from './tables/catalog-store.js';
import { clientStore } from './tables/client-store.js';
import { createGenerationStore } from './tables/generation-store.js';
import { guardrailStore } from './tables/guardrail-store.js';
import { keyStore } from './tables/key-store.js';
import { managementKeyStore } from './tables/management-key-store.js';
import { memberStore } from './tables/member-store.js';
import { operatorKeyStore } from './tables/operator-key-store.js';
import { policyStore } from './tables/policy-store.js';
import { preferenceStore } from './tables/preference-store.js';
import { workspaceStore } from './tables/workspace-store.js';

/** Everything that is kept in a database, by what it is to the parts. */
export type Stores = ReturnType<typeof createStores>;

/** What stores work with beside the database. */
export interface StoreDependencies {
  readonly clock: Clock;
  readonly ids: Ids;
}

/** All stores on one database. */
export function createStores(database: Database, { clock, ids }: StoreDependencies) {
  const runInLedger = ledgerRunner(database);
  return {
    accounts: accountStore(database),
    activity: activityReader(database),
    assignments: assignmentStore(database),
    batches: batchStore(database, runInLedger, ids),
    authentication: credentialStore(database),
    budgets: budgetStore(database),
    byok: byokStore(database),
    catalog: createCatalogStore(database, clock),
    clients: clientStore(database),
    credentials: sealedCredentialStore(database),
    credits: creditStore(database, runInLedger),
    generations: createGenerationStore(database, runInLedger, ids),
    guardrails: guardrailStore(database),
    keys: keyStore(database),
    managementKeys: managementKeyStore(database),
    members: memberStore(database),
    operatorKeys: operatorKeyStore(database),
    policies: policyStore(database),
    preferences: preferenceStore(database),
    ledger: ledger(database, runInLedger),
    usage: usageReader(database),
    workspaces: workspaceStore(database),
    workspaceSpend: workspaceSpendReader(database),
  };
}
