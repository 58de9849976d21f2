import { BudgetInterval, WorkspaceService } from '../../../../gen/byway/v1/workspaces_pb.js';
import { answers, by, type Case, fails, NO_ID, NOT_FOUND, RPC_ONLY } from '../case.js';
import type { World } from '../world.js';

const { listWorkspaces, createWorkspace, getWorkspace, updateWorkspace, deleteWorkspace } =
  WorkspaceService.method;
const { listWorkspaceMembers, addWorkspaceMembers, removeWorkspaceMembers } = WorkspaceService.method;
const { listWorkspaceBudgets, getWorkspaceBudget, putWorkspaceBudget, deleteWorkspaceBudget } =
  WorkspaceService.method;

const { DAILY, MONTHLY, LIFETIME } = BudgetInterval;

/** An update of a workspace: the new values and the paths of the mask. */
function update(workspace: object, paths: readonly string[]) {
  return {
    as: by.manager,
    ask: async (world: World) => ({
      workspace: { id: await world.addWorkspace(), ...workspace },
      updateMask: { paths: [...paths] },
    }),
  };
}

const records: readonly Case[] = [
  answers(
    listWorkspaces,
    'a page, the default one first',
    {
      as: by.manager,
      async ask(world) {
        await world.addWorkspace();
        return { limit: 2 };
      },
    },
    { data: [{}, { slug: 'prepared' }], total_count: 2 },
  ),
  answers(
    createWorkspace,
    'with a name and a slug',
    { as: by.manager, ask: () => ({ name: 'Ünïcode ☂', slug: 'team-1' }) },
    { data: { name: 'Ünïcode ☂', slug: 'team-1', description: null } },
  ),
  fails(
    createWorkspace,
    'every broken rule at once',
    { as: by.manager, ask: () => ({ slug: 'Not A Slug', description: 'x'.repeat(1001) }) },
    { status: 400, violations: [{ field: 'name' }, { field: 'slug' }, { field: 'description' }] },
  ),
  fails(
    createWorkspace,
    'a slug twice',
    {
      as: by.manager,
      async ask(world) {
        await world.addWorkspace('twice');
        return { name: 'Second', slug: 'twice' };
      },
    },
    { status: 409, reason: 'already_exists' },
  ),
  answers(
    getWorkspace,
    'by its identifier',
    { as: by.manager, ask: async (world) => ({ id: await world.addWorkspace() }) },
    { data: { name: 'Prepared', slug: 'prepared' } },
  ),
  answers(
    getWorkspace,
    'by its slug',
    { as: by.manager, ask: async (world) => world.addWorkspace('by-slug').then(() => ({ id: 'by-slug' })) },
    { data: { slug: 'by-slug' } },
  ),
  fails(getWorkspace, 'none', { as: by.manager, ask: () => ({ id: NO_ID }) }, NOT_FOUND),
  answers(
    updateWorkspace,
    'sets one field and keeps the rest',
    update({ description: 'New' }, ['description']),
    {
      data: { name: 'Prepared', description: 'New' },
    },
  ),
  answers(updateWorkspace, 'clears what may be cleared', update({}, ['description']), {
    data: { name: 'Prepared', description: null },
  }),
  answers(updateWorkspace, 'of nothing changes nothing', update({}, []), { data: { slug: 'prepared' } }),
  fails(updateWorkspace, 'clears what must have a value', update({}, ['name', 'slug']), {
    status: 400,
    violations: [
      { field: 'name', rule: 'not_null' },
      { field: 'slug', rule: 'not_null' },
    ],
  }),
  fails(
    updateWorkspace,
    'a path of a mask that is read-only',
    { ...update({}, ['default_guardrail_id']), kinds: RPC_ONLY },
    { status: 400, violations: [{ rule: 'read_only' }] },
  ),
  answers(
    deleteWorkspace,
    'an empty one',
    { as: by.manager, ask: async (world) => ({ id: await world.addWorkspace() }) },
    { deleted: true },
  ),
  fails(
    deleteWorkspace,
    'not one that has keys',
    {
      as: by.manager,
      async ask(world) {
        const id = await world.addWorkspace();
        await world.addKey({ workspaceId: id });
        return { id };
      },
    },
    { status: 409, reason: 'in_use' },
  ),
];

const members: readonly Case[] = [
  answers(
    addWorkspaceMembers,
    'each once',
    {
      as: by.manager,
      ask: async (world) => ({ id: await world.addWorkspace(), userIds: ['user_1', 'user_1'] }),
    },
    { added_count: 1, data: [{ user_id: 'user_1' }] },
  ),
  fails(
    addWorkspaceMembers,
    'nobody',
    { as: by.manager, ask: async (world) => ({ id: await world.addWorkspace() }) },
    { status: 400, violations: [{ field: 'user_ids', rule: 'required' }] },
  ),
  answers(
    listWorkspaceMembers,
    'a page',
    { as: by.manager, ask: async (world) => ({ ...(await peopled(world)), limit: 1 }) },
    { data: [{ user_id: 'user_1' }], total_count: 1 },
  ),
  answers(
    removeWorkspaceMembers,
    'those that are there',
    { as: by.manager, ask: async (world) => ({ ...(await peopled(world)), userIds: ['user_1', 'user_2'] }) },
    { removed_count: 1 },
  ),
];

const budgets: readonly Case[] = [
  answers(
    putWorkspaceBudget,
    'a new one, BYOK included',
    {
      as: by.manager,
      ask: async (world) => ({
        id: await world.addWorkspace(),
        interval: LIFETIME,
        limitUsd: 9.25,
        includeByokInBudgets: true,
      }),
    },
    {
      data: { interval: 'lifetime', limit_usd: 9.25, spent_usd: 0, resets_at: null },
      include_byok_in_budgets: true,
    },
  ),
  answers(
    putWorkspaceBudget,
    'another limit keeps the flag',
    { as: by.manager, ask: async (world) => ({ ...(await budgeted(world)), limitUsd: 1 }) },
    { data: { interval: 'daily', limit_usd: 1 }, include_byok_in_budgets: true },
  ),
  ...[BudgetInterval.UNSPECIFIED, 99 as BudgetInterval].map((interval) =>
    fails(
      putWorkspaceBudget,
      `an interval that is none (${interval})`,
      {
        as: by.manager,
        ask: async (world) => ({ id: (await budgeted(world)).id, interval, limitUsd: 5 }),
        // A path always has some word.
        ...(interval === BudgetInterval.UNSPECIFIED && { kinds: RPC_ONLY }),
      },
      {
        status: 400,
        violations: [
          { field: 'interval', rule: 'enum', message: 'must be one of daily, weekly, monthly, lifetime' },
        ],
      },
    ),
  ),
  fails(
    putWorkspaceBudget,
    'a limit of nothing',
    { as: by.manager, ask: async (world) => ({ ...(await budgeted(world)), limitUsd: 0 }) },
    { status: 400, violations: [{ field: 'limit_usd', rule: 'range' }] },
  ),
  fails(
    putWorkspaceBudget,
    'no limit',
    { as: by.manager, ask: async (world) => ({ ...(await budgeted(world)) }) },
    { status: 400, violations: [{ field: 'limit_usd', rule: 'required' }] },
  ),
  answers(
    getWorkspaceBudget,
    'one of an interval',
    { as: by.manager, ask: budgeted },
    {
      data: { interval: 'daily', limit_usd: 5 },
    },
  ),
  fails(
    getWorkspaceBudget,
    'an interval without one',
    { as: by.manager, ask: async (world) => ({ ...(await budgeted(world)), interval: MONTHLY }) },
    NOT_FOUND,
  ),
  answers(
    listWorkspaceBudgets,
    'all of them',
    { as: by.manager, ask: async (world) => ({ id: (await budgeted(world)).id }) },
    { data: [{ interval: 'daily' }], total_count: 1, include_byok_in_budgets: true },
  ),
  answers(deleteWorkspaceBudget, 'once', { as: by.manager, ask: budgeted }, { deleted: true }),
];

/** Workspaces, their members and budgets. */
export const WORKSPACE_CASES: readonly Case[] = [...records, ...members, ...budgets];

async function peopled(world: World): Promise<{ readonly id: string }> {
  const id = await world.addWorkspace();
  await world.byway.workspaces.addMembers({ id, userIds: ['user_1'] }, await world.as());
  return { id };
}

async function budgeted(world: World) {
  const budget = { id: await world.addWorkspace(), interval: DAILY };
  const request = { ...budget, limitUsd: 5, includeByokInBudgets: true };
  await world.byway.workspaces.putBudget(request, await world.as());
  return budget;
}
