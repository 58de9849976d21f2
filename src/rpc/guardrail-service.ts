import {
  type AssignGuardrailKeysRequest,
  type AssignGuardrailMembersRequest,
  GuardrailService,
  type UnassignGuardrailKeysRequest,
  type UnassignGuardrailMembersRequest,
} from '../../gen/byway/v1/guardrails_pb.js';
import {
  type Assignment,
  type AssignmentParts,
  assign,
  listAssignments,
  subjectFaults,
  unassign,
} from '../accounts/assignments.js';
import { guardrailChangeFaults, guardrailFaults } from '../accounts/guardrail-changes.js';
import {
  createGuardrail,
  deleteGuardrail,
  type GuardrailParts,
  getGuardrail,
  listGuardrails,
  updateGuardrail,
} from '../accounts/guardrails.js';
import { isoTimestamp } from '../base/clock.js';
import { managerOf } from './caller.js';
import { changesOf, guardrailMessage, newGuardrailOf } from './guardrail-message.js';
import { pageOf } from './page.js';
import { type Checks, type Served, served } from './served.js';

/** What the guardrail service works with. */
export interface GuardrailServiceParts {
  readonly guardrails: GuardrailParts;
  readonly assignments: AssignmentParts;
}

/** `byway.v1.GuardrailService` over guardrails and their assignments. */
export function guardrailService({ guardrails, assignments }: GuardrailServiceParts): Served {
  return served(
    GuardrailService,
    {
      async listGuardrails(request, context) {
        const query = { ...pageOf(request), workspaceId: request.workspaceId ?? null };
        const { records, totalCount } = await listGuardrails(guardrails, managerOf(context).accountId, query);
        return { data: records.map(guardrailMessage), totalCount };
      },
      async createGuardrail(request, context) {
        const { accountId } = managerOf(context);
        return {
          data: guardrailMessage(await createGuardrail(guardrails, accountId, newGuardrailOf(request))),
        };
      },
      async getGuardrail({ id }, context) {
        return { data: guardrailMessage(await getGuardrail(guardrails, managerOf(context).accountId, id)) };
      },
      async updateGuardrail(request, context) {
        const { accountId } = managerOf(context);
        const id = request.guardrail?.id ?? '';
        return {
          data: guardrailMessage(await updateGuardrail(guardrails, accountId, id, changesOf(request))),
        };
      },
      async deleteGuardrail({ id }, context) {
        await deleteGuardrail(guardrails, managerOf(context).accountId, id);
        return { deleted: true };
      },

      async listGuardrailKeys(request, context) {
        const { accountId } = managerOf(context);
        const page = pageOf(request);
        const { records, totalCount } = await listAssignments(
          assignments,
          accountId,
          request.id,
          'key',
          page,
        );
        return {
          data: records.map((record) => ({ ...common(record), keyHash: record.subject })),
          totalCount,
        };
      },
      async assignGuardrailKeys({ id, keyHashes }, context) {
        const { accountId } = managerOf(context);
        return { assignedCount: await assign(assignments, accountId, id, 'key', keyHashes) };
      },
      async unassignGuardrailKeys({ id, keyHashes }, context) {
        const { accountId } = managerOf(context);
        return { unassignedCount: await unassign(assignments, accountId, id, 'key', keyHashes) };
      },

      async listGuardrailMembers(request, context) {
        const { accountId } = managerOf(context);
        const page = pageOf(request);
        const { records, totalCount } = await listAssignments(
          assignments,
          accountId,
          request.id,
          'member',
          page,
        );
        return { data: records.map((record) => ({ ...common(record), userId: record.subject })), totalCount };
      },
      async assignGuardrailMembers({ id, memberUserIds }, context) {
        const { accountId } = managerOf(context);
        return { assignedCount: await assign(assignments, accountId, id, 'member', memberUserIds) };
      },
      async unassignGuardrailMembers({ id, memberUserIds }, context) {
        const { accountId } = managerOf(context);
        return { unassignedCount: await unassign(assignments, accountId, id, 'member', memberUserIds) };
      },
    },
    CHECKS,
  );
}

type Keys = Pick<AssignGuardrailKeysRequest | UnassignGuardrailKeysRequest, 'keyHashes'>;
type Members = Pick<AssignGuardrailMembersRequest | UnassignGuardrailMembersRequest, 'memberUserIds'>;

const keyFaults = ({ keyHashes }: Keys) => subjectFaults('key', keyHashes);
const memberFaults = ({ memberUserIds }: Members) => subjectFaults('member', memberUserIds);

const CHECKS: Checks<typeof GuardrailService> = {
  createGuardrail: (request) => guardrailFaults(newGuardrailOf(request)),
  updateGuardrail: (request) => guardrailChangeFaults(changesOf(request)),
  assignGuardrailKeys: keyFaults,
  unassignGuardrailKeys: keyFaults,
  assignGuardrailMembers: memberFaults,
  unassignGuardrailMembers: memberFaults,
};

function common({ id, guardrailId, createdAt }: Assignment) {
  return { id, guardrailId, createdAt: isoTimestamp(createdAt) };
}
