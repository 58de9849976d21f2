import { type Kysely, sql } from 'kysely';
import type { GuardrailScope, PolicySources } from '../../accounts/policy/policy.js';
import type { PolicyStore } from '../../accounts/policy/policy-reader.js';
import type { WorkspaceBudgets } from '../../accounts/workspaces/budget.js';
import type { Database } from '../database/database.js';
import { lookUpTogether } from '../query/look-up-together.js';
import { preparedLookup } from '../query/prepared.js';
import type { GuardrailTable, Tables } from '../schema/schema.js';
import { readBudgets } from './budget-store.js';
import { guardrailOf } from './guardrail-rows.js';
import { readPreferences } from './preference-store.js';
import { findBy } from './workspace-rows.js';

export function createPolicyStore(database: Database): PolicyStore {
  const guardrailsOfKey = keyGuardrails(database);
  return {
    async readSources(accountId, userId, workspaceId) {
      const db = database.query;
      return {
        preferences: await readPreferences(db, accountId),
        guardrails: [
          ...(await memberGuardrails(db, accountId, userId)),
          ...(await defaultGuardrail(db, accountId, workspaceId)),
        ],
        workspaceBudgets: await workspaceBudgets(db, accountId, workspaceId),
        hasSharedCapacity: await hasSharedCapacity(db, accountId),
      };
    },

    async readKeyGuardrails(accountId, keyHash) {
      const rows = await guardrailsOfKey(keyHash);
      return rows.filter((row) => row.account_id === accountId).map(guardrailOf);
    },

    onPolicyChange(listener) {
      database.onChange('policy', listener);
      database.onChange('identity', listener);
    },
  };
}

async function hasSharedCapacity(db: Kysely<Tables>, accountId: string): Promise<boolean> {
  const account = db.selectFrom('account').select('has_shared_capacity').where('id', '=', accountId);
  return (await account.executeTakeFirst())?.has_shared_capacity !== 0;
}

type Applied = PolicySources['guardrails'];

async function memberGuardrails(db: Kysely<Tables>, accountId: string, userId: string): Promise<Applied> {
  const rows = await db
    .selectFrom('guardrail_assignment')
    .innerJoin('guardrail', 'guardrail.id', 'guardrail_assignment.guardrail_id')
    .selectAll('guardrail')
    .where('guardrail_assignment.account_id', '=', accountId)
    .where('guardrail_assignment.kind', '=', 'member')
    .where('guardrail_assignment.subject', '=', userId)
    .execute();
  return appliedOf('member', rows);
}

/** By the hash of the key. */
function keyGuardrails({ query }: Database) {
  const lookUp = preparedLookup((db, hashes) =>
    db
      .selectFrom('api_key')
      .innerJoin('guardrail_assignment', (join) =>
        join
          .onRef('guardrail_assignment.account_id', '=', 'api_key.account_id')
          .onRef('guardrail_assignment.subject', '=', 'api_key.hash')
          .on('guardrail_assignment.kind', '=', sql.lit('key')),
      )
      .innerJoin('guardrail', 'guardrail.id', 'guardrail_assignment.guardrail_id')
      .select('api_key.hash')
      .selectAll('guardrail')
      .where('api_key.hash', 'in', hashes)
      .compile(),
  );
  return lookUpTogether(
    (hashes) => lookUp(query, hashes),
    ({ hash }) => hash,
  );
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
