import { DataCollection } from '../../../../gen/byway/v1/chat_pb.js';
import { LimitReset } from '../../../../gen/byway/v1/common_pb.js';
import { GuardrailService } from '../../../../gen/byway/v1/guardrails_pb.js';
import { answers, by, type Case, fails, NO_ID, NOT_FOUND, RPC_ONLY } from '../case.js';
import type { World } from '../world.js';

const { listGuardrails, createGuardrail, getGuardrail, updateGuardrail, deleteGuardrail } =
  GuardrailService.method;
const { listGuardrailKeys, assignGuardrailKeys, unassignGuardrailKeys } = GuardrailService.method;
const { listGuardrailMembers, assignGuardrailMembers, unassignGuardrailMembers } = GuardrailService.method;
const { listKeyAssignments, listMemberAssignments } = GuardrailService.method;

const FULL = {
  name: 'Full',
  description: 'Ünïcode ☂',
  limitUsd: 12.5,
  resetInterval: LimitReset.DAILY,
  allowedModels: { values: ['test/m1'] },
  ignoredModels: { values: [] },
  allowedProviders: { values: ['a', 'b'] },
  ignoredProviders: { values: ['c'] },
  enforceZdr: true,
  dataCollection: DataCollection.DENY,
  includeByokInBudgets: true,
  allowedDataRegions: { values: ['global'] },
};
const SHOWN = {
  name: 'Full',
  limit_usd: 12.5,
  reset_interval: 'daily',
  allowed_models: ['test/m1'],
  ignored_models: [],
  data_collection: 'deny',
  include_byok_in_budgets: true,
};

/** An update of a guardrail that has everything: the new values and the paths of the mask. */
function update(guardrail: object, paths: readonly string[]) {
  return {
    as: by.manager,
    async ask(world: World) {
      const id = await world.addGuardrail(FULL);
      return { guardrail: { id, ...guardrail }, updateMask: { paths: [...paths] } };
    },
  };
}

const records: readonly Case[] = [
  answers(
    listGuardrails,
    'those of a workspace, its default one first',
    {
      as: by.manager,
      async ask(world) {
        await world.addGuardrail(FULL);
        return { workspaceId: world.account.workspaceId };
      },
    },
    { data: [{ limit_usd: null }, SHOWN], total_count: 2 },
  ),
  answers(createGuardrail, 'with everything', { as: by.manager, ask: () => FULL }, { data: SHOWN }),
  answers(
    createGuardrail,
    'with a name alone',
    { as: by.manager, ask: () => ({ name: 'Empty' }) },
    {
      data: { name: 'Empty', description: null, limit_usd: null, allowed_models: null, enforce_zdr: false },
    },
  ),
  fails(
    createGuardrail,
    'names of nothing and an unknown workspace, beside a broken rule',
    {
      as: by.manager,
      ask: () => ({
        name: 'x',
        limitUsd: -1,
        workspaceId: NO_ID,
        allowedModels: { values: ['no/model'] },
        allowedProviders: { values: ['a', 'bb'] },
        ignoredProviders: { values: ['entirely-unknown'] },
        allowedDataRegions: { values: ['global', 'globl'] },
      }),
    },
    {
      status: 400,
      violations: [
        { field: 'limit_usd', rule: 'range' },
        { field: 'allowed_providers[1]', rule: 'known', message: 'is not a known provider; did you mean b?' },
        { field: 'ignored_providers[0]', rule: 'known', message: 'is not a known provider' },
        {
          field: 'allowed_data_regions[1]',
          rule: 'known',
          message: 'is not a known region; did you mean global?',
        },
        { field: 'workspace_id', rule: 'known', message: 'must be a workspace of this account' },
      ],
    },
  ),
  fails(
    createGuardrail,
    'every broken rule at once',
    { as: by.manager, ask: () => ({ limitUsd: -1, allowedModels: { values: [''] }, workspaceId: NO_ID }) },
    { status: 400, reason: 'invalid_request' },
  ),
  answers(
    getGuardrail,
    'with everything',
    { as: by.manager, ask: async (world) => ({ id: await world.addGuardrail(FULL) }) },
    { data: SHOWN },
  ),
  fails(getGuardrail, 'none', { as: by.manager, ask: () => ({ id: NO_ID }) }, NOT_FOUND),
  answers(updateGuardrail, 'sets one field and keeps the rest', update({ limitUsd: 1 }, ['limit_usd']), {
    data: { ...SHOWN, limit_usd: 1 },
  }),
  answers(
    updateGuardrail,
    'clears what may be cleared',
    update({}, ['limit_usd', 'allowed_models', 'data_collection', 'description']),
    { data: { limit_usd: null, allowed_models: null, data_collection: null, ignored_models: [] } },
  ),
  answers(updateGuardrail, 'of nothing changes nothing', update({}, []), { data: SHOWN }),
  fails(updateGuardrail, 'clears what must have a value', update({}, ['name', 'enforce_zdr']), {
    status: 400,
    violations: [
      { field: 'name', rule: 'not_null' },
      { field: 'enforce_zdr', rule: 'not_null' },
    ],
  }),
  fails(
    updateGuardrail,
    'a path of a mask that is read-only',
    { ...update({}, ['workspace_id']), kinds: RPC_ONLY },
    { status: 400, violations: [{ rule: 'read_only' }] },
  ),
  answers(
    deleteGuardrail,
    'once',
    { as: by.manager, ask: async (world) => ({ id: await world.addGuardrail() }) },
    { deleted: true },
  ),
  fails(
    deleteGuardrail,
    'not the default one of a workspace',
    {
      as: by.manager,
      async ask(world) {
        const { data } = await world.byway.guardrails.list({}, await world.as());
        return { id: data[0]?.id ?? '' };
      },
    },
    { status: 409 },
  ),
];

const assignments: readonly Case[] = [
  answers(
    assignGuardrailKeys,
    'a key',
    {
      as: by.manager,
      ask: async (world) => ({ id: await world.addGuardrail(), keyHashes: [world.account.apiKeyHash] }),
    },
    { assigned_count: 1 },
  ),
  fails(
    assignGuardrailKeys,
    'keys that are none',
    {
      as: by.manager,
      ask: async (world) => ({ id: await world.addGuardrail(), keyHashes: ['x', 'f'.repeat(64)] }),
    },
    { status: 400, violations: [{ field: 'key_hashes[0]' }, { field: 'key_hashes[1]' }] },
  ),
  fails(
    assignGuardrailKeys,
    'no keys',
    { as: by.manager, ask: async (world) => ({ id: await world.addGuardrail() }) },
    { status: 400, violations: [{ field: 'key_hashes', rule: 'required' }] },
  ),
  answers(listGuardrailKeys, 'those assigned', { as: by.manager, ask: assigned }, { total_count: 1 }),
  answers(
    listKeyAssignments,
    'those of every guardrail',
    {
      as: by.manager,
      async ask(world) {
        await assigned(world);
        const { hash } = await world.addKey({ name: 'Other' });
        const id = await world.addGuardrail();
        await world.byway.guardrails.assignKeys({ id, keyHashes: [hash] }, await world.as());
        return { offset: 1 };
      },
    },
    { data: [{ key_name: 'Other' }], total_count: 2 },
  ),
  answers(
    listMemberAssignments,
    'those of every guardrail',
    {
      as: by.manager,
      async ask(world) {
        await assigned(world);
        return {};
      },
    },
    { data: [{ user_id: 'user_1' }], total_count: 1 },
  ),
  answers(
    unassignGuardrailKeys,
    'those that are assigned',
    {
      as: by.manager,
      async ask(world) {
        const { secret: _, hash } = await world.addKey();
        return { ...(await assigned(world)), keyHashes: [world.account.apiKeyHash, hash] };
      },
    },
    { unassigned_count: 1 },
  ),
  answers(
    assignGuardrailMembers,
    'members, each once',
    {
      as: by.manager,
      ask: async (world) => ({ id: await world.addGuardrail(), memberUserIds: ['user_1', 'user_1', 'ü'] }),
    },
    { assigned_count: 2 },
  ),
  answers(
    listGuardrailMembers,
    'those assigned',
    { as: by.manager, ask: assigned },
    { data: [{ user_id: 'user_1' }], total_count: 1 },
  ),
  answers(
    unassignGuardrailMembers,
    'those that are assigned',
    {
      as: by.manager,
      ask: async (world) => ({ ...(await assigned(world)), memberUserIds: ['user_1', 'user_2'] }),
    },
    { unassigned_count: 1 },
  ),
  fails(
    unassignGuardrailMembers,
    'of a guardrail that does not exist',
    { as: by.manager, ask: () => ({ id: NO_ID, memberUserIds: ['user_1'] }) },
    NOT_FOUND,
  ),
];

/** Guardrails and whom they apply to. */
export const GUARDRAIL_CASES: readonly Case[] = [...records, ...assignments];

/** A guardrail that is assigned to the account's API key and to a member. */
async function assigned(world: World): Promise<{ readonly id: string }> {
  const id = await world.addGuardrail();
  const { guardrails } = world.byway;
  await guardrails.assignKeys({ id, keyHashes: [world.account.apiKeyHash] }, await world.as());
  await guardrails.assignMembers({ id, memberUserIds: ['user_1'] }, await world.as());
  return { id };
}
