import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchGateway } from '../../support/gateway.js';
import { bodyOf, type Call, caller, type Row, recordOf, refused, rowsOf } from '../../support/rest.js';
import { everyKindOfProvider } from '../provider-kinds.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let manage: Call;

beforeAll(async () => {
  gateway = await launchGateway({ catalog: everyKindOfProvider() });
  manage = caller(gateway, gateway.managementKey);
});
afterAll(() => gateway.stop());

const KEY = { provider: 'openai', key: 'sk-proj-0123456789abcxyz' };
const LONG = 'x'.repeat(256);

describe('POST /byok', () => {
  it('answers 201 with every member of the record, and never the credential', async () => {
    const account = await gateway.addAccount();
    const created = await caller(gateway, account.managementKey)('POST', '/byok', KEY);
    expect([created.status, bodyOf(created)]).toEqual([
      201,
      {
        data: {
          id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
          provider: 'openai',
          workspace_id: account.workspaceId,
          label: 'sk-...xyz',
          name: null,
          disabled: false,
          is_fallback: false,
          is_required: false,
          is_byok_only: false,
          declared_zdr: null,
          allowed_models: null,
          allowed_api_key_hashes: null,
          allowed_user_ids: null,
          sort_order: 0,
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          refusal: null,
          warnings: expect.any(Array),
          workspace_ids: null,
        },
      },
    ]);
  });

  it('stores every member that it accepts', async () => {
    const sent = {
      name: 'Mine',
      disabled: true,
      is_required: true,
      is_byok_only: true,
      declared_zdr: false,
      allowed_models: ['openai/gpt', 'unknown/model'],
      allowed_api_key_hashes: [gateway.apiKeyHash],
      allowed_user_ids: ['user_of_ours'],
      workspace_id: gateway.workspaceId,
    };
    const created = recordOf(await manage('POST', '/byok', { ...KEY, ...sent }));
    expect(created).toMatchObject(sent);
    expect(recordOf(await manage('GET', `/byok/${created.id}`))).toEqual(created);
    expect(recordOf(await manage('POST', '/byok', { ...KEY, is_fallback: true })).is_fallback).toBe(true);
  });

  it.each(['name', 'declared_zdr', 'allowed_models', 'allowed_api_key_hashes', 'allowed_user_ids'])(
    'takes null for %s as none',
    async (member) => {
      expect(recordOf(await manage('POST', '/byok', { ...KEY, [member]: null }))[member]).toBeNull();
    },
  );

  it('puts each new key at the end of its section, which belongs to one provider in one workspace', async () => {
    const account = await gateway.addAccount();
    const call = caller(gateway, account.managementKey);
    const places: Row[] = [];
    for (const [provider, is_fallback] of [
      ['openai', false],
      ['openai', false],
      ['openai', true],
      ['mistral', false],
      ['openai', true],
      ['openai', false],
    ]) {
      const { sort_order } = recordOf(await call('POST', '/byok', { ...KEY, provider, is_fallback }));
      places.push({ provider, is_fallback, sort_order });
    }
    expect(places.map(({ sort_order }) => sort_order)).toEqual([0, 1, 0, 0, 1, 2]);
  });

  it('takes a name of up to 255 characters', async () => {
    const name = '🔑'.repeat(255);
    expect(recordOf(await manage('POST', '/byok', { ...KEY, name })).name).toBe(name);
  });
});

describe('what POST /byok refuses, writing nothing', () => {
  it.each<[object, ...string[]]>([
    [{}, 'key required', 'provider required'],
    [{ provider: 'openai' }, 'key required'],
    [{ key: KEY.key }, 'provider required'],
    [{ ...KEY, key: '' }, 'key required'],
    [{ ...KEY, provider: 'opnai' }, 'provider known'],
    [{ ...KEY, provider: 'OpenAI' }, 'provider known'],
    [{ ...KEY, name: LONG }, 'name length'],
    [{ ...KEY, is_fallback: true, is_required: true }, 'is_required prioritized_only'],
    [{ ...KEY, is_fallback: true, is_byok_only: true }, 'is_byok_only prioritized_only'],
    [{ ...KEY, declared_zdr: true }, 'declared_zdr not_exempting'],
    [{ ...KEY, workspace_id: 'nowhere' }, 'workspace_id known'],
    [{ ...KEY, workspace_id: '00000000-0000-4000-8000-000000000000' }, 'workspace_id known'],
    [
      {
        provider: 'nobody',
        key: '',
        name: LONG,
        is_fallback: true,
        is_required: true,
        is_byok_only: true,
        declared_zdr: true,
        workspace_id: 'nowhere',
        allowed_models: [''],
        allowed_api_key_hashes: ['f'.repeat(64), 'x'],
        allowed_user_ids: [LONG + LONG],
      },
      'allowed_api_key_hashes[0] live',
      'allowed_api_key_hashes[1] pattern',
      'allowed_models[0] length',
      'allowed_user_ids[0] length',
      'declared_zdr not_exempting',
      'is_byok_only prioritized_only',
      'is_required prioritized_only',
      'key required',
      'name length',
      'provider known',
      'workspace_id known',
    ],
  ])('broken rules, all at once: %j', async (body, ...violations) => {
    const answer = await refused(gateway, () => manage('POST', '/byok', body));
    expect([answer.slice(0, 2), answer.slice(2).toSorted()]).toEqual([[400, 'invalid_request'], violations]);
  });

  it.each<[object, ...string[]]>([
    [{ ...KEY, provider: 1 }, 'provider type'],
    [{ ...KEY, provider: null }, 'provider not_null'],
    [{ ...KEY, key: null }, 'key not_null'],
    [{ ...KEY, key: 5 }, 'key type'],
    [{ ...KEY, key: true }, 'key type'],
    [{ ...KEY, name: 5 }, 'name type'],
    [{ ...KEY, disabled: null }, 'disabled not_null'],
    [{ ...KEY, is_fallback: null }, 'is_fallback not_null'],
    [{ ...KEY, is_required: null }, 'is_required not_null'],
    [{ ...KEY, is_byok_only: null }, 'is_byok_only not_null'],
    [{ ...KEY, is_fallback: 'true' }, 'is_fallback type'],
    [{ ...KEY, declared_zdr: 'false' }, 'declared_zdr type'],
    [{ ...KEY, allowed_models: 'openai/gpt' }, 'allowed_models type'],
    [{ ...KEY, allowed_models: {} }, 'allowed_models type'],
    [{ ...KEY, allowed_models: ['a', 1, null] }, 'allowed_models[1] type', 'allowed_models[2] type'],
    [{ ...KEY, allowed_user_ids: [['u']] }, 'allowed_user_ids[0] type'],
    [{ ...KEY, sort_order: 0 }, 'sort_order unknown'],
    [{ ...KEY, label: 'x' }, 'label unknown'],
    [{ ...KEY, id: 'x' }, 'id unknown'],
    [{ ...KEY, workspaceId: 'x', name: 1 }, 'workspaceId unknown', 'name type'],
  ])('violations of type and unknown names, all at once: %j', async (body, ...violations) => {
    expect(await refused(gateway, () => manage('POST', '/byok', body))).toEqual([
      400,
      'invalid_request',
      ...violations,
    ]);
  });

  it('an unknown provider with the nearest known slug, an unknown member with the nearest known name', async () => {
    expect((await manage('POST', '/byok', { ...KEY, provider: 'mistrl' })).text).toContain('mean mistral?');
    expect((await manage('POST', '/byok', { ...KEY, allowed_model: [] })).text).toContain(
      'mean allowed_models?',
    );
  });

  it('a foreign workspace, with the same message as an unknown one', async () => {
    const { workspaceId } = await gateway.addAccount();
    const foreign = await manage('POST', '/byok', { ...KEY, workspace_id: workspaceId });
    const unknown = await manage('POST', '/byok', { ...KEY, workspace_id: 'nowhere' });
    expect(foreign.text).toBe(unknown.text);
  });
});

describe('GET and DELETE /byok', () => {
  it('a list is ordered by creation, then id, and filtered by workspace and provider; offset and limit page it', async () => {
    const account = await gateway.addAccount();
    const call = caller(gateway, account.managementKey);
    for (const provider of ['openai', 'mistral', 'openai', 'anthropic', 'openai']) {
      await call('POST', '/byok', { ...KEY, provider });
    }
    const all = rowsOf(await call('GET', '/byok'));
    const sorted = all.toSorted((a, b) => (`${a.created_at} ${a.id}` < `${b.created_at} ${b.id}` ? -1 : 1));
    expect([all.length, all]).toEqual([5, sorted]);
    const openai = all.filter(({ provider }) => provider === 'openai');
    expect(bodyOf(await call('GET', '/byok?provider=openai'))).toEqual({ data: openai, total_count: 3 });
    expect(bodyOf(await call('GET', '/byok?offset=1&limit=2'))).toEqual({
      data: all.slice(1, 3),
      total_count: 5,
    });
    const inWorkspace = bodyOf(await call('GET', `/byok?workspace_id=${account.workspaceId}&limit=100`));
    expect(inWorkspace).toEqual({ data: all, total_count: 5 });
    expect(bodyOf(await call('GET', '/byok?provider=azure'))).toEqual({ data: [], total_count: 0 });
  });

  it.each([
    ['?limit=0', 'limit range'],
    ['?limit=101', 'limit range'],
    ['?offset=-1', 'offset range'],
    ['?offset=x', 'offset type'],
    ['?workspace_id=nowhere', 'workspace_id known'],
    ['?providers=openai', 'providers unknown'],
  ])('a list refuses %s with %s', async (query, violation) => {
    expect(await refused(gateway, () => manage('GET', `/byok${query}`))).toEqual([
      400,
      'invalid_request',
      violation,
    ]);
  });

  it('a deleted key answers 404 and closes the gap that it leaves', async () => {
    const account = await gateway.addAccount();
    const call = caller(gateway, account.managementKey);
    const ids: string[] = [];
    for (let index = 0; index < 3; index++) ids.push(String(recordOf(await call('POST', '/byok', KEY)).id));
    const deleted = await call('DELETE', `/byok/${ids[0]}`);
    expect([deleted.status, bodyOf(deleted)]).toEqual([200, { deleted: true }]);
    expect(await refused(gateway, () => call('DELETE', `/byok/${ids[0]}`))).toEqual([404, 'not_found']);
    const left = rowsOf(await call('GET', '/byok'));
    expect(left.map(({ id, sort_order }) => [id, sort_order]).toSorted()).toEqual(
      [
        [ids[1], 0],
        [ids[2], 1],
      ].toSorted(),
    );
  });

  it.each<[string, object?]>([['GET'], ['PATCH', { name: 'x' }], ['DELETE']])(
    '%s of a foreign key answers byte for byte like one that does not exist',
    async (method, body) => {
      const { id } = recordOf(await manage('POST', '/byok', KEY));
      const other = caller(gateway, (await gateway.addAccount()).managementKey);
      const unknown = await other(method, '/byok/00000000-0000-4000-8000-000000000000', body);
      expect(await refused(gateway, () => other(method, `/byok/${id}`, body))).toEqual([404, 'not_found']);
      expect((await other(method, `/byok/${id}`, body)).text).toBe(unknown.text);
      for (const invalidId of ['x', String(id).toUpperCase(), `${id}0`, '%20', '1']) {
        const answer = await refused(gateway, () => manage(method, `/byok/${invalidId}`, body));
        expect([invalidId, answer]).toEqual([invalidId, [404, 'not_found']]);
      }
    },
  );
});
