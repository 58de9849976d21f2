import type { GuardrailRules } from '../../src/accounts/guardrails/guardrail.js';
import type { GuardrailChanges } from '../../src/accounts/guardrails/guardrail-changes.js';
import { createGuardrail, type NewGuardrail } from '../../src/accounts/guardrails/guardrails.js';
import { createPolicyReader } from '../../src/accounts/policy/policy-reader.js';
import { createWorkspace, type WorkspaceChanges } from '../../src/accounts/workspaces/workspaces.js';
import { KEEP } from '../../src/base/change.js';
import { systemIds } from '../../src/base/ids.js';
import type { Database } from '../../src/store/database/database.js';
import { createLedgerMemory } from '../../src/store/ledger/ledger-memory.js';
import { createLedgerRunner } from '../../src/store/ledger/ledger-runner.js';
import { createWorkspaceSpendReader } from '../../src/store/ledger/workspace-spend.js';
import { createActivityReader } from '../../src/store/records/activity-reader.js';
import { createAssignmentStore } from '../../src/store/tables/assignment-store.js';
import { createBudgetStore } from '../../src/store/tables/budget-store.js';
import { createCreditStore } from '../../src/store/tables/credit-store.js';
import { createGuardrailStore } from '../../src/store/tables/guardrail-store.js';
import { createMemberStore } from '../../src/store/tables/member-store.js';
import { createPolicyStore } from '../../src/store/tables/policy-store.js';
import { createPreferenceStore } from '../../src/store/tables/preference-store.js';
import { createRecordNameReader } from '../../src/store/tables/record-names.js';
import { createWorkspaceStore } from '../../src/store/tables/workspace-store.js';
import { newAccount, type World, worldOn } from '../identity/world.js';
import { withDatabase } from '../support/database.js';

/** The error for everything that does not exist. */
export const NOT_FOUND = { reason: 'not_found', message: 'Resource not found', httpStatus: 404 };

/** The dependencies of the account operations, on a database with two accounts. */
export type Control = Awaited<ReturnType<typeof createControl>>;

export async function createControl() {
  const world = worldOn(await withDatabase());
  const mine = await newAccount(world);
  const otherAccount = await newAccount(world);
  return {
    world,
    ...controlOn(world),
    mine,
    accountId: mine.account.id,
    workspaceId: mine.workspace.id,
    otherAccount,
  };
}

/** On a database that others may share, as further processes do. */
export function controlOn({ database, clock }: Pick<World, 'database' | 'clock'>) {
  const common = { clock, ids: systemIds };
  const memory = createLedgerMemory(database);
  return {
    workspaces: { store: createWorkspaceStore(database), ...common },
    members: { store: createMemberStore(database), ...common },
    guardrails: { store: createGuardrailStore(database), knownNames, ...common },
    assignments: { store: createAssignmentStore(database), ...common },
    budgets: {
      store: createBudgetStore(database),
      spend: createWorkspaceSpendReader(database, memory),
      ...common,
    },
    preferences: { store: createPreferenceStore(database), knownNames },
    credits: createCreditStore(database, createLedgerRunner(database, memory), memory),
    activity: { reader: createActivityReader(database), names: createRecordNameReader(database) },
    policies: createPolicyReader(createPolicyStore(database)),
  };
}

const knownNames = async () => ({
  providers: new Set(['a', 'azure', 'demo', 'groq', 'openai']),
  regions: new Set(['eu', 'global', 'us']),
});

/** A guardrail with only a name. */
export const PLAIN: GuardrailRules = {
  name: 'Guard',
  description: null,
  limitNanoUsd: null,
  resetInterval: null,
  allowedModels: null,
  ignoredModels: null,
  allowedProviders: null,
  ignoredProviders: null,
  enforceZdr: false,
  dataCollection: null,
  allowedDataRegions: null,
  includeByokInBudgets: false,
};

/** A guardrail with a value in every field. */
export const FULL: GuardrailRules = {
  name: 'Full',
  description: 'Restricts everything',
  limitNanoUsd: 1_500_000_001n,
  resetInterval: 'weekly',
  allowedModels: ['a/one', 'b/two'],
  ignoredModels: ['c/three'],
  allowedProviders: ['openai'],
  ignoredProviders: ['azure', 'demo'],
  enforceZdr: true,
  dataCollection: 'deny',
  allowedDataRegions: ['eu', 'global'],
  includeByokInBudgets: true,
};

/** Creates a guardrail with default values. */
export function newGuardrail(control: Control, over: Partial<NewGuardrail> = {}) {
  return createGuardrail(control.guardrails, control.accountId, { ...PLAIN, workspaceId: null, ...over });
}

/** A new workspace with that slug. */
export function newWorkspace(control: Control, slug: string) {
  return createWorkspace(control.workspaces, control.accountId, { name: slug, slug, description: null });
}

/** An update that keeps every field but those given. */
export function guardrailChanges(over: Partial<GuardrailChanges>): GuardrailChanges {
  return {
    name: KEEP,
    description: KEEP,
    limitNanoUsd: KEEP,
    resetInterval: KEEP,
    allowedModels: KEEP,
    ignoredModels: KEEP,
    allowedProviders: KEEP,
    ignoredProviders: KEEP,
    enforceZdr: KEEP,
    dataCollection: KEEP,
    allowedDataRegions: KEEP,
    includeByokInBudgets: KEEP,
    ...over,
  };
}

/** An update that keeps every field but those given. */
export function workspaceChanges(over: Partial<WorkspaceChanges>): WorkspaceChanges {
  return { name: KEEP, slug: KEEP, description: KEEP, ...over };
}

/** The revision of the scope `policy`. */
export async function policyRevision(database: Database): Promise<number> {
  const row = await database.query
    .selectFrom('revision')
    .select('value')
    .where('scope', '=', 'policy')
    .executeTakeFirstOrThrow();
  return row.value;
}
