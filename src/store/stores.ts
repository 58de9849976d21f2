import type { Clock } from '../base/clock.js';
import type { Ids } from '../base/ids.js';
import { billingPlanInForce } from '../ledger/payer.js';
import { createBatchStore } from './batch/batch-store.js';
import { createAccountHmacKeyStore } from './byok/account-hmac-key-store.js';
import { createByokStore } from './byok/byok-store.js';
import { createKeyRefusalStore } from './byok/key-refusal-store.js';
import { createSealedCredentialStore } from './byok/sealed-credential-store.js';
import { createCachedAnswerStore } from './cache/cached-answer-store.js';
import type { Database } from './database/database.js';
import { BalanceCache } from './ledger/balance-cache.js';
import { createBalances, createKnownBalances } from './ledger/balances.js';
import { createEndUserReader } from './ledger/end-user-reader.js';
import { createLedgerMemory } from './ledger/ledger-memory.js';
import { createLedgerRunner } from './ledger/ledger-runner.js';
import { createLedger } from './ledger/ledger-store.js';
import { NotedStreams } from './ledger/noted-streams.js';
import { createRunStore } from './ledger/run-store.js';
import { createUsageReader } from './ledger/usage-reader.js';
import { createWorkspaceSpendReader } from './ledger/workspace-spend.js';
import { createActivityReader } from './records/activity-reader.js';
import { createGenerationStore } from './records/generation-store.js';
import { createReceiptReader } from './records/receipt-reader.js';
import { createStreamJournal } from './records/stream-journal.js';
import { createAccountStore } from './tables/account-store.js';
import { createAssignmentStore } from './tables/assignment-store.js';
import { createBudgetStore } from './tables/budget-store.js';
import { createCredentialStore } from './tables/caller-credential-store.js';
import { createCatalogStore } from './tables/catalog-store.js';
import { createClientStore } from './tables/client-store.js';
import { createCreditStore } from './tables/credit-store.js';
import { createGuardrailStore } from './tables/guardrail-store.js';
import { createKeyStore } from './tables/key-store.js';
import { createManagementKeyStore } from './tables/management-key-store.js';
import { createMemberStore } from './tables/member-store.js';
import { createOperatorKeyStore } from './tables/operator-key-store.js';
import { createPolicyStore } from './tables/policy-store.js';
import { createPreferenceStore } from './tables/preference-store.js';
import { createRecordNameReader } from './tables/record-names.js';
import { createWorkspaceStore } from './tables/workspace-store.js';

export type Stores = ReturnType<typeof createStores>;

export interface StoreDependencies {
  readonly clock: Clock;
  readonly ids: Ids;
  /** Whether what is admitted from now on is charged; true when left out. */
  readonly isBilled?: boolean;
}

export function createStores(database: Database, { clock, ids, isBilled = true }: StoreDependencies) {
  const planOf = billingPlanInForce(isBilled);
  const memory = createLedgerMemory(database);
  const cache = memory ?? new BalanceCache(database);
  const runInLedger = createLedgerRunner(database, memory, clock, cache);
  const noted = new NotedStreams(database.query);
  return {
    accounts: createAccountStore(database),
    activity: createActivityReader(database),
    assignments: createAssignmentStore(database),
    balances: createBalances(database, memory),
    knownBalances: createKnownBalances(database, cache),
    batches: createBatchStore(database, runInLedger, ids),
    authentication: createCredentialStore(database, planOf),
    budgets: createBudgetStore(database),
    byok: createByokStore(database),
    keyRefusals: createKeyRefusalStore(database),
    cachedAnswers: createCachedAnswerStore(database),
    catalog: createCatalogStore(database, clock),
    clients: createClientStore(database),
    credentials: createSealedCredentialStore(database),
    credits: createCreditStore(database, runInLedger, memory, planOf),
    endUsers: createEndUserReader(database, memory),
    generations: createGenerationStore(database, runInLedger, ids, noted),
    guardrails: createGuardrailStore(database),
    keys: createKeyStore(database),
    managementKeys: createManagementKeyStore(database),
    accountHmacKeys: createAccountHmacKeyStore(database),
    members: createMemberStore(database),
    operatorKeys: createOperatorKeyStore(database),
    policies: createPolicyStore(database),
    preferences: createPreferenceStore(database),
    ledger: createLedger(database, runInLedger, memory),
    streamJournal: createStreamJournal(database, runInLedger, ids, noted),
    receipts: createReceiptReader(database),
    runs: createRunStore(database, ids),
    recordNames: createRecordNameReader(database),
    usage: createUsageReader(database, memory),
    workspaces: createWorkspaceStore(database),
    workspaceSpend: createWorkspaceSpendReader(database, memory),
  };
}
