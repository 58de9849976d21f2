import { create } from '@bufbuild/protobuf';
import { LimitResetSchema } from '../../../gen/byway/v1/common_pb.js';
import {
  BudgetIntervalSchema,
  type PutWorkspaceBudgetRequest,
  type UpdateWorkspaceRequest,
  WorkspaceSchema,
  WorkspaceService,
} from '../../../gen/byway/v1/workspaces_pb.js';
import {
  type BudgetDependencies,
  type BudgetInput,
  type BudgetRecord,
  deleteBudget,
  getBudget,
  listBudgets,
  putBudget,
} from '../../accounts/workspaces/budgets.js';
import {
  addMembers,
  listMembers,
  type MemberDependencies,
  memberViolations,
  removeMembers,
  type WorkspaceMember,
} from '../../accounts/workspaces/members.js';
import type { Workspace } from '../../accounts/workspaces/workspace.js';
import {
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  listWorkspaces,
  updateWorkspace,
  type WorkspaceChanges,
  type WorkspaceDependencies,
  workspaceChangeViolations,
} from '../../accounts/workspaces/workspaces.js';
import { isoTimestamp } from '../../base/clock.js';
import { nanoToUsd } from '../../base/money.js';
import { enumNumber } from '../../protobuf/spelling.js';
import { managerOf } from '../caller.js';
import { defineService, type MethodChecks, type ServiceDefinition } from '../define-service.js';
import { readChanges } from '../messages/changes.js';
import { defined } from '../messages/defined.js';
import { amountOf, budgetIntervalOf } from '../messages/named-values.js';
import { pageOf } from '../messages/page.js';

export interface WorkspaceServiceDependencies {
  readonly workspaces: WorkspaceDependencies;
  readonly members: MemberDependencies;
  readonly budgets: BudgetDependencies;
}

export function workspaceService({
  workspaces,
  members,
  budgets,
}: WorkspaceServiceDependencies): ServiceDefinition {
  return defineService(
    WorkspaceService,
    {
      async listWorkspaces(request, context) {
        const { accountId } = managerOf(context);
        const { records, totalCount } = await listWorkspaces(workspaces, accountId, pageOf(request));
        return { data: records.map(workspaceMessage), totalCount };
      },
      async createWorkspace({ name, slug, description = null }, context) {
        const workspace = { name, slug, description };
        return {
          data: workspaceMessage(await createWorkspace(workspaces, managerOf(context).accountId, workspace)),
        };
      },
      async getWorkspace({ id }, context) {
        return { data: workspaceMessage(await getWorkspace(workspaces, managerOf(context).accountId, id)) };
      },
      async updateWorkspace(request, context) {
        const { accountId } = managerOf(context);
        const id = request.workspace?.id ?? '';
        return {
          data: workspaceMessage(await updateWorkspace(workspaces, accountId, id, changesOf(request))),
        };
      },
      async deleteWorkspace({ id }, context) {
        await deleteWorkspace(workspaces, managerOf(context).accountId, id);
        return { deleted: true };
      },

      async listWorkspaceMembers(request, context) {
        const { accountId } = managerOf(context);
        const { records, totalCount } = await listMembers(members, accountId, request.id, pageOf(request));
        return { data: records.map(memberMessage), totalCount };
      },
      async addWorkspaceMembers({ id, userIds }, context) {
        const result = await addMembers(members, managerOf(context).accountId, id, userIds);
        return { addedCount: result.added, data: result.members.map(memberMessage) };
      },
      async removeWorkspaceMembers({ id, userIds }, context) {
        return { removedCount: await removeMembers(members, managerOf(context).accountId, id, userIds) };
      },

      async listWorkspaceBudgets(request, context) {
        const { accountId } = managerOf(context);
        const { records, ...rest } = await listBudgets(budgets, accountId, request.id, pageOf(request));
        return { data: records.map(budgetMessage), ...rest };
      },
      async getWorkspaceBudget({ id, interval }, context) {
        const { accountId } = managerOf(context);
        return budgetAnswer(await getBudget(budgets, accountId, id, budgetIntervalOf(interval)));
      },
      async putWorkspaceBudget(request, context) {
        const { accountId } = managerOf(context);
        const interval = budgetIntervalOf(request.interval);
        return budgetAnswer(
          await putBudget(budgets, accountId, request.id, interval, budgetInputOf(request)),
        );
      },
      async deleteWorkspaceBudget({ id, interval }, context) {
        await deleteBudget(budgets, managerOf(context).accountId, id, budgetIntervalOf(interval));
        return { deleted: true };
      },
    },
    { ofInvalid: OF_INVALID },
  );
}

const OF_INVALID: MethodChecks<typeof WorkspaceService> = {
  updateWorkspace: (request) => workspaceChangeViolations(changesOf(request)),
  addWorkspaceMembers: ({ userIds }) => memberViolations(userIds),
  removeWorkspaceMembers: ({ userIds }) => memberViolations(userIds),
};

/** Throws a 400 Problem for a path that is unknown or read-only. */
function changesOf({ workspace, updateMask }: UpdateWorkspaceRequest): WorkspaceChanges {
  const change = readChanges(WorkspaceSchema, workspace ?? create(WorkspaceSchema), updateMask);
  return { name: change('name'), slug: change('slug'), description: change('description') };
}

function budgetInputOf({ limitUsd, includeByokInBudgets }: PutWorkspaceBudgetRequest): BudgetInput {
  return { limitNanoUsd: amountOf(limitUsd ?? 0), includeByokInBudgets: includeByokInBudgets ?? null };
}

function workspaceMessage(workspace: Workspace) {
  const { id, name, slug, description, defaultGuardrailId } = workspace;
  return {
    id,
    name,
    slug,
    defaultGuardrailId,
    ...defined({ description }),
    createdAt: isoTimestamp(workspace.createdAt),
    updatedAt: isoTimestamp(workspace.updatedAt),
  };
}

function memberMessage({ id, workspaceId, userId, createdAt }: WorkspaceMember) {
  return { id, workspaceId, userId, createdAt: isoTimestamp(createdAt) };
}

function budgetAnswer(record: BudgetRecord) {
  return { data: budgetMessage(record), includeByokInBudgets: record.includeByokInBudgets };
}

function budgetMessage({ budget, spentNanoUsd, resetsAt }: BudgetRecord) {
  const { id, workspaceId, interval } = budget;
  return {
    id,
    workspaceId,
    ...defined({
      interval: enumNumber(BudgetIntervalSchema, interval) ?? null,
      resetInterval: enumNumber(LimitResetSchema, interval) ?? null,
      resetsAt: resetsAt === null ? null : isoTimestamp(resetsAt),
    }),
    limitUsd: nanoToUsd(budget.limitNanoUsd),
    spentUsd: nanoToUsd(spentNanoUsd),
    createdAt: isoTimestamp(budget.createdAt),
    updatedAt: isoTimestamp(budget.updatedAt),
  };
}
