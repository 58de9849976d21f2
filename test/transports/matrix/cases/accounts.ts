import { AccountService } from '../../../../gen/byway/v1/accounts_pb.js';
import { DataCollection, ProviderSort } from '../../../../gen/byway/v1/chat_pb.js';
import { answers, by, type Case, fails } from '../case.js';
import type { World } from '../world.js';

const { listClients, createClient, deleteClient } = AccountService.method;
const { getPreferences, updatePreferences, getCredits, listActivity, listRuns } = AccountService.method;
const { listOrganizationMembers } = AccountService.method;

const CAREFUL = { zdr: true, allowedProviders: { values: ['a', 'b'] }, defaultSort: ProviderSort.LATENCY };

/** An update of preferences: the new values and the paths of the mask. */
function update(preferences: object, paths: readonly string[]) {
  return {
    as: by.manager,
    async ask(world: World) {
      await world.byway.preferences.update({ preferences: CAREFUL }, await world.as());
      return { preferences, updateMask: { paths: [...paths] } };
    },
  };
}

/** What belongs to an account as a whole. */
export const ACCOUNT_CASES: readonly Case[] = [
  answers(
    listClients,
    'a page',
    {
      as: by.manager,
      async ask(world) {
        await world.addClient('First');
        await world.addClient('Second');
        return { offset: 1 };
      },
    },
    { data: [{ name: 'Second' }], total_count: 2 },
  ),
  answers(
    createClient,
    'with a name',
    { as: by.manager, ask: () => ({ name: 'Portal' }) },
    {
      data: { name: 'Portal' },
    },
  ),
  answers(
    createClient,
    'with the member that its keys belong to',
    { as: by.manager, ask: () => ({ name: 'Portal', userId: 'user_portal' }) },
    { data: { name: 'Portal', user_id: 'user_portal' } },
  ),
  fails(
    createClient,
    'every broken rule at once',
    { as: by.manager, ask: () => ({ name: 'x'.repeat(256), userId: 'x'.repeat(256) }) },
    {
      status: 400,
      violations: [
        { field: 'name', rule: 'length' },
        { field: 'user_id', rule: 'length' },
      ],
    },
  ),
  fails(
    createClient,
    'without a name',
    { as: by.manager, ask: () => ({}) },
    { status: 400, violations: [{ field: 'name', rule: 'required' }] },
  ),
  answers(
    deleteClient,
    'once',
    { as: by.manager, ask: async (world) => ({ id: (await world.addClient()).id }) },
    { deleted: true },
  ),
  fails(
    deleteClient,
    'none',
    { as: by.manager, ask: () => ({ id: 'none' }) },
    { status: 404, reason: 'not_found' },
  ),
  answers(
    getPreferences,
    'none yet',
    { as: by.manager, ask: () => ({}) },
    {
      data: { allowed_providers: null, ignored_providers: null, zdr: false, default_sort: null },
    },
  ),
  answers(
    updatePreferences,
    'sets one field and keeps the rest',
    update({ dataCollection: DataCollection.DENY }, ['data_collection']),
    { data: { data_collection: 'deny', zdr: true, allowed_providers: ['a', 'b'], default_sort: 'latency' } },
  ),
  answers(
    updatePreferences,
    'clears and empties',
    update({ ignoredProviders: { values: [] } }, [
      ...['allowed_providers', 'ignored_providers', 'default_sort'],
    ]),
    { data: { allowed_providers: null, ignored_providers: [], zdr: true, default_sort: null } },
  ),
  fails(
    updatePreferences,
    'providers that there are none of',
    update({ allowedProviders: { values: ['a', 'nobody'] } }, ['allowed_providers']),
    {
      status: 400,
      violations: [{ field: 'allowed_providers[1]', rule: 'known', message: 'is not a known provider' }],
    },
  ),
  fails(updatePreferences, 'clears what must have a value', update({}, ['zdr']), {
    status: 400,
    violations: [{ field: 'zdr', rule: 'not_null' }],
  }),
  answers(
    getCredits,
    'what is there and what is used',
    { as: by.manager, ask: () => ({}) },
    { data: { total_credits: 10, total_usage: 0 } },
  ),
  answers(
    listOrganizationMembers,
    'its owner first',
    {
      as: by.manager,
      async ask(world) {
        await world.addKey({ creatorUserId: 'a_member' });
        return {};
      },
    },
    { data: [{ role: 'org:admin' }, { id: 'a_member', role: 'org:member' }], total_count: 2 },
  ),
  answers(
    listRuns,
    'of an API key, which has none yet',
    { as: by.apiKey, ask: () => ({ from: '2026-01-01T00:00:00Z' }) },
    { data: [], total_count: 0, total_count_exact: true },
  ),
  fails(
    listRuns,
    'from and to in their order',
    { as: by.manager, ask: () => ({ from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }) },
    { status: 400, violations: [{ field: 'from', rule: 'range' }] },
  ),
  answers(
    listActivity,
    'by day, model, provider and key',
    {
      as: by.manager,
      async ask(world) {
        await world.addGeneration();
        return { apiKeyHash: world.account.apiKeyHash };
      },
    },
    { data: [{ model: 'test/m1', provider: 'a', requests: 1 }], total_count: 1 },
  ),
  answers(
    listActivity,
    'by API and provider',
    {
      as: by.manager,
      async ask(world) {
        await world.addGeneration();
        return { groupBy: 'api,provider', workspaceId: world.account.workspaceId };
      },
    },
    {
      data: [{ provider: 'a', api: 'chat', requests: 1, refused: 0, failed: 0, byok_fee: 0 }],
      total_count: 1,
    },
  ),
  fails(
    listActivity,
    'of a day and from a day',
    { as: by.manager, ask: () => ({ date: '2026-02-02', from: '2026-02-01' }) },
    { status: 400, violations: [{ field: 'date', rule: 'conflict' }] },
  ),
  fails(
    listActivity,
    'days in the wrong order, of a workspace that is none',
    {
      as: by.manager,
      ask: () => ({ from: '2026-02-02', to: '2026-02-01', workspaceId: 'none', limit: 101 }),
    },
    {
      status: 400,
      violations: [
        { field: 'limit', rule: 'range' },
        { field: 'from', rule: 'range', message: 'must not be later than to' },
        { field: 'workspace_id', rule: 'known' },
      ],
    },
  ),
  answers(
    listActivity,
    'of one day',
    { as: by.manager, ask: () => ({ from: '2026-02-01', to: '2026-02-01' }) },
    { data: [], total_count: 0 },
  ),
  fails(
    listActivity,
    'dates that are none',
    { as: by.manager, ask: () => ({ from: '2020-02-30', to: 'today' }) },
    { status: 400, violations: [{ field: 'from' }, { field: 'to' }] },
  ),
];
