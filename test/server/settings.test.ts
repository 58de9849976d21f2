import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { describe, expect, it, vi } from 'vitest';
import { ModelService } from '../../gen/byway/v1/models_pb.js';
import { ConfigError } from '../../src/config/config.js';
import { testCatalog } from '../support/catalog.js';
import { startGateway } from '../support/gateway.js';

async function get(url: string, headers: Record<string, string> = {}) {
  return (await (await fetch(url, { headers })).json()) as { readonly data?: unknown };
}

describe('BYWAY_PUBLIC_URL', () => {
  it('is the root of links.next over every transport and of the OpenAPI server, whatever host was called', async () => {
    const publicUrl = 'https://ai.example.com/gateway';
    const { url, rest, apiKey } = await startGateway({ env: { BYWAY_PUBLIC_URL: `${publicUrl}/` } });
    const headers = { authorization: `Bearer ${apiKey}` };
    const next = (path: string) => `${publicUrl}/api/v1/${path}?offset=1&limit=1`;
    expect(await get(`${rest}/models?limit=1`)).toMatchObject({ links: { next: next('models') } });
    expect(await get(`${rest}/models/user?limit=1`, headers)).toMatchObject({
      links: { next: next('models/user') },
    });
    const client = createClient(ModelService, createGrpcTransport({ baseUrl: url }));
    expect((await client.listModels({ limit: 1 })).links?.next).toBe(next('models'));
    expect(await get(`${url}/openapi.json`)).toMatchObject({ servers: [{ url: publicUrl }] });
  });

  it('is the scheme and Host of the request when it is not set', async () => {
    const { url, rest } = await startGateway();
    expect(await get(`${rest}/models?limit=1`)).toMatchObject({
      links: { next: `${url}/api/v1/models?offset=1&limit=1` },
    });
  });
});

describe('BYWAY_FIELD_ALIASES', () => {
  const arena = { arena: 'models', category: 'website', elo: 1400.5, win_rate: 61.2 };
  const { providers, models } = testCatalog();
  const catalog = {
    providers,
    models: models.map((model) => ({ ...model, benchmarks: { arena_rankings: [arena] } })),
  };

  it('sends the alias beside the neutral name, in lists and single answers alike', async () => {
    const env = { BYWAY_FIELD_ALIASES: 'arena_rankings=vendor_arena, id=identifier,limit_reset=resets' };
    const { rest, managementKey, apiKeyHash } = await startGateway({ env, catalog });
    const { data } = await get(`${rest}/models`);
    const [model] = data as { id: string; benchmarks: Record<string, unknown> }[];
    expect(model).toMatchObject({ id: 'test/m1', identifier: 'test/m1' });
    expect(model?.benchmarks.arena_rankings).toEqual([{ ...arena, rank: 1 }]);
    expect(model?.benchmarks.vendor_arena).toEqual(model?.benchmarks.arena_rankings);
    const headers = { authorization: `Bearer ${managementKey}` };
    expect(await get(`${rest}/keys/${apiKeyHash}`, headers)).toMatchObject({
      data: { limit_reset: null, resets: null },
    });
  });

  it("sends the aliases of the error envelope's members too, and the OpenAPI document has all of them", async () => {
    const env = { BYWAY_FIELD_ALIASES: 'user_id=caller_id,service_metadata=extra,limit_reset=resets' };
    const { rest, url, managementKey, ownerUserId } = await startGateway({ env });
    const headers = { authorization: `Bearer ${managementKey}` };
    expect(await get(`${rest}/keys/none`, headers)).toMatchObject({
      error: { code: 404 },
      user_id: ownerUserId,
      caller_id: ownerUserId,
    });
    expect(await get(`${rest}/keys`)).not.toHaveProperty('caller_id');
    const document = (await get(`${url}/openapi.json`)) as {
      components?: { schemas: Record<string, { properties: object; required: string[] }> };
    };
    const schemas = document.components?.schemas ?? {};
    expect(Object.keys(schemas.Error?.properties ?? {})).toEqual([
      ...['error', 'service_metadata', 'extra', 'user_id', 'caller_id'],
    ]);
    expect(schemas.Key?.required).toEqual(expect.arrayContaining(['limit_reset', 'resets']));
    expect(schemas.UpdateKeyBody?.properties).not.toHaveProperty('resets');
  });

  it('sends no other name unless configured', async () => {
    const { rest } = await startGateway({ catalog });
    const { data } = await get(`${rest}/models`);
    const [model] = data as { benchmarks: object }[];
    expect(Object.keys(model?.benchmarks ?? {})).toEqual(['arena_rankings']);
  });

  it('stops the start with one line for a name that no answer has', async () => {
    await expect(startGateway({ env: { BYWAY_FIELD_ALIASES: 'arena_ranking=x' } })).rejects.toThrow(
      new ConfigError(
        'BYWAY_FIELD_ALIASES: no answer has a member arena_ranking; did you mean arena_rankings?',
      ),
    );
  });
});

describe('the log', () => {
  it('has a line for every request with method, route, status and duration, and nothing that callers sent', async () => {
    const { url, rest, managementKey, apiKey, log } = await startGateway();
    const secret = `bw-mgmt-${'5ec'.repeat(21)}e`;
    const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
    const post = (path: string, key: string, body: string) =>
      fetch(url + path, {
        method: 'POST',
        headers: { ...bearer(key), 'content-type': 'application/json', cookie: `session=${secret}` },
        body,
      }).then((answer) => answer.text());
    const chat = { model: 'test/m1', messages: [{ role: 'user', content: secret }] };
    const byok = JSON.stringify({ provider: 'demo', key: secret });
    await get(`${rest}/models?api_key=${secret}`);
    await get(`${rest}/keys/${secret}?token=${secret}`, bearer(managementKey));
    await get(`${rest}/nothing/${secret}`, bearer(secret));
    await get(`${rest}/key`, bearer(secret));
    await post('/api/v1/byok', managementKey, byok);
    await post('/api/v1/byok', managementKey, byok.replace('demo', 'nobody'));
    await post('/api/v1/chat/completions', apiKey, JSON.stringify(chat));
    await post('/api/v1/chat/completions', apiKey, JSON.stringify({ ...chat, stream: true }));
    await post('/byway.v1.KeyService/ListKeys', managementKey, `{"workspaceId": "${secret}"}`);
    const answered = () => log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'answered');
    const lines = await vi.waitUntil(() => (answered().length === 9 ? answered() : undefined));
    expect(lines.map(({ method, route, status }) => `${method} ${route} ${status}`)).toEqual([
      'GET /api/v1/models 200',
      'GET /api/v1/keys/:hash 400',
      'GET null 404',
      'GET /api/v1/key 401',
      'POST /api/v1/byok 201',
      'POST /api/v1/byok 400',
      'POST /api/v1/chat/completions 200',
      'POST /api/v1/chat/completions 200',
      'POST /byway.v1.KeyService/ListKeys 400',
    ]);
    expect(lines[0]).toMatchObject({ level: 20, reqId: expect.any(String), ms: expect.any(Number) });
    const all = log.join('');
    for (const sent of [secret, managementKey, apiKey, 'Bearer']) expect(all).not.toContain(sent);
  });
});
