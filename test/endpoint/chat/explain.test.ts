import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchGateway, type TestAccount } from '../../support/gateway.js';
import { bodyOf, type Call, caller, type Row, recordOf, refusalOf, refused } from '../../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let account: TestAccount;
let manage: Call;
let use: Call;

beforeAll(async () => {
  gateway = await launchGateway();
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  account = await gateway.addAccount();
  manage = caller(gateway, account.managementKey);
  use = caller(gateway, account.apiKey);
});

interface Route {
  readonly attempts: readonly Row[];
  readonly excluded: readonly Row[];
  readonly unknown_providers: readonly string[];
}

async function routeOf(body: object, call = use): Promise<Route> {
  return recordOf(await call('POST', '/routing/explain', body)) as unknown as Route;
}

/** The attempts in brief: `a` is shared capacity of a, `a:X` the key named X. */
async function attemptsOf(body: object): Promise<string> {
  const { attempts } = await routeOf({ model: 'test/m1', ...body });
  expect(attempts.map(({ position }) => position)).toEqual(attempts.map((_, index) => index));
  return attempts
    .map(({ provider, byok_key_id: id }) => (id === null ? provider : `${provider}:${names.get(String(id))}`))
    .join(' ');
}

const names = new Map<string, string>();

async function addKey(name: string, provider: string, members: object = {}): Promise<string> {
  const key = `demo-echo-0123456789-${name}`;
  const { id } = recordOf(await manage('POST', '/byok', { provider, key, name, ...members }));
  names.set(String(id), name);
  return String(id);
}

describe('POST /routing/explain', () => {
  it('lists attempts and exclusions with all their members', async () => {
    const id = await addKey('X', 'a', { allowed_models: ['test/m2'] });
    await addKey('Y', 'b', { is_fallback: true });
    const route = await routeOf({ model: 'test/m1', provider: { ignore: ['c', 'nobody'] } });
    expect(route).toEqual({
      attempts: [
        {
          position: 0,
          provider: 'a',
          provider_name: 'Provider a',
          model: 'test/m1',
          endpoint: 'a/test/m1',
          region: null,
          is_byok: false,
          byok_key_id: null,
          byok_label: null,
          section: 'shared',
          price: { prompt: '0.000001', completion: '0.000002' },
          price_mode: null,
          health: { state: 'ok', until: null },
          // By its earlier name, until 0.3.
          standing: { state: 'ok', until: null },
          lane: 'native',
        },
        expect.objectContaining({ position: 1, provider: 'b', section: 'shared' }),
        expect.objectContaining({ position: 2, is_byok: true, byok_label: 'dem...9-Y', section: 'fallback' }),
      ],
      excluded: expect.arrayContaining([
        {
          provider: 'a',
          endpoint: 'a/test/m1',
          byok_key_id: id,
          reason: 'key_model_filter',
          detail: expect.any(String),
        },
        expect.objectContaining({ provider: 'c', byok_key_id: null, reason: 'request_ignore' }),
      ]),
      excluded_counts: { key_model_filter: 1, request_ignore: 1 },
      unrelated_keys: 0,
      unknown_providers: ['nobody'],
      refused: null,
    });
    expect(route.excluded).toHaveLength(2);
  });

  it('keys of providers that have no endpoint of the model are counted in unrelated_keys alone', async () => {
    await addKey('X', 'demo', { allowed_models: ['test/m2'] });
    const route = await routeOf({ model: 'test/m1' });
    expect(route).toMatchObject({ excluded: [], excluded_counts: {}, unrelated_keys: 1 });
  });

  it('a management key names the API key to explain for', async () => {
    await addKey('X', 'a', { allowed_api_key_hashes: [account.apiKeyHash] });
    const other = String(recordOf(await manage('POST', '/keys', { name: 'other' })).hash);
    const firstOf = async (api_key_hash: string) =>
      (await routeOf({ model: 'test/m1', api_key_hash }, manage)).attempts[0]?.is_byok;
    expect([await firstOf(account.apiKeyHash), await firstOf(other)]).toEqual([true, false]);
    const own = await routeOf({ model: 'test/m1' });
    expect(await routeOf({ model: 'test/m1', api_key_hash: account.apiKeyHash }, manage)).toEqual(own);
  });

  it('sends nothing and writes nothing', async () => {
    await addKey('X', 'a');
    await use('POST', '/routing/explain', { model: 'test/m1' });
    expect(bodyOf(await manage('GET', '/generations'))).toEqual({
      data: [],
      total_count: 0,
      total_count_exact: true,
      links: { next: null },
    });
  });

  it('is 200 also without any attempt', async () => {
    const route = await routeOf({ model: 'test/m1', provider: { only: ['nobody'] } });
    expect([route.attempts, route.unknown_providers]).toEqual([[], ['nobody']]);
    expect(route.excluded.map(({ reason }) => reason)).toEqual([
      'request_only',
      'request_only',
      'request_only',
    ]);
  });

  it.each<['use' | 'manage', object, ...string[]]>([
    ['use', {}, 'model required'],
    ['use', { models: [] }, 'model required'],
    ['use', { model: '' }, 'model length'],
    ['use', { model: 5 }, 'model type'],
    ['use', { model: 'test/m1', prompt_tokens: -1 }, 'prompt_tokens range'],
    ['use', { model: 'test/m1', max_tokens: 0 }, 'max_tokens range'],
    ['use', { model: 'test/m1', api_key_hash: 'f'.repeat(64) }, 'api_key_hash own'],
    ['use', { model: 'test/m1', provider: { ordr: ['a'] } }, 'provider.ordr unknown'],
    ['use', { model: 'test/m1', provider: { order: 'a' } }, 'provider.order type'],
    ['use', { model: 'test/m1', provider: { sort: 'speed' } }, 'provider.sort enum'],
    ['use', { model: 'test/m1', provider: { data_collection: 'maybe' } }, 'provider.data_collection enum'],
    [
      'use',
      { model: 'test/m1', provider: { max_price: { prompt: 'cheap' } } },
      'provider.max_price.prompt decimal',
    ],
    ['use', { model: 'test/m1', provider: { max_price: { prompt: -1 } } }, 'provider.max_price.prompt range'],
    ['manage', { model: 'test/m1' }, 'api_key_hash required'],
    ['manage', { model: 'test/m1', api_key_hash: 'f'.repeat(64) }, 'api_key_hash live'],
    ['manage', {}, 'api_key_hash required', 'model required'],
  ])('as %s: %j is 400', async (who, body, ...violations) => {
    const call = () => (who === 'use' ? use : manage)('POST', '/routing/explain', body);
    const answer = await refused(gateway, call);
    expect([answer.slice(0, 2), answer.slice(2).toSorted()]).toEqual([[400, 'invalid_request'], violations]);
  });

  it('an unknown model is 400 with the nearest known ids', async () => {
    const answer = await use('POST', '/routing/explain', {
      model: 'test/m11',
      models: ['test/m2', 'nothing'],
    });
    expect(refusalOf(answer)).toEqual([400, 'unknown_model', 'model known', 'models[1] known']);
    expect(answer.text).toContain('test/m1');
  });

  it("another account's API key counts as nonexistent", async () => {
    const ask = (api_key_hash: string) =>
      manage('POST', '/routing/explain', { model: 'test/m1', api_key_hash });
    const unknown = await ask('f'.repeat(64));
    expect((await ask(gateway.apiKeyHash)).text).toBe(unknown.text);
  });
});

describe('the order of attempts', () => {
  it('prioritized keys in their order, then shared endpoints, then fallback keys in their order', async () => {
    await addKey('F1', 'a', { is_fallback: true });
    const second = await addKey('P1', 'a');
    await addKey('P2', 'a');
    await addKey('F2', 'a', { is_fallback: true });
    expect(await attemptsOf({})).toBe('a:P1 a:P2 a b c a:F1 a:F2');
    await manage('PATCH', `/byok/${second}`, { sort_order: 1 });
    expect(await attemptsOf({})).toBe('a:P2 a:P1 a b c a:F1 a:F2');
    await manage('PATCH', `/byok/${second}`, { is_fallback: true, sort_order: 0 });
    expect(await attemptsOf({})).toBe('a:P2 a b c a:P1 a:F1 a:F2');
  });

  it('a key that is always used removes the shared endpoints of its provider, and only those', async () => {
    await addKey('X', 'a', { is_required: true });
    expect(await attemptsOf({})).toBe('a:X b c');
  });

  it('BYOK endpoints come first whatever the requested order', async () => {
    for (const provider of ['a', 'b', 'c']) await addKey(provider.toUpperCase(), provider);
    expect(await attemptsOf({ provider: { order: ['a', 'b', 'c'] } })).toBe('a:A b:B c:C a b c');
    expect(await attemptsOf({ provider: { order: ['c', 'a', 'b'] } })).toBe('c:C a:A b:B c a b');
  });

  it('with order [A, B] and a key only for B: B key, A shared, B shared', async () => {
    await addKey('B', 'b');
    expect(await attemptsOf({ provider: { order: ['a', 'b'], allow_fallbacks: false } })).toBe('b:B a b');
  });

  it('the example of two keys, one of them filtered and always used', async () => {
    await addKey('X', 'a', { allowed_models: ['test/m1'], is_required: true });
    await addKey('Y', 'a');
    expect(await attemptsOf({ provider: { only: ['a'] } })).toBe('a:X a:Y');
    expect(await attemptsOf({ model: 'test/m2' })).toBe('a:Y a');
  });

  it('all active filters must match', async () => {
    await addKey('M', 'a', { allowed_models: ['test/m2'] });
    await addKey('H', 'a', {
      allowed_api_key_hashes: [String(recordOf(await manage('POST', '/keys', { name: 'n' })).hash)],
    });
    await addKey('U', 'a', { allowed_user_ids: ['user_other'] });
    await addKey('none', 'a', { allowed_models: [] });
    await addKey('nobody', 'a', { allowed_user_ids: [] });
    const all = { allowed_models: ['test/m1'], allowed_api_key_hashes: [account.apiKeyHash] };
    await addKey('all', 'a', { ...all, allowed_user_ids: [account.ownerUserId] });
    await addKey('but one', 'a', { ...all, allowed_user_ids: ['user_other'] });
    expect(await attemptsOf({ provider: { only: ['a'] } })).toBe('a:all a');
    const { excluded } = await routeOf({ model: 'test/m1', provider: { only: ['a'] } });
    const reasons = excluded
      .filter(({ byok_key_id: id }) => id !== null)
      .map(({ byok_key_id: id, reason }) => [names.get(String(id)), reason]);
    expect(Object.fromEntries(reasons)).toEqual({
      M: 'key_model_filter',
      H: 'key_api_key_filter',
      U: 'key_member_filter',
      none: 'key_model_filter',
      nobody: 'key_member_filter',
      'but one': 'key_member_filter',
    });
  });

  it('a disabled key has no effect at all, even if it is an always-use key', async () => {
    await addKey('X', 'a', { is_required: true, is_byok_only: true, disabled: true });
    expect(await attemptsOf({})).toBe('a b c');
  });

  it('is_byok_only removes shared endpoints for every model, also outside allowed_models', async () => {
    await addKey('X', 'a', { is_byok_only: true, allowed_models: ['test/m2'] });
    expect(await attemptsOf({})).toBe('b c');
    expect(await attemptsOf({ model: 'test/m2' })).toBe('a:X');
  });

  it('declared_zdr false keeps a key from zero-data-retention requests', async () => {
    await addKey('X', 'a', { declared_zdr: false });
    expect(await attemptsOf({ provider: { zdr: true, only: ['a'] } })).toBe('a');
    expect(await attemptsOf({ provider: { only: ['a'] } })).toBe('a:X a');
  });

  it("a change of a key is in the next request's route", async () => {
    const id = await addKey('X', 'a');
    expect(await attemptsOf({ provider: { only: ['a'] } })).toBe('a:X a');
    await manage('PATCH', `/byok/${id}`, { disabled: true });
    expect(await attemptsOf({ provider: { only: ['a'] } })).toBe('a');
    await manage('PATCH', `/byok/${id}`, { disabled: false });
    await manage('DELETE', `/byok/${id}`);
    expect(await attemptsOf({ provider: { only: ['a'] } })).toBe('a');
  });
});
