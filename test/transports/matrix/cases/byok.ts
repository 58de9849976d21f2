import { ByokService } from '../../../../gen/byway/v1/byok_pb.js';
import { answers, by, type Case, fails, NO_ID, NOT_FOUND, RPC_ONLY } from '../case.js';
import type { World } from '../world.js';

const { listByokKeys, createByokKey, getByokKey, updateByokKey, testByokKey, deleteByokKey } =
  ByokService.method;

const FILTERED = {
  name: 'Filtered',
  allowedModels: { values: ['test/m1'] },
  allowedUserIds: { values: ['u'] },
};

/** An update of a key with filters: the new values and the paths of the mask. */
function update(byokKey: object, paths: readonly string[]) {
  return {
    as: by.manager,
    async ask(world: World) {
      const { id } = await world.addByokKey(FILTERED);
      return { byokKey: { id, ...byokKey }, updateMask: { paths: [...paths] } };
    },
  };
}

const reads: readonly Case[] = [
  answers(
    listByokKeys,
    'those of a provider',
    {
      as: by.manager,
      async ask(world) {
        await world.addByokKey();
        await world.addByokKey({ provider: 'b', isFallback: true });
        return { provider: 'b', limit: 10 };
      },
    },
    { data: [{ provider: 'b', is_fallback: true, sort_order: 0 }], total_count: 1 },
  ),
  answers(
    getByokKey,
    'a key with filters, never its credential',
    { as: by.manager, ask: async (world) => ({ id: (await world.addByokKey(FILTERED)).id }) },
    {
      data: {
        provider: 'a',
        label: 'dem...890',
        name: 'Filtered',
        disabled: false,
        declared_zdr: null,
        allowed_models: ['test/m1'],
        allowed_api_key_hashes: null,
        allowed_user_ids: ['u'],
      },
    },
  ),
  fails(getByokKey, 'one that does not exist', { as: by.manager, ask: () => ({ id: NO_ID }) }, NOT_FOUND),
  fails(getByokKey, 'a malformed identifier', { as: by.manager, ask: () => ({ id: 'é/../x' }) }, NOT_FOUND),
];

const creates: readonly Case[] = [
  answers(
    createByokKey,
    'with a credential alone',
    { as: by.manager, ask: () => ({ provider: 'a', key: 'demo-echo-1234567890' }) },
    { data: { provider: 'a', label: 'dem...890', name: null, is_fallback: false, allowed_models: null } },
  ),
  answers(
    createByokKey,
    'with everything',
    {
      as: by.manager,
      ask: ({ account: { apiKeyHash, workspaceId, ownerUserId } }) => ({
        provider: 'b',
        key: 'demo-echo-1234567890',
        name: 'Ünïcode ☂',
        disabled: true,
        workspaceId,
        isRequired: true,
        isByokOnly: true,
        isFallback: false,
        declaredZdr: false,
        allowedModels: { values: [] },
        allowedApiKeyHashes: { values: [apiKeyHash] },
        allowedUserIds: { values: [ownerUserId] },
      }),
    },
    { data: { is_required: true, is_byok_only: true, declared_zdr: false, allowed_models: [] } },
  ),
  fails(
    listByokKeys,
    'of an unknown workspace, on a page that is none',
    { as: by.manager, ask: () => ({ limit: 0, workspaceId: 'none' }) },
    {
      status: 400,
      violations: [
        { field: 'limit', rule: 'range' },
        { field: 'workspace_id', rule: 'known' },
      ],
    },
  ),
  fails(
    createByokKey,
    'every broken rule at once',
    {
      as: by.manager,
      ask: () => ({
        provider: 'nobody',
        key: 'demo-echo-1234567890',
        isFallback: true,
        isRequired: true,
        allowedApiKeyHashes: { values: ['f'.repeat(64), 'F'.repeat(64)] },
      }),
    },
    { status: 400, reason: 'invalid_request' },
  ),
  fails(
    createByokKey,
    'an empty list of hashes',
    {
      as: by.manager,
      ask: () => ({ provider: 'a', key: 'demo-echo-1234567890', allowedApiKeyHashes: { values: [] } }),
    },
    { status: 400, violations: [{ field: 'allowed_api_key_hashes' }] },
  ),
  fails(
    createByokKey,
    'hashes of nobody and of another account',
    {
      as: by.manager,
      ask: () => ({ provider: 'a', key: 'demo-echo-1', allowedApiKeyHashes: { values: ['f'.repeat(64)] } }),
    },
    { status: 400, violations: [{ field: 'allowed_api_key_hashes[0]' }] },
  ),
];

const updates: readonly Case[] = [
  answers(
    updateByokKey,
    'sets one filter and keeps the other',
    {
      ...update({ allowedModels: { values: ['test/m2'] } }, ['allowed_models']),
    },
    { data: { name: 'Filtered', allowed_models: ['test/m2'], allowed_user_ids: ['u'] } },
  ),
  answers(
    updateByokKey,
    'clears what may be cleared',
    update({}, ['name', 'allowed_models', 'declared_zdr']),
    {
      data: { name: null, allowed_models: null, allowed_user_ids: ['u'], declared_zdr: null },
    },
  ),
  answers(
    updateByokKey,
    'sets an empty list',
    update({ allowedUserIds: { values: [] } }, ['allowed_user_ids']),
    {
      data: { allowed_models: ['test/m1'], allowed_user_ids: [] },
    },
  ),
  answers(updateByokKey, 'replaces the credential', update({ key: 'demo-free-abcdefghij' }, ['key']), {
    data: { name: 'Filtered', label: 'dem...hij' },
  }),
  answers(
    updateByokKey,
    'moves to another section',
    update({ isFallback: true, sortOrder: 9 }, ['is_fallback', 'sort_order']),
    { data: { is_fallback: true, sort_order: 0 } },
  ),
  answers(updateByokKey, 'of nothing changes nothing', update({}, []), { data: { name: 'Filtered' } }),
  fails(
    updateByokKey,
    'broken rules at once',
    {
      ...update({ declaredZdr: true, isFallback: true, isByokOnly: true }, [
        ...['declared_zdr', 'is_fallback', 'is_byok_only'],
      ]),
    },
    { status: 400, reason: 'invalid_request' },
  ),
  fails(updateByokKey, 'clears what must have a value', update({}, ['key', 'disabled', 'sort_order']), {
    status: 400,
    reason: 'invalid_request',
  }),
  fails(
    updateByokKey,
    'paths of a mask that are unknown or read-only',
    { ...update({ provider: 'b' }, ['provider', 'nothing']), kinds: RPC_ONLY },
    { status: 400, violations: [{ rule: 'read_only' }, { rule: 'unknown' }] },
  ),
  fails(
    updateByokKey,
    'a key that does not exist',
    { as: by.manager, ask: () => ({ byokKey: { id: NO_ID, name: 'x' }, updateMask: { paths: ['name'] } }) },
    NOT_FOUND,
  ),
];

/** A test of a key whose credential plays the script. */
function tested(script: string, wanted: object = {}) {
  return {
    as: by.manager,
    ask: async (world: World) => ({
      id: (await world.addByokKey({ key: `demo-${script}-1234567890`, ...wanted })).id,
    }),
  };
}

const tests: readonly Case[] = [
  answers(testByokKey, 'a disabled key that works', tested('echo', { disabled: true }), {
    data: { ok: true, status: 200, reason: 'ok', detail: 'Provider a answered with test/m1.' },
  }),
  answers(testByokKey, 'one that the provider refuses', tested('status-401'), {
    data: { ok: false, status: 401, reason: 'invalid_credential' },
  }),
  answers(testByokKey, 'one that no answer comes to', tested('reset'), {
    data: { ok: false, status: null, reason: 'unreachable' },
  }),
  answers(
    testByokKey,
    'one that admits no model there is',
    tested('echo', { allowedModels: { values: [] } }),
    {
      data: { ok: false, status: null, reason: 'no_endpoint', latency_ms: 0 },
    },
  ),
  fails(testByokKey, 'one that does not exist', { as: by.manager, ask: () => ({ id: NO_ID }) }, NOT_FOUND),
  fails(testByokKey, 'a malformed identifier', { as: by.manager, ask: () => ({ id: 'x' }) }, NOT_FOUND),
];

const deletes: readonly Case[] = [
  answers(
    deleteByokKey,
    'once',
    { as: by.manager, ask: async (world) => ({ id: (await world.addByokKey()).id }) },
    { deleted: true },
  ),
  fails(deleteByokKey, 'none', { as: by.manager, ask: () => ({ id: NO_ID }) }, NOT_FOUND),
];

/** BYOK keys. */
export const BYOK_CASES: readonly Case[] = [...reads, ...creates, ...updates, ...tests, ...deletes];
