import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.js';
import { azure } from '../../../src/providers/azure/index.js';
import { createAdapter } from '../../../src/providers/http/exchange.js';
import { createHttp } from '../../../src/providers/http/http.js';
import { demoModel } from '../../support/catalog.js';
import { FAKE_AZURE_KEY, startFakeAzure } from '../../support/fakes/fake-azure.js';
import { launchGateway, startGateway } from '../../support/gateway.js';
import { bodyOf, type Call, caller, recordOf } from '../../support/rest.js';
import { everyKindOfProvider } from '../provider-kinds.js';
import { goodCredentials } from './canaries.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let manage: Call;

beforeAll(async () => {
  gateway = await launchGateway({ catalog: everyKindOfProvider() });
  manage = caller(gateway, gateway.managementKey);
});
afterAll(() => gateway.stop());

async function tested(provider: string, key: unknown, more: object = {}) {
  const { id } = recordOf(await manage('POST', '/byok', { provider, key, ...more }));
  return manage('POST', `/byok/${String(id)}/test`);
}

describe('POST /byok/{id}/test', () => {
  it.each([
    ['echo', { ok: true, status: 200, reason: 'ok' }],
    ['status-401', { ok: false, status: 401, reason: 'invalid_credential' }],
    ['status-403', { ok: false, status: 403, reason: 'missing_permission' }],
    ['status-404', { ok: false, status: 404, reason: 'not_found' }],
    ['status-429', { ok: true, status: 429, reason: 'rate_limited' }],
    ['status-400', { ok: true, status: 400, reason: 'invalid_request' }],
    ['status-500', { ok: false, status: 500, reason: 'provider_error' }],
    ['reset', { ok: false, status: null, reason: 'unreachable' }],
    ['malformed', { ok: false, status: 200, reason: 'provider_error' }],
  ])('a key that answers with %s', async (script, data) => {
    const answer = await tested('demo', `demo-${script}-0123456789abcdef`);
    expect(answer.status).toBe(200);
    expect(bodyOf(answer)).toEqual({
      data: { ...data, detail: expect.stringMatching(/^[A-Z].*\.$/), latency_ms: expect.any(Number) },
    });
  });

  it('tests a disabled key, with or without a body', async () => {
    const { id } = recordOf(
      await manage('POST', '/byok', { provider: 'demo', key: 'demo-echo-0123', disabled: true }),
    );
    for (const body of [undefined, {}]) {
      expect(recordOf(await manage('POST', `/byok/${String(id)}/test`, body))).toMatchObject({ ok: true });
    }
    expect((await manage('POST', `/byok/${String(id)}/test`, { model: 'demo/echo' })).status).toBe(400);
  });

  it('charges and records nothing, and does not affect the breaker', async () => {
    const before = await manage('GET', '/credits');
    for (let count = 0; count < 10; count += 1) await tested('demo', 'demo-status-500-0123456789abcdef');
    expect((await manage('GET', '/credits')).text).toBe(before.text);
    expect(bodyOf(await manage('GET', '/generations'))).toMatchObject({ data: [], total_count: 0 });
    expect(bodyOf(await manage('GET', '/activity'))).toMatchObject({ data: [] });
    const explained = await caller(gateway, gateway.apiKey)('POST', '/routing/explain', {
      model: 'demo/echo',
    });
    expect(explained.text).not.toContain('cooling');
  });

  it('is for management keys, of their own account', async () => {
    const { id } = recordOf(await manage('POST', '/byok', { provider: 'demo', key: 'demo-echo-0123456789' }));
    const other = await gateway.addAccount();
    const path = `/byok/${String(id)}/test`;
    const statusAs = async (secret: string) => (await caller(gateway, secret)('POST', path)).status;
    expect(await statusAs(gateway.apiKey)).toBe(403);
    expect(await statusAs(other.managementKey)).toBe(404);
    expect((await manage('POST', '/byok/x/test')).status).toBe(404);
  });

  it('shows no part of any credential in answers and in the log', async () => {
    for (const { provider, key, texts, name } of goodCredentials()) {
      const answer = await tested(provider, key);
      expect(answer.status, name).toBe(200);
      for (const text of texts) expect(answer.text + gateway.log.join(), name).not.toContain(text);
    }
  });
});

describe('POST /byok/{id}/test at Azure', () => {
  const resource = { api_key: FAKE_AZURE_KEY, resource_name: 'my-resource' };

  it.each<[string, object, object, RegExp]>([
    ['works', resource, { ok: true, status: 200, reason: 'ok' }, /^Azure answered with vendor\/m\.$/],
    [
      'is refused',
      { ...resource, api_key: 'canaryQ7-0123456789abcdef' },
      { ok: false, status: 401, reason: 'invalid_credential' },
      /Access denied due to invalid subscription key.*api_key.*resource_name/,
    ],
    [
      'has another deployment alone',
      {
        api_key: FAKE_AZURE_KEY,
        model_slug: 'vendor/m',
        model_id: 'nothing',
        endpoint_url:
          'https://r.openai.azure.com/openai/deployments/nothing/chat/completions?api-version=2024-10-21',
      },
      { ok: false, status: 404, reason: 'not_found' },
      /deployment for this resource does not exist.*endpoint_url.*model_id/,
    ],
  ])('a key that %s', async (_, entry, data, detail) => {
    const fake = await startFakeAzure();
    const http = createHttp();
    const started = await startGateway({
      adapters: new Map([['azure', createAdapter(azure({ http, guardedHttp: http }), systemClock)]]),
      catalog: {
        providers: [{ slug: 'azure', name: 'Azure', adapter: 'azure', base_url: fake.baseUrl }],
        models: [demoModel('vendor/m', [{ provider: 'azure', upstream_model_id: 'gpt-m' }])],
      },
    });
    const call = caller(started, started.managementKey);
    const { id } = recordOf(await call('POST', '/byok', { provider: 'azure', key: [entry] }));
    const answer = await call('POST', `/byok/${String(id)}/test`);
    expect(recordOf(answer)).toMatchObject({ ...data, detail: expect.stringMatching(detail) });
    expect(answer.text + started.log.join()).not.toMatch(/canaryQ7|fa4e0123|my-resource/);
    expect(fake.requests[0]?.body).toMatchObject({ max_tokens: 1 });
    await http.close();
  });
});
