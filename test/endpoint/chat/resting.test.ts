import { describe, expect, it } from 'vitest';
import { clockAt } from '../../support/clock.js';
import { MODES, startProviders } from '../../support/providers.js';
import { recordOf } from '../../support/rest.js';

const START = Date.UTC(2026, 0, 5);
const WAIT_20 = { status: 429, headers: { 'retry-after': '20' } };

describe('F18: a provider that says how long to wait is not asked before', () => {
  it.each(MODES)('the only way is 429 with the rest of the time: %s', async (mode) => {
    const clock = clockAt(START);
    const gateway = await startProviders('BYOK keys', { clock });
    gateway.alpha.plan('m', WAIT_20, {});
    const only = { provider: { only: ['alpha'] } };
    const first = await gateway.ask(mode, only);
    expect([first.status, first.headers['retry-after']]).toEqual([429, '20']);
    clock.advance(5_000);
    const second = await gateway.ask(mode, only);
    expect([second.status, second.headers['retry-after']]).toEqual([429, '15']);
    expect(second.error?.metadata).toMatchObject({ provider_responses: [] });
    expect(gateway.alpha.requests).toHaveLength(1);
    clock.advance(15_000);
    expect((await gateway.ask(mode, only)).status).toBe(200);
    expect(gateway.alpha.requests).toHaveLength(2);
  });

  it('others are tried before it, and it last of all', async () => {
    const clock = clockAt(START);
    const gateway = await startProviders('shared capacity', { clock });
    gateway.alpha.plan('m', WAIT_20, {});
    expect((await gateway.ask('in one piece')).provider).toBe('beta');
    expect((await gateway.ask('in one piece')).provider).toBe('beta');
    expect(gateway.alpha.requests).toHaveLength(1);
    gateway.beta.plan('m', { status: 500 });
    expect((await gateway.ask('in one piece')).provider).toBe('alpha');
  });

  it('the next model is tried before it', async () => {
    const gateway = await startProviders('shared capacity', { clock: clockAt(START) });
    for (const fake of [gateway.alpha, gateway.beta]) fake.plan('m', WAIT_20, {});
    expect((await gateway.ask('in one piece')).status).toBe(429);
    const answer = await gateway.ask('in one piece', { models: ['test/n'] });
    expect([answer.status, answer.model]).toEqual([200, 'test/n']);
    expect(gateway.alpha.requests).toHaveLength(2);
  });

  it('a longer wait than a minute is cut, and the explanation shows it', async () => {
    const gateway = await startProviders('shared capacity', { clock: clockAt(START) });
    gateway.alpha.plan('m', { status: 429, headers: { 'retry-after': '86400' } });
    await gateway.ask('in one piece');
    const route = recordOf(await gateway.use('POST', '/routing/explain', { model: 'test/m' }));
    expect(route.attempts).toMatchObject([
      { provider: 'beta', health: { state: 'ok', until: null } },
      { provider: 'alpha', health: { state: 'resting', until: '2026-01-05T00:01:00.000Z' } },
    ]);
  });
});

describe('F3: an endpoint that says it can’t answer such requests', () => {
  it('is tried last for a while', async () => {
    const clock = clockAt(START);
    const gateway = await startProviders('shared capacity', { clock });
    const message = 'This model is only supported in v1/responses and not in v1/chat/completions.';
    gateway.alpha.plan('m', { status: 404, body: { error: { message } } });
    for (let count = 0; count < 3; count++) await gateway.ask('in one piece');
    expect([gateway.alpha.requests.length, gateway.beta.requests.length]).toEqual([1, 3]);
    clock.advance(10 * 60_000);
    await gateway.ask('in one piece');
    expect(gateway.alpha.requests).toHaveLength(2);
  });
});
