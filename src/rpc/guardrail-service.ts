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
import { type KnownNames, unknownNameFaults } from '../accounts/known-names.js';
import { sent } from '../base/change.js';
import { isoTimestamp } from '../base/clock.js';
import { admitted, type Caller, managerOf } from './caller.js';
import { type Checks, defineService, type ServiceDefinition } from './define-service.js';
import { changesOf, guardrailMessage, newGuardrailOf } from './guardrail-message.js';
import { pageOf } from './page.js';
import { workspaceFaults } from './workspace-faults.js';

/** What the guardrail service works with. */
export interface GuardrailServiceParts {
  readonly guardrails: GuardrailParts;
  readonly assignments: AssignmentParts;
  readonly knownNames: () => Promise<KnownNames>;
}

/** `byway.v1.GuardrailService` over guardrails and their assignments. */
export function guardrailService(parts: GuardrailServiceParts): ServiceDefinition {
  const { guardrails, assignments } = parts;
  return defineService(
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
    checksWith(parts),
  );
}

type Keys = Pick<AssignGuardrailKeysRequest | UnassignGuardrailKeysRequest, 'keyHashes'>;
type Members = Pick<AssignGuardrailMembersRequest | UnassignGuardrailMembersRequest, 'memberUserIds'>;

const keyFaults = ({ keyHashes }: Keys) => subjectFaults('key', keyHashes);
const memberFaults = ({ memberUserIds }: Members) => subjectFaults('member', memberUserIds);

function checksWith({ guardrails, knownNames }: GuardrailServiceParts): Checks<typeof GuardrailService> {
  const ofAccount = (workspaceId: string | undefined, caller: Caller) => {
    const { accountId } = admitted(caller, 'management_key');
    return workspaceFaults(workspaceId, (id) => guardrails.store.ownsWorkspace(accountId, id));
  };
  return {
    listGuardrails: ({ workspaceId }, caller) => ofAccount(workspaceId, caller),
    async createGuardrail(request, caller) {
      const wanted = newGuardrailOf(request);
      return [
        ...guardrailFaults(wanted),
        ...unknownNameFaults(wanted, await knownNames()),
        ...(await ofAccount(request.workspaceId, caller)),
      ];
    },
    async updateGuardrail(request) {
      const changes = changesOf(request);
      const names = {
        allowedProviders: sent(changes.allowedProviders),
        ignoredProviders: sent(changes.ignoredProviders),
        allowedDataRegions: sent(changes.allowedDataRegions),
      };
      return [...guardrailChangeFaults(changes), ...unknownNameFaults(names, await knownNames())];
    },
    assignGuardrailKeys: keyFaults,
    unassignGuardrailKeys: keyFaults,
    assignGuardrailMembers: memberFaults,
    unassignGuardrailMembers: memberFaults,
  };
}

function common({ id, guardrailId, createdAt }: Assignment) {
  return { id, guardrailId, createdAt: isoTimestamp(createdAt) };
}
