import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeyService } from '../../gen/byway/v1/keys_pb.js';
import { demoModel, scriptedCatalog } from '../support/catalog.js';
import { launchGateway, startGateway, type TestGateway } from '../support/gateway.js';
import { sampleValue, scrape } from '../support/prometheus.js';
import { bodyOf, caller, refusalOf, send } from '../support/rest.js';
import { waitFor } from '../support/wait-for.js';

const chat = (gateway: TestGateway, model: string, more: object = {}) =>
  caller(gateway, gateway.apiKey)('POST', '/chat/completions', {
    model,
    messages: [{ role: 'user', content: 'Say xylophone' }],
    ...more,
  });

describe('GET /metrics', () => {
  let gateway: Awaited<ReturnType<typeof launchGateway>>;
  beforeAll(async () => {
    gateway = await launchGateway();
  });
  afterAll(() => gateway.stop());

  const ask = (method: string, secret?: string) =>
    send(`${gateway.url}/metrics`, method, {
      ...(secret !== undefined && { headers: { authorization: `Bearer ${secret}` } }),
    });

  it('accepts only an operator key, since it covers all accounts', async () => {
    expect(refusalOf(await ask('GET'))).toEqual([401, 'missing_authentication']);
    for (const wrong of ['bw-op-wrong', `bw-op-${'0'.repeat(64)}`]) {
      expect(refusalOf(await ask('GET', wrong))).toEqual([401, 'invalid_api_key']);
    }
    const client = await caller(gateway, gateway.managementKey)('POST', '/clients', { name: 'C' });
    const clientSecret = String(bodyOf(client).client_secret);
    for (const secret of [gateway.apiKey, gateway.managementKey, clientSecret]) {
      const answer = await ask('GET', secret);
      expect(refusalOf(answer)).toEqual([403, 'permission_denied']);
      expect(answer.text).toContain('Only operator keys can perform this operation');
    }
    expect((await ask('GET', gateway.operatorKey)).status).toBe(200);
  });

  it('is a text that is not cached', async () => {
    const { headers } = await ask('GET', gateway.operatorKey);
    expect(headers).toMatchObject({
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
  });

  it('answers HEAD as GET, without the text', async () => {
    const answer = await ask('HEAD', gateway.operatorKey);
    expect([answer.status, answer.text]).toEqual([200, '']);
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('refuses %s', async (method) => {
    for (const secret of [undefined, gateway.operatorKey]) {
      const answer = await ask(method, secret);
      expect(refusalOf(answer)).toEqual([405, 'method_not_allowed']);
      expect(String(answer.headers.allow).split(', ').toSorted()).toEqual(['GET', 'HEAD']);
    }
  });
});

const SERVED = { provider: 'demo', model: 'demo/echo' };

const HELLO = [{ role: 'user', content: 'Hello' }];

describe('the metrics', () => {
  it('has every family from the start, in the form that scrapers read', async () => {
    const families = await scrape(await startGateway());
    const types = [...families].map(([name, { type }]) => `${name} ${type}`);
    expect(types.filter((line) => line.startsWith('byway_'))).toEqual([
      'byway_http_requests_total counter',
      'byway_http_request_duration_seconds histogram',
      'byway_http_requests_in_flight gauge',
      'byway_uncaught_errors_total counter',
      'byway_cached_answers_total counter',
      'byway_cached_answers_bytes gauge',
      'byway_region_hosts_unbound gauge',
      'byway_chats_total counter',
      'byway_upstream_attempts_total counter',
      'byway_fallbacks_total counter',
      'byway_adapted_attempts_total counter',
      'byway_unpriced_requests_total counter',
      'byway_estimated_requests_total counter',
      'byway_left_requests_total counter',
      'byway_time_to_first_token_seconds histogram',
      'byway_generation_seconds histogram',
      'byway_tokens_total counter',
      'byway_charged_usd_total counter',
      'byway_byok_list_price_usd_total counter',
      'byway_byok_fees_usd_total counter',
      'byway_record_commit_seconds histogram',
      'byway_finishing_requests gauge',
      'byway_open_streams gauge',
      'byway_cooling_endpoints gauge',
      'byway_cooling_ways gauge',
      'byway_token_counts_total counter',
      'byway_batches_submitted_total counter',
      'byway_batches_ended_total counter',
      'byway_batch_requests_total counter',
      'byway_batch_bytes_total counter',
      'byway_answer_cache_lookups_total counter',
      'byway_cache_bytes gauge',
      'byway_cache_max_bytes gauge',
      'byway_retention_dropped_total counter',
      'byway_billing gauge',
    ]);
    expect(types).toContain('process_cpu_seconds_total counter');
    expect(types).toContain('process_resident_memory_bytes gauge');
    expect(types).toContain('nodejs_eventloop_lag_p99_seconds gauge');
    expect(types).toContain('nodejs_gc_duration_seconds histogram');
  });

  it('chats: answers, attempts, fallbacks, times, tokens and what they cost', async () => {
    const { models, ...others } = scriptedCatalog();
    const chain = demoModel('test/chain', [
      { provider: 'a', upstream_model_id: 'status-500', pricing: { prompt: '0', completion: '0' } },
      { provider: 'demo', upstream_model_id: 'echo' },
    ]);
    const gateway = await startGateway({ catalog: { ...others, models: [...models, chain] } });
    const whole = bodyOf(await chat(gateway, 'demo/echo')).usage as Record<string, number>;
    await chat(gateway, 'demo/echo', { stream: true });
    await chat(gateway, 'test/chain');
    await chat(gateway, 'demo/status-429');
    await chat(gateway, 'demo/break-after-3', { stream: true });

    const families = await scrape(gateway);
    const at = (name: string, labels?: Record<string, string>) => sampleValue(families, name, labels);
    expect(at('byway_chats_total', { outcome: 'answered' })).toBe(3);
    expect(at('byway_chats_total', { outcome: 'failed' })).toBe(1);
    expect(at('byway_chats_total', { outcome: 'broken' })).toBe(1);
    const attempts = (provider: string, outcome: string) =>
      at('byway_upstream_attempts_total', { provider, capacity: 'shared', outcome });
    expect(attempts('demo', 'served')).toBe(3);
    expect(attempts('a', 'upstream_error')).toBe(1);
    expect(attempts('demo', 'rate_limit')).toBe(1);
    expect(attempts('demo', 'reset')).toBe(1);
    expect(at('byway_fallbacks_total')).toBe(1);
    expect(at('byway_time_to_first_token_seconds_count', { provider: 'demo' })).toBe(2);
    expect(at('byway_generation_seconds_count', { provider: 'demo' })).toBe(4);
    expect(at('byway_tokens_total', { ...SERVED, kind: 'prompt' })).toBe(2 * (whole.prompt_tokens ?? 0));
    expect(at('byway_tokens_total', { ...SERVED, kind: 'completion' })).toBe(
      2 * (whole.completion_tokens ?? 0),
    );
    expect(at('byway_charged_usd_total', SERVED)).toBeCloseTo(2 * (whole.cost ?? 0), 9);
    expect(at('byway_byok_list_price_usd_total', SERVED)).toBeUndefined();
    expect(at('byway_record_commit_seconds_count')).toBe(5);
  });

  it('what BYOK keys serve, at list price', async () => {
    const gateway = await startGateway();
    await caller(gateway, gateway.managementKey)('POST', '/byok', {
      provider: 'demo',
      key: 'demo-echo-0123456789',
    });
    const { usage } = bodyOf(await chat(gateway, 'demo/echo'));
    const { cost_details } = usage as { cost_details: { upstream_inference_cost: number } };
    const families = await scrape(gateway);
    expect(cost_details.upstream_inference_cost).toBeGreaterThan(0);
    expect(sampleValue(families, 'byway_byok_list_price_usd_total', SERVED)).toBe(
      cost_details.upstream_inference_cost,
    );
    const labels = { provider: 'demo', capacity: 'byok', outcome: 'served' };
    expect(sampleValue(families, 'byway_upstream_attempts_total', labels)).toBe(1);
  });

  it('open streams and cooling candidates', async () => {
    const env = { BYWAY_ON_DISCONNECT: 'cancel' };
    const gateway = await startGateway({ catalog: scriptedCatalog(), env });
    const client = new AbortController();
    const answer = await fetch(`${gateway.rest}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo/stall-after-3', stream: true, messages: HELLO }),
      signal: client.signal,
    });
    await answer.body?.getReader().read();
    expect(sampleValue(await scrape(gateway), 'byway_open_streams')).toBe(1);
    await waitFor(async () =>
      expect(sampleValue(await scrape(gateway), 'byway_http_requests_in_flight')).toBe(2),
    );
    client.abort();
    await waitFor(async () => {
      const families = await scrape(gateway);
      expect(sampleValue(families, 'byway_open_streams')).toBe(0);
      expect(sampleValue(families, 'byway_http_requests_in_flight')).toBe(1);
      expect(sampleValue(families, 'byway_chats_total', { outcome: 'cancelled' })).toBe(1);
    });
    for (let count = 0; count < 3; count += 1) await chat(gateway, 'demo/status-500');
    const families = await scrape(gateway);
    const names = ['byway_cooling_endpoints', 'byway_cooling_ways'];
    expect(names.map((name) => sampleValue(families, name))).toEqual([1, 1]);
  });

  it('requests, by operation and transport', async () => {
    const gateway = await startGateway();
    await caller(gateway, gateway.apiKey)('GET', '/key');
    await caller(gateway, gateway.managementKey)('GET', `/keys/${gateway.apiKeyHash}`);
    await caller(gateway, gateway.managementKey)('GET', `/keys/${'0'.repeat(64)}`);
    await caller(gateway)('GET', '/no/such/path');
    await send(`${gateway.url}/healthz`, 'HEAD');
    const transports: Transport[] = [
      createConnectTransport({ baseUrl: gateway.url, httpVersion: '1.1' }),
      createGrpcTransport({ baseUrl: gateway.url }),
      createGrpcWebTransport({ baseUrl: gateway.url, httpVersion: '2' }),
    ];
    for (const transport of transports) {
      const headers = { authorization: `Bearer ${gateway.apiKey}` };
      await createClient(KeyService, transport).getCurrentKey({}, { headers });
      const refusal = createClient(KeyService, transport).listKeys({}, { headers });
      await expect(refusal).rejects.toSatisfy(
        (error) => ConnectError.from(error).code === Code.PermissionDenied,
      );
    }
    await waitFor(async () => {
      const families = await scrape(gateway);
      const requests = (transport: string, operation: string, method: string, status: string) =>
        sampleValue(families, 'byway_http_requests_total', { ...via(transport), operation, method, status });
      expect(requests('rest', 'GetCurrentKey', 'GET', '200')).toBe(1);
      expect(requests('rest', 'GetKey', 'GET', '200')).toBe(1);
      expect(requests('rest', 'GetKey', 'GET', '404')).toBe(1);
      expect(requests('http', 'unknown', 'GET', '404')).toBe(1);
      expect(requests('http', '/healthz', 'HEAD', '200')).toBe(1);
      for (const transport of ['connect', 'grpc', 'grpc_web']) {
        expect([transport, requests(transport, 'GetCurrentKey', 'POST', '200')]).toEqual([transport, 1]);
      }
      expect(requests('connect', 'ListKeys', 'POST', '403')).toBe(1);
      const getKey = { ...via('rest'), operation: 'GetKey' };
      expect(sampleValue(families, 'byway_http_request_duration_seconds_count', getKey)).toBe(2);
    });
  });
});

describe('labels', () => {
  it('name no account, key, user or credential, and nothing that a client wrote', async () => {
    const gateway = await startGateway({ catalog: scriptedCatalog() });
    const credential = 'demo-status-401-cnry0123456789';
    const manager = caller(gateway, gateway.managementKey);
    const byok = bodyOf(
      await manager('POST', '/byok', { provider: 'demo', key: credential, name: 'cnryname' }),
    );
    await chat(gateway, 'demo/echo', { user: 'cnryuser', cnrymember: 'cnryvalue' });
    await chat(gateway, 'demo/reasoner', { stream: true });
    await chat(gateway, 'cnrymodel/unknown');
    await caller(gateway, 'bw-v1-cnrysecret')('GET', '/cnrypath?cnryquery=1', undefined, {
      'user-agent': 'cnryagent',
    });
    await send(`${gateway.url}/byway.v1.KeyService/cnryMethod`, 'POST', { body: {} });
    await send(`${gateway.url}/api/v1/keys`, 'GET', {
      headers: { 'content-type': 'cnry/type', host: 'cnryhost' },
    });
    const { text } = await send(`${gateway.url}/metrics`, 'GET', {
      headers: { authorization: `Bearer ${gateway.operatorKey}` },
    });
    expect(text).toContain('byway_upstream_attempts_total{provider="demo",capacity="byok",outcome="auth"} 2');
    const { id } = byok.data as { id: string };
    const { accountId, workspaceId, ownerUserId, managementKey, operatorKey, apiKey, apiKeyHash } = gateway;
    const keys = [managementKey, operatorKey, apiKey, apiKeyHash];
    for (const secret of [id, accountId, workspaceId, ownerUserId, ...keys, 'cnry', 'xylophone']) {
      expect(text).not.toContain(secret);
    }
  });

  it('are few, whatever clients send', async () => {
    const gateway = await startGateway();
    const counted = async (paths: number, methods: number) => {
      const families = await scrape(gateway);
      const at = (labels: Record<string, string>) =>
        sampleValue(families, 'byway_http_requests_total', labels);
      expect([at(UNKNOWN_PATH), at(UNKNOWN_METHOD)]).toEqual([paths, methods]);
      const own = [...families].flatMap(([name, { samples }]) => (name.startsWith('byway_') ? samples : []));
      return own.filter(({ labels }) => labels.operation !== '/metrics').length;
    };
    await caller(gateway)('GET', '/first');
    await send(`${gateway.url}/api/v1/keys`, 'PROPFIND');
    const before = await waitFor(() => counted(1, 1));
    for (const path of ['/a', '/b/c', '/keys/x/y']) await caller(gateway)('GET', path);
    for (const method of ['MKCOL', 'LOCK', 'PURGE']) await send(`${gateway.url}/api/v1/keys`, method);
    expect(await waitFor(() => counted(4, 4))).toBe(before);
  });
});

/** The labels of a transport, by its name and by the earlier one. */
function via(transport: string) {
  return { transport, door: transport };
}

const UNKNOWN_PATH = { ...via('http'), operation: 'unknown', method: 'GET', status: '404' };
const UNKNOWN_METHOD = { ...UNKNOWN_PATH, method: 'other', status: '405' };
