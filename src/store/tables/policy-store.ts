import type { Kysely } from 'kysely';
import type { GuardrailScope, PolicySources } from '../../accounts/policy/policy.js';
import type { PolicyStore } from '../../accounts/policy/policy-reader.js';
import type { WorkspaceBudgets } from '../../accounts/workspaces/budget.js';
import type { Database } from '../database.js';
import type { GuardrailTable, Tables } from '../schema.js';
import { readBudgets } from './budget-store.js';
import { guardrailOf } from './guardrail-rows.js';
import { readPreferences } from './preference-store.js';
import { findBy } from './workspace-rows.js';

export function createPolicyStore(database: Database): PolicyStore {
  return {
    async readSources(accountId, keyHash, userId, workspaceId) {
      const db = database.query;
      return {
        preferences: await readPreferences(db, accountId),
        guardrails: [
          ...(await assignedGuardrails(db, accountId, 'key', keyHash)),
          ...(await assignedGuardrails(db, accountId, 'member', userId)),
          ...(await defaultGuardrail(db, accountId, workspaceId)),
        ],
        workspaceBudgets: await workspaceBudgets(db, accountId, workspaceId),
      };
    },

    onPolicyChange(listener) {
      database.onChange('policy', listener);
      database.onChange('identity', listener);
    },
  };
}

type Applied = PolicySources['guardrails'];

async function assignedGuardrails(
  db: Kysely<Tables>,
  accountId: string,
  kind: 'key' | 'member',
  subject: string,
): Promise<Applied> {
  const rows = await db
    .selectFrom('guardrail_assignment')
    .innerJoin('guardrail', 'guardrail.id', 'guardrail_assignment.guardrail_id')
    .selectAll('guardrail')
    .where('guardrail_assignment.account_id', '=', accountId)
    .where('guardrail_assignment.kind', '=', kind)
    .where('guardrail_assignment.subject', '=', subject)
    .execute();
  return appliedOf(kind, rows);
}

async function defaultGuardrail(
  db: Kysely<Tables>,
  accountId: string,
  workspaceId: string,
): Promise<Applied> {
  const rows = await db
    .selectFrom('workspace')
    .innerJoin('guardrail', 'guardrail.id', 'workspace.default_guardrail_id')
    .selectAll('guardrail')
    .where('workspace.account_id', '=', accountId)
    .where('workspace.id', '=', workspaceId)
    .execute();
  return appliedOf('workspace', rows);
}

function appliedOf(scope: GuardrailScope, rows: readonly GuardrailTable[]): Applied {
  return rows.map((row) => ({ scope, guardrail: guardrailOf(row) }));
}

async function workspaceBudgets(
  db: Kysely<Tables>,
  accountId: string,
  workspaceId: string,
): Promise<WorkspaceBudgets> {
  const workspace = await findBy(db, accountId, 'id', workspaceId);
  if (workspace === undefined) {
    return { workspaceId, workspaceName: workspaceId, includeByokInBudgets: false, budgets: [] };
  }
  return readBudgets(db, workspace);
}
