import { LimitReset } from '../../../../gen/byway/v1/common_pb.js';
import { KeyService } from '../../../../gen/byway/v1/keys_pb.js';
import { answers, by, type Case, fails, NOT_FOUND, RPC_ONLY } from '../case.js';
import type { World } from '../world.js';

const { listKeys, createKey, getKey, updateKey, deleteKey, getCurrentKey, listKeyEndUsers } =
  KeyService.method;

const LIMITED = { name: 'Limited', limit: 5, limitReset: LimitReset.WEEKLY };
const NO_KEY = 'f'.repeat(64);

/** An update of a key with a limit: the new values and the paths of the mask. */
function update(key: object, paths: readonly string[]) {
  return {
    as: by.manager,
    async ask(world: World) {
      const { hash } = await world.addKey(LIMITED);
      return { key: { hash, ...key }, updateMask: { paths: [...paths] } };
    },
  };
}

const reads: readonly Case[] = [
  answers(
    listKeys,
    'a page, with the disabled ones',
    {
      as: by.manager,
      async ask(world) {
        const { hash } = await world.addKey({ name: 'Off' });
        await world.byway.keys.update({ key: { hash, disabled: true } }, await world.as());
        return { includeDisabled: true, offset: 1, limit: 1 };
      },
    },
    { data: [{ name: 'Off', disabled: true }], total_count: 2 },
  ),
  answers(
    listKeys,
    'a client sees its own alone',
    {
      async as(world) {
        const { secret } = await world.addClient();
        await world.addKey({ name: 'Of the client' }, secret);
        return secret;
      },
      ask: () => ({}),
    },
    { data: [{ name: 'Of the client' }], total_count: 1 },
  ),
  fails(
    listKeys,
    'bounds of the page, of an unknown workspace',
    { as: by.manager, ask: () => ({ offset: -1, limit: 101, workspaceId: 'none' }) },
    {
      status: 400,
      violations: [
        { field: 'offset', rule: 'range' },
        { field: 'limit', rule: 'range' },
        { field: 'workspace_id', rule: 'known' },
      ],
    },
  ),
  answers(
    getKey,
    'a key with a limit',
    { as: by.manager, ask: async (world) => world.addKey(LIMITED).then(({ hash }) => ({ hash })) },
    { data: { limit: 5, limit_remaining: 5, limit_reset: 'weekly', expires_at: null, external_user: null } },
  ),
  fails(getKey, 'one that does not exist', { as: by.manager, ask: () => ({ hash: NO_KEY }) }, NOT_FOUND),
  fails(getKey, 'a malformed hash', { as: by.manager, ask: () => ({ hash: 'no hash/at all' }) }, NOT_FOUND),
  fails(
    getKey,
    'a key that another created, for a client',
    { as: by.client, ask: async (world) => ({ hash: (await world.addKey()).hash }) },
    NOT_FOUND,
  ),
  answers(
    getCurrentKey,
    'the own record',
    { as: by.apiKey, ask: () => ({}) },
    { data: { name: 'Test key', disabled: false, limit: null, limit_remaining: null, usage: 0 } },
  ),
];

const creates: readonly Case[] = [
  answers(
    createKey,
    'with a name alone',
    { as: by.manager, ask: () => ({ name: 'Plain' }) },
    { data: { name: 'Plain', limit: null, limit_reset: null, include_byok_in_limit: false } },
  ),
  answers(
    createKey,
    'with everything',
    {
      as: by.manager,
      ask: ({ account: { workspaceId } }) => ({
        name: 'Ünïcode ☂',
        limit: 0.000000001,
        limitReset: LimitReset.MONTHLY,
        workspaceId,
        includeByokInLimit: true,
        expiresAt: '2999-01-01T00:00:00Z',
        creatorUserId: 'user_somebody',
      }),
    },
    { data: { name: 'Ünïcode ☂', limit: 1e-9, limit_reset: 'monthly', creator_user_id: 'user_somebody' } },
  ),
  answers(
    createKey,
    "a client's, which belongs to the client's member",
    {
      as: async (world) => (await world.addClient('Portal', 'user_portal')).secret,
      ask: () => ({ name: 'Of it' }),
    },
    { data: { name: 'Of it', creator_user_id: 'user_portal' } },
  ),
  answers(
    createKey,
    "a client's that names the client's member",
    {
      as: async (world) => (await world.addClient('Portal', 'user_portal')).secret,
      ask: () => ({ name: 'Of it', creatorUserId: 'user_portal' }),
    },
    { data: { creator_user_id: 'user_portal' } },
  ),
  fails(
    createKey,
    "a client's that names another member",
    {
      as: async (world) => (await world.addClient('Portal', 'user_portal')).secret,
      ask: () => ({ name: 'Of another', creatorUserId: 'user_somebody' }),
    },
    { status: 403, reason: 'permission_denied', violations: [] },
  ),
  fails(
    createKey,
    'every broken rule at once',
    { as: by.manager, ask: () => ({ name: 'x'.repeat(256), limit: -1, expiresAt: 'tomorrow' }) },
    { status: 400, reason: 'invalid_request' },
  ),
  fails(
    createKey,
    'more decimals than nano-USD have',
    { as: by.manager, ask: () => ({ name: 'Fine', limit: 0.0000000001 }) },
    { status: 400, violations: [{ field: 'limit', rule: 'decimals' }] },
  ),
  fails(
    createKey,
    'an unknown workspace',
    { as: by.manager, ask: () => ({ name: 'Fine', workspaceId: '00000000-0000-4000-8000-000000000000' }) },
    { status: 400, violations: [{ field: 'workspace_id', rule: 'known' }] },
  ),
];

const updates: readonly Case[] = [
  answers(updateKey, 'sets a limit and keeps the rest', update({ limit: 7.5 }, ['limit']), {
    data: { name: 'Limited', limit: 7.5, limit_remaining: 7.5, limit_reset: 'weekly' },
  }),
  answers(updateKey, 'clears what may be cleared', update({}, ['limit', 'limit_reset']), {
    data: { name: 'Limited', limit: null, limit_remaining: null, limit_reset: null },
  }),
  answers(updateKey, 'sets to zero and false', update({ limit: 0, disabled: false }, ['limit', 'disabled']), {
    data: { limit: 0, limit_remaining: 0, disabled: false },
  }),
  answers(
    updateKey,
    'sets every field',
    update(
      { name: 'New', disabled: true, limit: 1, limitReset: LimitReset.DAILY, includeByokInLimit: true },
      [...['name', 'disabled', 'limit', 'limit_reset', 'include_byok_in_limit']],
    ),
    { data: { name: 'New', disabled: true, limit: 1, limit_reset: 'daily', include_byok_in_limit: true } },
  ),
  answers(updateKey, 'of nothing changes nothing', update({}, []), { data: { name: 'Limited', limit: 5 } }),
  fails(updateKey, 'broken rules at once', update({ name: '', limit: 1e9 + 1 }, ['name', 'limit']), {
    status: 400,
    violations: [
      { field: 'name', rule: 'length' },
      { field: 'limit', rule: 'range' },
    ],
  }),
  fails(
    updateKey,
    'of no key',
    { as: by.manager, ask: () => ({}), kinds: RPC_ONLY },
    { status: 400, message: 'key: is required', violations: [{ field: 'key', rule: 'required' }] },
  ),
  fails(updateKey, 'clears what must have a value', update({}, ['name', 'disabled']), {
    status: 400,
    violations: [{ field: 'name' }, { field: 'disabled' }],
  }),
  fails(
    updateKey,
    'paths of a mask that are unknown or read-only',
    { ...update({ name: 'New' }, ['name', 'usage', 'nothing']), kinds: RPC_ONLY },
    { status: 400, violations: [{ rule: 'read_only' }, { rule: 'unknown' }] },
  ),
  fails(
    updateKey,
    'a key that does not exist',
    { as: by.manager, ask: () => ({ key: { hash: NO_KEY, name: 'x' }, updateMask: { paths: ['name'] } }) },
    NOT_FOUND,
  ),
];

const deletes: readonly Case[] = [
  answers(
    deleteKey,
    'once',
    { as: by.manager, ask: async (world) => ({ hash: (await world.addKey()).hash }) },
    { deleted: true },
  ),
  fails(
    deleteKey,
    'not twice',
    {
      as: by.manager,
      async ask(world) {
        const { hash } = await world.addKey();
        await world.byway.keys.delete({ hash }, await world.as());
        return { hash };
      },
    },
    NOT_FOUND,
  ),
];

const endUsers: readonly Case[] = [
  answers(
    listKeyEndUsers,
    'none of a new key',
    { as: by.manager, ask: async (world) => ({ hash: (await world.addKey()).hash, limit: 1 }) },
    { data: [], total_count: 0 },
  ),
  fails(
    listKeyEndUsers,
    'bounds of the page',
    { as: by.manager, ask: () => ({ hash: NO_KEY, offset: -1, limit: 0 }) },
    {
      status: 400,
      violations: [
        { field: 'offset', rule: 'range' },
        { field: 'limit', rule: 'range' },
      ],
    },
  ),
  fails(
    listKeyEndUsers,
    'of a key that does not exist',
    { as: by.manager, ask: () => ({ hash: NO_KEY }) },
    NOT_FOUND,
  ),
];

/** API keys. */
export const KEY_CASES: readonly Case[] = [...reads, ...creates, ...updates, ...deletes, ...endUsers];
