import {
  type AssignGuardrailKeysRequest,
  type AssignGuardrailMembersRequest,
  GuardrailService,
  type UnassignGuardrailKeysRequest,
  type UnassignGuardrailMembersRequest,
} from '../../../gen/byway/v1/guardrails_pb.js';
import {
  type AssignmentDependencies,
  assign,
  type ListedAssignment,
  listAssignments,
  subjectViolations,
  unassign,
} from '../../accounts/guardrails/assignments.js';
import type { Guardrail } from '../../accounts/guardrails/guardrail.js';
import {
  guardrailChangeViolations,
  guardrailViolations,
} from '../../accounts/guardrails/guardrail-changes.js';
import {
  createGuardrail,
  deleteGuardrail,
  type GuardrailDependencies,
  getGuardrail,
  listGuardrails,
  updateGuardrail,
} from '../../accounts/guardrails/guardrails.js';
import type { Listed } from '../../accounts/page.js';
import { guardrailWarnings } from '../../accounts/policy/rule-warnings.js';
import { isoTimestamp } from '../../base/clock.js';
import type { CatalogCache } from '../../catalog/assembled/catalog.js';
import { type Caller, managerOf, principalOfKind } from '../caller.js';
import { defineService, type MethodChecks, type ServiceDefinition } from '../define-service.js';
import { changesOf, guardrailMessage, newGuardrailOf } from '../messages/guardrail-message.js';
import { pageOf } from '../messages/page.js';
import { workspaceViolations } from '../validation/workspace-violations.js';

export interface GuardrailServiceDependencies {
  readonly guardrails: GuardrailDependencies;
  readonly assignments: AssignmentDependencies;
  readonly catalogs: Pick<CatalogCache, 'current'>;
}

export function guardrailService({
  guardrails,
  assignments,
  catalogs,
}: GuardrailServiceDependencies): ServiceDefinition {
  const messages = async (records: readonly Guardrail[]) => {
    const [catalog, known] = [await catalogs.current(), await guardrails.knownNames()];
    return records.map((record) => guardrailMessage(record, guardrailWarnings(record, catalog, known)));
  };
  const message = async (record: Guardrail) => (await messages([record]))[0];
  return defineService(
    GuardrailService,
    {
      async listGuardrails(request, context) {
        const query = { ...pageOf(request), workspaceId: request.workspaceId ?? null };
        const { records, totalCount } = await listGuardrails(guardrails, managerOf(context).accountId, query);
        return { data: await messages(records), totalCount };
      },
      async createGuardrail(request, context) {
        const { accountId } = managerOf(context);
        return { data: await message(await createGuardrail(guardrails, accountId, newGuardrailOf(request))) };
      },
      async getGuardrail({ id }, context) {
        return { data: await message(await getGuardrail(guardrails, managerOf(context).accountId, id)) };
      },
      async updateGuardrail(request, context) {
        const { accountId } = managerOf(context);
        const id = request.guardrail?.id ?? '';
        return { data: await message(await updateGuardrail(guardrails, accountId, id, changesOf(request))) };
      },
      async deleteGuardrail({ id }, context) {
        await deleteGuardrail(guardrails, managerOf(context).accountId, id);
        return { deleted: true };
      },

      async listGuardrailKeys(request, context) {
        const { accountId } = managerOf(context);
        const listed = await listAssignments(assignments, accountId, request.id, 'key', pageOf(request));
        return keyAssignments(listed);
      },
      async listKeyAssignments(request, context) {
        const { accountId } = managerOf(context);
        return keyAssignments(await listAssignments(assignments, accountId, null, 'key', pageOf(request)));
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
        const listed = await listAssignments(assignments, accountId, request.id, 'member', pageOf(request));
        return memberAssignments(listed);
      },
      async listMemberAssignments(request, context) {
        const { accountId } = managerOf(context);
        const listed = await listAssignments(assignments, accountId, null, 'member', pageOf(request));
        return memberAssignments(listed);
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
    { ofInvalid: ofInvalid(guardrails) },
  );
}

type Keys = Pick<AssignGuardrailKeysRequest | UnassignGuardrailKeysRequest, 'keyHashes'>;
type Members = Pick<AssignGuardrailMembersRequest | UnassignGuardrailMembersRequest, 'memberUserIds'>;

const keyViolations = ({ keyHashes }: Keys) => subjectViolations('key', keyHashes);
const memberViolations = ({ memberUserIds }: Members) => subjectViolations('member', memberUserIds);

function ofInvalid({ store, knownNames }: GuardrailDependencies): MethodChecks<typeof GuardrailService> {
  const ofAccount = (workspaceId: string | undefined, caller: Caller) => {
    const { accountId } = principalOfKind(caller, 'management_key');
    return workspaceViolations(workspaceId, (id) => store.ownsWorkspace(accountId, id));
  };
  return {
    listGuardrails({ workspaceId }, caller) {
      const { accountId } = principalOfKind(caller, 'management_key');
      return workspaceViolations(workspaceId, (id) => store.hadWorkspace(accountId, id));
    },
    createGuardrail: async (request, caller) => [
      ...guardrailViolations(newGuardrailOf(request), await knownNames()),
      ...(await ofAccount(request.workspaceId, caller)),
    ],
    updateGuardrail: async (request) => guardrailChangeViolations(changesOf(request), await knownNames()),
    assignGuardrailKeys: keyViolations,
    unassignGuardrailKeys: keyViolations,
    assignGuardrailMembers: memberViolations,
    unassignGuardrailMembers: memberViolations,
  };
}

function keyAssignments({ records, totalCount }: Listed<ListedAssignment>) {
  const data = records.map((record) => ({
    ...common(record),
    keyHash: record.subject,
    keyName: record.keyName ?? '',
    keyLabel: record.keyLabel ?? '',
  }));
  return { data, totalCount };
}

function memberAssignments({ records, totalCount }: Listed<ListedAssignment>) {
  const data = records.map((record) => ({
    ...common(record),
    userId: record.subject,
    organizationId: record.accountId,
  }));
  return { data, totalCount };
}

function common({ id, guardrailId, createdAt }: ListedAssignment) {
  return { id, guardrailId, createdAt: isoTimestamp(createdAt) };
}
