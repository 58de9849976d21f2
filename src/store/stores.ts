import type { Clock } from '../base/clock.js';
import type { Ids } from '../base/ids.js';
import { accountStore } from './account-store.js';
import { activityReader } from './activity-reader.js';
import { assignmentStore } from './assignment-store.js';
import { batchStore } from './batch-store.js';
import { budgetStore } from './budget-store.js';
import { byokStore } from './byok-store.js';
import { createCatalogStore } from './catalog-store.js';
import { clientStore } from './client-store.js';
import { credentialStore } from './credential-store.js';
import type { Database } from './database.js';
import { createGenerationStore } from './generation-store.js';
import { guardrailStore } from './guardrail-store.js';
import { keyStore } from './key-store.js';
import { creditStore } from './ledger/credit-store.js';
import { ledgerRunner } from './ledger/ledger-runner.js';
import { ledger } from './ledger/ledger-store.js';
import { usageReader } from './ledger/usage-reader.js';
import { workspaceSpendReader } from './ledger/workspace-spend.js';
import { managementKeyStore } from './management-key-store.js';
import { memberStore } from './member-store.js';
import { operatorKeyStore } from './operator-key-store.js';
import { policyStore } from './policy-store.js';
import { preferenceStore } from './preference-store.js';
import { sealedCredentialStore } from './sealed-credential-store.js';
import { workspaceStore } from './workspace-store.js';

/** Everything that is kept in a database, by what it is to the parts. */
export type Stores = ReturnType<typeof createStores>;

/** What stores work with beside the database. */
export interface StoreParts {
  readonly clock: Clock;
  readonly ids: Ids;
}

/** All stores on one database. */
export function createStores(database: Database, { clock, ids }: StoreParts) {
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
