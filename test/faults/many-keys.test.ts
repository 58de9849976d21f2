import { describe, expect, it } from 'vitest';
import { expectSettled } from '../support/money.js';
import {
  addKey,
  attempts,
  expectAnswerFrom,
  generation,
  MODES,
  startProviders,
} from '../support/providers.js';
import { type Row, recordOf } from '../support/rest.js';

const REFUSED = {
  status: 401,
  body: { error: { message: 'Incorrect API key provided.', code: 'invalid_api_key' } },
};

/** A gateway with BYOK keys of `alpha` and no shared capacity, one for each plan. */
async function startWithKeys(count: number, plan: object, env: Record<string, string> = {}) {
  const gateway = await startProviders(null, { env });
  for (let index = 0; index < count; index++) {
    const key = `sk-key-${index}-0123456789`;
    gateway.alpha.planKey(key, plan);
    await addKey(gateway, 'alpha', key);
  }
  return gateway;
}

describe.each(MODES)('a pool of keys, %s', (mode) => {
  it('10 dead keys and a good one: the good one serves the very first request', async () => {
    const gateway = await startWithKeys(10, REFUSED);
    gateway.alpha.planKey('sk-good-0123456789', {});
    const id = await addKey(gateway, 'alpha', 'sk-good-0123456789');
    const answer = await gateway.ask(mode);
    expectAnswerFrom(answer, 'alpha');
    expect(await attempts(gateway, answer)).toEqual([...Array(10).fill('alpha 401 null'), 'alpha 200 null']);
    expect(await generation(gateway, answer)).toMatchObject({ is_byok: true, byok_key_id: id });
    // Failing keys are tried last: the good one soon comes first.
    for (let count = 0; count < 3; count++) await gateway.ask(mode);
    expect(await attempts(gateway, await gateway.ask(mode))).toEqual(['alpha 200 null']);
    await expectSettled(gateway);
  });

  it('shared capacity and fallback keys serve after any number of dead keys', async () => {
    const gateway = await startWithKeys(10, REFUSED);
    gateway.beta.planKey('sk-fallback-0123456789', {});
    await addKey(gateway, 'beta', 'sk-fallback-0123456789', { is_fallback: true });
    expectAnswerFrom(await gateway.ask(mode), 'beta');
  });

  it('attempts of one request: each candidate once, at most 32, however many keys and models there are', async () => {
    const gateway = await startWithKeys(20, { status: 500 });
    const { status, error } = await gateway.ask(mode, { models: ['test/n'] });
    expect(status).toBe(502);
    expect(error?.metadata?.provider_responses).toHaveLength(32);
    const candidates = gateway.alpha.requests.map(
      ({ headers, body }) => `${headers.authorization} ${body.model}`,
    );
    expect([candidates.length, new Set(candidates).size]).toEqual([32, 32]);
    await expectSettled(gateway);
  });

  it('the operator sets the cap, and explain lists what lies beyond it', async () => {
    const gateway = await startWithKeys(5, { status: 429 }, { BYWAY_MAX_ATTEMPTS: '3' });
    const answer = await gateway.ask(mode, { models: ['test/n'] });
    expect([answer.status, gateway.alpha.requests.length]).toEqual([429, 3]);
    const { attempts: planned, excluded } = recordOf(
      await gateway.use('POST', '/routing/explain', { model: 'test/m' }),
    );
    expect(planned).toHaveLength(3);
    expect((excluded as Row[]).filter(({ reason }) => reason === 'attempt_cap')).toHaveLength(2);
  });

  it('the deadline covers all attempts together, however many are left', async () => {
    const env = { BYWAY_TOTAL_TIMEOUT_MS: '700' };
    const gateway = await startWithKeys(20, { status: 503, delayMs: 200 }, env);
    const { status, error } = await gateway.ask(mode);
    const tried = error?.metadata?.provider_responses as Row[];
    expect([status, tried.at(-1)?.error]).toEqual([502, 'timeout']);
    expect(tried.length).toBeLessThanOrEqual(4);
    expect(gateway.alpha.requests.length).toBeLessThanOrEqual(4);
    await expectSettled(gateway);
  });

  it('a failing BYOK key is reported with its status, not as a 500', async () => {
    const gateway = await startWithKeys(1, REFUSED);
    const { status, error } = await gateway.ask(mode);
    expect(status).toBe(502);
    expect(error).toMatchObject({
      message: expect.stringContaining('refused the provider key'),
      metadata: {
        reason: 'upstream_credential_refused',
        provider_error: { message: expect.stringContaining('Incorrect API key provided.') },
        provider_responses: [
          { provider: 'alpha', status: 401, error: null, is_byok: true, byok_key_id: expect.any(String) },
        ],
      },
    });
  });
});
