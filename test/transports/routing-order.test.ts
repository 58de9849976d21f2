import { describe, expect, it } from 'vitest';
import { demoModel, demoProvider } from '../support/catalog.js';
import { startGateway, type TestGateway } from '../support/gateway.js';

/** An attempt in words: `A key`, `B shared`. */
type Step = string;

interface Attempt {
  readonly provider: string;
  readonly is_byok: boolean;
  readonly byok_key_id: string | null;
  readonly endpoint: string;
}

const messages = [{ role: 'user', content: 'Hi' }];

/** Everything is rate limited, keys and shared endpoints alike, so that the whole order is tried. */
const LIMITED = { upstream_model_id: 'status-429' };
const FAILING_KEY = 'demo-status-429-abcdefgh';

const catalog = {
  providers: ['a', 'b', 'c'].map((slug) => demoProvider(slug, { name: slug.toUpperCase() })),
  models: [
    demoModel(
      'test/all',
      ['a', 'b', 'c'].map((provider) => ({ provider, ...LIMITED })),
    ),
    demoModel('test/m1', [{ provider: 'a', ...LIMITED }]),
    demoModel('test/m2', [{ provider: 'a', ...LIMITED }]),
  ],
};

describe('request-level provider ordering with BYOK', () => {
  it('with order [A, B, C] and keys for all three: A key, B key, C key, then A shared, B shared, C shared', async () => {
    const world = await open();
    for (const provider of ['c', 'a', 'b']) await world.addKey(`${provider.toUpperCase()} key`, { provider });
    expect(await world.order({ model: 'test/all', provider: { order: ['a', 'b', 'c'] } })).toEqual([
      ...['A key', 'B key', 'C key'],
      ...['A shared', 'B shared', 'C shared'],
    ]);
  });

  it('with order [A, B] and a key only for B: B key, A shared, B shared', async () => {
    const world = await open();
    await world.addKey('B key', { provider: 'b' });
    const provider = { order: ['a', 'b'], allow_fallbacks: false };
    expect(await world.order({ model: 'test/all', provider })).toEqual(['B key', 'A shared', 'B shared']);
  });

  it('keys come first whatever place their provider has in the order, others follow it', async () => {
    const world = await open();
    await world.addKey('C key', { provider: 'c' });
    await world.addKey('B fallback key', { provider: 'b', is_fallback: true });
    expect(await world.order({ model: 'test/all', provider: { order: ['b', 'a'] } })).toEqual([
      ...['C key', 'B shared', 'A shared', 'C shared', 'B fallback key'],
    ]);
  });

  it('several keys of a provider are tried in their order before shared capacity', async () => {
    const world = await open();
    for (const name of ['first', 'second', 'third']) await world.addKey(name, { provider: 'a' });
    expect(await world.order({ model: 'test/m1' })).toEqual(['first', 'second', 'third', 'A shared']);
  });
});

describe('key X with model filter [m1] and always-use enabled, key Y without filters', () => {
  it('requests for m1 try X then Y and skip shared capacity', async () => {
    expect(await (await openXY()).order({ model: 'test/m1' })).toEqual(['X', 'Y']);
  });

  it('requests for other models of the provider use Y only, with shared capacity as fallback', async () => {
    expect(await (await openXY()).order({ model: 'test/m2' })).toEqual(['Y', 'A shared']);
  });

  async function openXY() {
    const world = await open();
    await world.addKey('X', { provider: 'a', allowed_models: ['test/m1'], is_required: true });
    await world.addKey('Y', { provider: 'a' });
    return world;
  }
});

/** A gateway of its own for each test: what fails is tried last for a while. */
async function open() {
  const gateway = await startGateway({ catalog });
  const names = new Map<string, string>();
  const inWords = ({ provider, byok_key_id }: Attempt): Step =>
    names.get(byok_key_id ?? '') ?? `${provider.toUpperCase()} shared`;
  return {
    async addKey(name: string, wanted: object): Promise<void> {
      const body = { key: FAILING_KEY, name, ...wanted };
      const { data } = await send<{ data: { id: string } }>(gateway, gateway.managementKey, '/byok', body);
      names.set(data.id, name);
    },
    /** The order that traffic tried, once explanation, error and generation record agree on it. */
    async order(request: object): Promise<Step[]> {
      const { apiKey } = gateway;
      const explained = await send<{ data: { attempts: Attempt[] } }>(
        gateway,
        apiKey,
        '/routing/explain',
        request,
      );
      const failed = await send<{
        error: { code: number; metadata: { generation_id: string; provider_responses: Attempt[] } };
      }>(gateway, apiKey, '/chat/completions', { ...request, messages });
      const { code, metadata } = failed.error;
      const recorded = await send<{ data: { provider_responses: Attempt[] } }>(
        gateway,
        apiKey,
        `/generation?id=${metadata.generation_id}`,
      );
      const tried = metadata.provider_responses.map(inWords);
      expect(code).toBe(429);
      expect(tried).toEqual(explained.data.attempts.map(inWords));
      expect(metadata.provider_responses).toMatchObject(
        explained.data.attempts.map(({ provider, is_byok, byok_key_id, endpoint }) => ({
          provider,
          is_byok,
          byok_key_id,
          endpoint,
          status: 429,
        })),
      );
      // The record has the names of keys beside them.
      expect(recorded.data.provider_responses).toMatchObject(metadata.provider_responses);
      expect(recorded.data.provider_responses).toHaveLength(tried.length);
      return tried;
    },
  };
}

async function send<T>({ rest }: TestGateway, secret: string, path: string, body?: object): Promise<T> {
  const response = await fetch(rest + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as T;
}
