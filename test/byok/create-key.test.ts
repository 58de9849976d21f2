import { describe, expect, test } from 'vitest';
import type { NewByokKey } from '../../src/byok/keys/inputs.js';
import type { ByokKey } from '../../src/byok/types.js';
import { RESOURCE, SAMPLES } from './credentials.fixture.js';
import {
  ALL_KEYS,
  DEFAULT_WORKSPACE,
  DELETED,
  DISABLED,
  EXPIRED,
  FOREIGN_HASH,
  FOREIGN_WORKSPACE,
  LIVE,
  newKey,
  OWN,
  openDesk,
  refusal,
  SECOND_WORKSPACE,
  START,
  UNKNOWN_HASH,
  UNKNOWN_ID,
} from './keys.fixture.js';

describe('create', () => {
  test('returns the record, with defaults for omitted members', async () => {
    const { keys } = await openDesk();
    const key = await keys.create(OWN, newKey());
    expect(key).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      accountId: OWN,
      workspaceId: DEFAULT_WORKSPACE,
      provider: 'openai',
      label: 'sk-...789',
      name: null,
      disabled: false,
      isFallback: false,
      isRequired: false,
      isByokOnly: false,
      declaredZdr: null,
      allowedModels: null,
      allowedApiKeyHashes: null,
      allowedUserIds: null,
      workspaceIds: null,
      sortOrder: 0,
      createdAt: START,
      updatedAt: START,
    } satisfies ByokKey);
    expect(await keys.get(OWN, key.id)).toEqual(key);
  });

  test('stores every member that was sent, duplicates collapsed', async () => {
    const { keys } = await openDesk();
    const given = {
      provider: 'azure',
      key: SAMPLES.azure,
      name: 'production',
      disabled: true,
      isRequired: true,
      isByokOnly: true,
      declaredZdr: false,
      allowedModels: ['b', 'a', 'b'],
      allowedApiKeyHashes: [LIVE, LIVE, DISABLED],
      allowedUserIds: [],
      workspaceId: SECOND_WORKSPACE,
    };
    const key = await keys.create(OWN, newKey(given));
    const { key: _, ...stored } = {
      ...given,
      allowedModels: ['b', 'a'],
      allowedApiKeyHashes: [LIVE, DISABLED],
    };
    expect(await keys.get(OWN, key.id)).toMatchObject(stored);
  });

  test('puts a new key at the end of its section, counted by workspace and provider', async () => {
    const { keys } = await openDesk();
    const positions: number[] = [];
    for (const members of [
      {},
      {},
      { isFallback: true },
      { provider: 'mistral' },
      { workspaceId: SECOND_WORKSPACE },
      {},
      { isFallback: true },
    ]) {
      positions.push((await keys.create(OWN, newKey(members))).sortOrder);
    }
    expect(positions).toEqual([0, 1, 0, 0, 0, 2, 1]);
  });

  test.each<[string, Partial<NewByokKey>, string[]]>([
    ['an unknown provider', { provider: 'openay' }, ['provider known']],
    ['an unknown provider and an empty key', { provider: 'x', key: '' }, ['provider known', 'key required']],
    ['a bad credential', { key: 'sk key' }, ['key characters']],
    ['a long name', { name: 'x'.repeat(256) }, ['name length']],
    [
      'is_required with is_fallback',
      { isRequired: true, isFallback: true },
      ['is_required prioritized_only'],
    ],
    [
      'is_byok_only with is_fallback',
      { isByokOnly: true, isFallback: true },
      ['is_byok_only prioritized_only'],
    ],
    ['declared_zdr true', { declaredZdr: true }, ['declared_zdr not_exempting']],
    ['an empty hash filter', { allowedApiKeyHashes: [] }, ['allowed_api_key_hashes count']],
    ['an unknown workspace', { workspaceId: UNKNOWN_ID }, ['workspace_id known']],
    ['a malformed workspace', { workspaceId: '' }, ['workspace_id known']],
    ['a foreign workspace', { workspaceId: FOREIGN_WORKSPACE }, ['workspace_id known']],
    [
      'hashes that are not live',
      { allowedApiKeyHashes: [LIVE, DISABLED, EXPIRED, DELETED, FOREIGN_HASH, UNKNOWN_HASH] },
      [2, 3, 4, 5].map((index) => `allowed_api_key_hashes[${index}] live`),
    ],
    [
      'everything at once',
      {
        provider: 'azure',
        key: JSON.stringify([{ ...RESOURCE, api_key: 7, resource_type: 'x' }]),
        name: 'x'.repeat(256),
        isRequired: true,
        isByokOnly: true,
        isFallback: true,
        declaredZdr: true,
        allowedModels: [''],
        allowedApiKeyHashes: ['x', UNKNOWN_HASH],
        allowedUserIds: Array(101).fill('u'),
        workspaceId: FOREIGN_WORKSPACE,
      },
      [
        'key[0].api_key type',
        'key[0].resource_type value',
        'name length',
        'is_required prioritized_only',
        'is_byok_only prioritized_only',
        'declared_zdr not_exempting',
        'allowed_models[0] length',
        'allowed_api_key_hashes[0] pattern',
        'allowed_user_ids count',
        'workspace_id known',
        'allowed_api_key_hashes[1] live',
      ],
    ],
  ])('refuses %s, and stores nothing', async (_, members, expected) => {
    const { keys } = await openDesk();
    expect(await refusal(keys.create(OWN, newKey(members)))).toEqual(expected);
    expect((await keys.list(OWN, ALL_KEYS)).totalCount).toBe(0);
  });

  test('suggests the nearest name for a mistyped provider', async () => {
    const { keys } = await openDesk();
    const call = keys.create(OWN, newKey({ provider: 'mistrall' }));
    await expect(call).rejects.toThrow('provider: is not a known provider; did you mean mistral?');
  });
});
