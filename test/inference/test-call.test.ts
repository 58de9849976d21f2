import { describe, expect, it } from 'vitest';
import type { DemoCredential } from '../../src/byok/kinds/demo.js';
import type { UpstreamCall } from '../../src/inference/ports/adapter.js';
import { createTestCall, type TestCallDependencies } from '../../src/inference/test-call.js';
import { demoAdapter } from '../../src/providers/demo/index.js';
import { byokAttempt, DEMO, demoEndpoint, NOW } from '../support/chat.js';

const CREDENTIAL: DemoCredential = { adapter: 'demo', apiKey: 'plain' };
const never = () => new AbortController().signal;

/** Tests a key at an endpoint that plays the script. */
function test(
  script: string,
  {
    signal = never(),
    timeoutMs = 10_000,
    ...overrides
  }: Partial<TestCallDependencies> & {
    readonly signal?: AbortSignal;
    readonly timeoutMs?: number;
  } = {},
) {
  const { key } = byokAttempt('plain');
  if (key === null) throw new Error('no key');
  const dependencies = {
    adapters: new Map([['demo' as const, demoAdapter]]),
    openCredential: async () => CREDENTIAL,
    clock: { now: () => NOW },
    ...overrides,
  };
  const target = { key, provider: DEMO, endpoint: demoEndpoint(script), credential: CREDENTIAL };
  return createTestCall(dependencies, timeoutMs)(target, signal);
}

describe('the call that tests a key', () => {
  it.each([
    ['echo', 200, null],
    ['status-401', 401, { kind: 'auth', error: null, message: 'Incorrect API key provided.' }],
    ['status-429', 429, { kind: 'rate_limit', error: null }],
    ['reset', null, { kind: 'upstream_error', error: 'reset' }],
    ['malformed-after-1', 200, { kind: 'upstream_error', error: 'malformed' }],
    ['content-filter', 400, { kind: 'content_filter' }],
  ])('%s', async (script, status, failure) => {
    const outcome = await test(script);
    expect(outcome).toMatchObject({ status, latencyMs: 0, failure });
  });

  it('requests one token, in the region and with the model name of a chat', async () => {
    const calls: UpstreamCall[] = [];
    const complete = async (call: UpstreamCall) => {
      calls.push(call);
      return demoAdapter.complete({ ...call, credential: CREDENTIAL });
    };
    const adapter = { complete, stream: demoAdapter.stream };
    await test('echo', { adapters: new Map([['demo', adapter]]) });
    expect(calls).toMatchObject([{ body: { model: 'echo', max_tokens: 1 }, region: null }]);
  });

  it.each([
    ['before an answer', 'stall', null],
    ['within one', 'stall-after-1', 200],
  ])('has a timeout, %s', async (_, script, status) => {
    const outcome = await test(script, { timeoutMs: 30 });
    expect(outcome).toMatchObject({ status, failure: { kind: 'upstream_error', error: 'timeout' } });
  });

  it('ends with the client', async () => {
    const client = new AbortController();
    const pending = test('stall', { signal: client.signal });
    client.abort();
    await expect(pending).rejects.toMatchObject({ reason: 'client_closed' });
  });

  it('reports a credential that can’t be opened, but not why', async () => {
    const openCredential = () => Promise.reject(new Error('secret'));
    const outcome = await test('echo', { openCredential });
    expect(outcome).toMatchObject({ status: null, failure: { kind: 'auth', error: 'credential' } });
    expect(JSON.stringify(outcome)).not.toContain('secret');
  });

  it('reports a missing adapter', async () => {
    const outcome = await test('echo', { adapters: new Map() });
    expect(outcome).toMatchObject({ status: null, failure: { kind: 'upstream_error', error: 'internal' } });
  });
});
