import type { Kysely, Selectable, Transaction } from 'kysely';
import type {
  Assignment,
  AssignmentStore,
  AssignmentTransaction,
  ListedAssignment,
  SubjectKind,
} from '../../accounts/guardrails/assignments.js';
import type { Database } from '../database/database.js';
import { readPage } from '../query/read-page.js';
import type { GuardrailAssignmentTable, Tables } from '../schema/schema.js';

export function createAssignmentStore(database: Database): AssignmentStore {
  return {
    transact: (work) => database.transact(['policy'], (tx) => work(assignmentTransaction(tx))),

    async listAssignments(accountId, guardrailId, kind, page) {
      if (guardrailId !== null && !(await hasGuardrail(database.query, accountId, guardrailId))) {
        return undefined;
      }
      const present = presentAssignments(database.lists(accountId), accountId, kind);
      const matching =
        guardrailId === null ? present : present.where('guardrail_assignment.guardrail_id', '=', guardrailId);
      const { rows, totalCount } = await readPage(
        matching
          .selectAll('guardrail_assignment')
          .select(['api_key.name as key_name', 'api_key.label as key_label'])
          .orderBy('guardrail_assignment.created_at')
          .orderBy('guardrail_assignment.id'),
        page,
      );
      return { records: rows.map(assignmentOf), totalCount };
    },
  };
}

function assignmentTransaction(tx: Transaction<Tables>): AssignmentTransaction {
  return {
    hasGuardrail: (accountId, id) => hasGuardrail(tx, accountId, id),

    async ownKeys(accountId, hashes) {
      const rows = await tx
        .selectFrom('api_key')
        .select('hash')
        .where('account_id', '=', accountId)
        .where('hash', 'in', hashes)
        .where('deleted_at', 'is', null)
        .execute();
      return new Set(rows.map((row) => row.hash));
    },

    async assign(assignments) {
      const { numInsertedOrUpdatedRows } = await tx
        .insertInto('guardrail_assignment')
        .values(assignments.map(assignmentRow))
        .onConflict((conflict) =>
          conflict
            .columns(['account_id', 'kind', 'subject'])
            .doUpdateSet((eb) => ({
              id: eb.ref('excluded.id'),
              guardrail_id: eb.ref('excluded.guardrail_id'),
              created_at: eb.ref('excluded.created_at'),
            }))
            .whereRef('guardrail_assignment.guardrail_id', '<>', 'excluded.guardrail_id'),
        )
        .executeTakeFirst();
      return Number(numInsertedOrUpdatedRows ?? 0n);
    },

    async unassign(guardrailId, kind, subjects) {
      const { numDeletedRows } = await tx
        .deleteFrom('guardrail_assignment')
        .where('guardrail_id', '=', guardrailId)
        .where('kind', '=', kind)
        .where('subject', 'in', subjects)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

async function hasGuardrail(db: Kysely<Tables>, accountId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('guardrail')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined;
}

/** With their keys. Leaves out deleted ones, which keep their assignments. */
function presentAssignments(db: Kysely<Tables>, accountId: string, kind: SubjectKind) {
  return db
    .selectFrom('guardrail_assignment')
    .leftJoin('api_key', 'api_key.hash', 'guardrail_assignment.subject')
    .where('guardrail_assignment.account_id', '=', accountId)
    .where('guardrail_assignment.kind', '=', kind)
    .where('api_key.deleted_at', 'is', null);
}

function assignmentRow(assignment: Assignment): GuardrailAssignmentTable {
  return {
    id: assignment.id,
    account_id: assignment.accountId,
    guardrail_id: assignment.guardrailId,
    kind: assignment.kind,
    subject: assignment.subject,
    created_at: assignment.createdAt,
  };
}

interface ListedRow extends Selectable<GuardrailAssignmentTable> {
  readonly key_name: string | null;
  readonly key_label: string | null;
}

function assignmentOf(row: ListedRow): ListedAssignment {
  return {
    id: row.id,
    accountId: row.account_id,
    guardrailId: row.guardrail_id,
    kind: row.kind,
    subject: row.subject,
    createdAt: row.created_at,
    keyName: row.key_name,
    keyLabel: row.key_label,
  };
}
