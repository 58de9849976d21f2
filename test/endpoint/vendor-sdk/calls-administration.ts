/** A call of each method of administration, and what its parsed answer must have. */
import { expect } from 'vitest';
import { type Call, firstOf } from './call.js';
import type { SdkWorld } from './world.js';

let made = 0;

async function newKey({ manage }: SdkWorld) {
  return (await manage.apiKeys.create({ requestBody: { name: 'A key' } })).data.hash;
}

async function newByokKey({ manage }: SdkWorld) {
  const createBYOKKeyRequest = {
    provider: 'openai' as const,
    key: 'a-credential-of-some-length',
    name: 'Mine',
  };
  return (await manage.byok.create({ createBYOKKeyRequest })).data.id;
}

async function newGuardrail({ manage }: SdkWorld) {
  return (await manage.guardrails.create({ createGuardrailRequest: { name: 'A guardrail' } })).data.id;
}

/** A guardrail that a key and a member have. */
async function assigned(world: SdkWorld) {
  const [id, hash] = [await newGuardrail(world), await newKey(world)];
  const { guardrails } = world.manage;
  await guardrails.bulkAssignKeys({ id, bulkAssignKeysRequest: { keyHashes: [hash] } });
  await guardrails.bulkAssignMembers({ id, bulkAssignMembersRequest: { memberUserIds: ['user_1'] } });
  return { id, hash };
}

async function newWorkspace({ manage }: SdkWorld) {
  const createWorkspaceRequest = { name: 'A workspace', slug: `workspace-${++made}` };
  return (await manage.workspaces.create({ createWorkspaceRequest })).data.id;
}

async function newBudget(world: SdkWorld) {
  const workspaceRef = await newWorkspace(world);
  const upsertWorkspaceBudgetRequest = { limitUsd: 5 };
  await world.manage.workspaces.setBudget({ workspaceRef, interval: 'daily', upsertWorkspaceBudgetRequest });
  return { workspaceRef, interval: 'daily' as const };
}

async function withMember(world: SdkWorld) {
  const id = await newWorkspace(world);
  await world.manage.workspaces.bulkAddMembers({
    id,
    bulkAddWorkspaceMembersRequest: { userIds: ['user_1'] },
  });
  return id;
}

const DELETED = { deleted: true };

export const ADMINISTRATION_CALLS = {
  'apiKeys.create': [
    ({ manage }) =>
      manage.apiKeys.create({
        requestBody: { name: 'New', limit: 5, limitReset: 'daily', includeByokInLimit: true },
      }),
    { data: { name: 'New', limit: 5, limitReset: 'daily' }, key: expect.stringMatching(/^bw-v1-/) },
  ],
  'apiKeys.get': [async (w) => w.manage.apiKeys.get({ hash: await newKey(w) }), { data: { name: 'A key' } }],
  'apiKeys.list': [
    async (w) => {
      await newKey(w);
      return w.manage.apiKeys.list();
    },
    { data: expect.arrayContaining([expect.objectContaining({ name: 'A key' })]) },
  ],
  'apiKeys.update': [
    async (w) =>
      w.manage.apiKeys.update({ hash: await newKey(w), requestBody: { name: 'Renamed', disabled: true } }),
    { data: { name: 'Renamed', disabled: true } },
  ],
  'apiKeys.delete': [async (w) => w.manage.apiKeys.delete({ hash: await newKey(w) }), DELETED],
  'apiKeys.getCurrentKeyMetadata': [
    ({ use }) => use.apiKeys.getCurrentKeyMetadata(),
    {
      data: { label: expect.stringMatching(/^bw-v1-/), isManagementKey: false, rateLimit: { requests: -1 } },
    },
  ],
  'byok.create': [
    ({ manage }) =>
      manage.byok.create({
        createBYOKKeyRequest: { provider: 'openai', key: 'another-credential', isFallback: true },
      }),
    { data: { provider: 'openai', isFallback: true } },
  ],
  'byok.get': [async (w) => w.manage.byok.get({ id: await newByokKey(w) }), { data: { name: 'Mine' } }],
  'byok.list': [
    async (w) => {
      await newByokKey(w);
      return firstOf(await w.manage.byok.list());
    },
    { data: expect.arrayContaining([expect.objectContaining({ name: 'Mine' })]) },
  ],
  'byok.update': [
    async (w) => w.manage.byok.update({ id: await newByokKey(w), updateBYOKKeyRequest: { name: 'Yours' } }),
    { data: { name: 'Yours' } },
  ],
  'byok.delete': [async (w) => w.manage.byok.delete({ id: await newByokKey(w) }), DELETED],
  'guardrails.create': [
    ({ manage }) =>
      manage.guardrails.create({
        createGuardrailRequest: {
          name: 'New',
          limitUsd: 3,
          resetInterval: 'daily',
          allowedProviders: ['openai'],
          enforceZdr: true,
        },
      }),
    { data: { name: 'New', limitUsd: 3, resetInterval: 'daily', allowedProviders: ['openai'] } },
  ],
  'guardrails.get': [
    async (w) => w.manage.guardrails.get({ id: await newGuardrail(w) }),
    { data: { name: 'A guardrail' } },
  ],
  'guardrails.list': [
    async ({ manage }) => firstOf(await manage.guardrails.list()),
    { data: expect.arrayContaining([expect.objectContaining({ limitUsd: null })]) },
  ],
  'guardrails.update': [
    async (w) =>
      w.manage.guardrails.update({ id: await newGuardrail(w), updateGuardrailRequest: { name: 'Renamed' } }),
    { data: { name: 'Renamed' } },
  ],
  'guardrails.delete': [async (w) => w.manage.guardrails.delete({ id: await newGuardrail(w) }), DELETED],
  'guardrails.bulkAssignKeys': [
    async (w) => {
      const [id, keyHashes] = [await newGuardrail(w), [await newKey(w)]];
      return w.manage.guardrails.bulkAssignKeys({ id, bulkAssignKeysRequest: { keyHashes } });
    },
    { assignedCount: 1 },
  ],
  'guardrails.bulkAssignMembers': [
    async (w) => {
      const bulkAssignMembersRequest = { memberUserIds: ['user_2'] };
      return w.manage.guardrails.bulkAssignMembers({ id: await newGuardrail(w), bulkAssignMembersRequest });
    },
    { assignedCount: 1 },
  ],
  'guardrails.bulkUnassignKeys': [
    async (w) => {
      const { id, hash } = await assigned(w);
      return w.manage.guardrails.bulkUnassignKeys({ id, bulkUnassignKeysRequest: { keyHashes: [hash] } });
    },
    { unassignedCount: 1 },
  ],
  'guardrails.bulkUnassignMembers': [
    async (w) => {
      const bulkUnassignMembersRequest = { memberUserIds: ['user_1'] };
      return w.manage.guardrails.bulkUnassignMembers({
        id: (await assigned(w)).id,
        bulkUnassignMembersRequest,
      });
    },
    { unassignedCount: 1 },
  ],
  'guardrails.listGuardrailKeyAssignments': [
    async (w) =>
      firstOf(await w.manage.guardrails.listGuardrailKeyAssignments({ id: (await assigned(w)).id })),
    {
      data: [{ keyName: 'A key', keyLabel: expect.stringMatching(/^bw-v1-/), assignedBy: null }],
      totalCount: 1,
    },
  ],
  'guardrails.listGuardrailMemberAssignments': [
    async (w) =>
      firstOf(await w.manage.guardrails.listGuardrailMemberAssignments({ id: (await assigned(w)).id })),
    { data: [{ userId: 'user_1', organizationId: expect.stringMatching(/./) }], totalCount: 1 },
  ],
  'guardrails.listKeyAssignments': [
    async (w) => {
      const { id } = await assigned(w);
      const { data } = await firstOf(await w.manage.guardrails.listKeyAssignments());
      return { ofIt: data.filter(({ guardrailId }) => guardrailId === id) };
    },
    { ofIt: [{ keyName: 'A key' }] },
  ],
  'guardrails.listMemberAssignments': [
    async (w) => {
      const { id } = await assigned(w);
      const { data } = await firstOf(await w.manage.guardrails.listMemberAssignments());
      return { ofIt: data.filter(({ guardrailId }) => guardrailId === id) };
    },
    { ofIt: [{ userId: 'user_1' }] },
  ],
  'organization.listMembers': [
    async (w) => {
      await withMember(w);
      return firstOf(await w.manage.organization.listMembers());
    },
    { data: expect.arrayContaining([expect.objectContaining({ id: 'user_1', role: 'org:member' })]) },
  ],
  'workspaces.create': [
    ({ manage }) => manage.workspaces.create({ createWorkspaceRequest: { name: 'New', slug: 'new' } }),
    { data: { name: 'New', slug: 'new', defaultTextModel: null } },
  ],
  'workspaces.get': [
    async (w) => w.manage.workspaces.get({ id: await newWorkspace(w) }),
    { data: { name: 'A workspace' } },
  ],
  'workspaces.list': [
    async ({ manage }) => firstOf(await manage.workspaces.list()),
    { data: expect.arrayContaining([expect.objectContaining({ slug: 'default' })]) },
  ],
  'workspaces.update': [
    async (w) =>
      w.manage.workspaces.update({ id: await newWorkspace(w), updateWorkspaceRequest: { name: 'Renamed' } }),
    { data: { name: 'Renamed' } },
  ],
  'workspaces.delete': [async (w) => w.manage.workspaces.delete({ id: await newWorkspace(w) }), DELETED],
  'workspaces.bulkAddMembers': [
    async (w) => {
      const bulkAddWorkspaceMembersRequest = { userIds: ['user_1', 'user_2'] };
      return w.manage.workspaces.bulkAddMembers({
        id: await newWorkspace(w),
        bulkAddWorkspaceMembersRequest,
      });
    },
    { addedCount: 2, data: [{ userId: 'user_1', role: 'member' }, { userId: 'user_2' }] },
  ],
  'workspaces.listMembers': [
    async (w) => firstOf(await w.manage.workspaces.listMembers({ id: await withMember(w) })),
    { data: [{ userId: 'user_1' }], totalCount: 1 },
  ],
  'workspaces.bulkRemoveMembers': [
    async (w) => {
      const bulkRemoveWorkspaceMembersRequest = { userIds: ['user_1'] };
      return w.manage.workspaces.bulkRemoveMembers({
        id: await withMember(w),
        bulkRemoveWorkspaceMembersRequest,
      });
    },
    { removedCount: 1 },
  ],
  'workspaces.setBudget': [
    async (w) =>
      w.manage.workspaces.setBudget({
        workspaceRef: await newWorkspace(w),
        interval: 'lifetime',
        upsertWorkspaceBudgetRequest: { limitUsd: 5 },
      }),
    { data: { limitUsd: 5, resetInterval: null } },
  ],
  'workspaces.getBudget': [
    async (w) => w.manage.workspaces.getBudget(await newBudget(w)),
    { data: { limitUsd: 5, resetInterval: 'daily' } },
  ],
  'workspaces.listBudgets': [
    async (w) => w.manage.workspaces.listBudgets({ workspaceRef: (await newBudget(w)).workspaceRef }),
    { data: [{ resetInterval: 'daily' }] },
  ],
  'workspaces.deleteBudget': [async (w) => w.manage.workspaces.deleteBudget(await newBudget(w)), DELETED],
} as const satisfies Record<string, Call>;
