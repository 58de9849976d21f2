import { describe, expect, it } from 'vitest';
import { expectSettled } from '../support/money.js';
import { attempts, CAPACITIES, expectAnswerFrom, FEW_CASES, startProviders } from '../support/providers.js';
import { waitFor } from '../support/wait-for.js';

/** Timeouts short enough for a test, each far from all other durations. */
const HASTY = { env: { BYWAY_FIRST_BYTE_TIMEOUT_MS: '700', BYWAY_FIRST_TOKEN_TIMEOUT_MS: '1500' } };

describe.each(CAPACITIES)('fault table: nothing comes of a stream over %s', (capacity) => {
  it('silence: after the first-byte timeout the next one serves, and the silent one is aborted', async () => {
    const gateway = await startProviders(capacity, HASTY);
    gateway.alpha.plan('m', { delayMs: 120_000 });
    const heard = await gateway.ask('streamed');
    expectAnswerFrom(heard, 'beta');
    expect(await attempts(gateway, heard)).toEqual(['alpha null timeout', 'beta 200 null']);
    await waitFor(() => expect(gateway.alpha.aborts).toBe(1));
  });

  it.each([
    ['the operator’s default', HASTY, {}],
    ['the request’s own', {}, { provider: { timeouts_ms: { first_token: 700 } } }],
  ])('first token late: %s first-token timeout, then the next one serves', async (_, options, more) => {
    const gateway = await startProviders(capacity, options);
    gateway.alpha.plan('m', { stallAfter: 1 });
    const heard = await gateway.ask('streamed', more);
    expectAnswerFrom(heard, 'beta');
    expect(await attempts(gateway, heard)).toEqual(['alpha 200 timeout', 'beta 200 null']);
    await waitFor(() => expect(gateway.alpha.aborts).toBe(1));
  });
});

describe.each(FEW_CASES)('fault table: nothing comes, $mode over $capacity', ({ capacity, mode }) => {
  it('silence everywhere: the total deadline bounds the whole request', async () => {
    const gateway = await startProviders(capacity, { env: { BYWAY_TOTAL_TIMEOUT_MS: '700' } });
    for (const fake of [gateway.alpha, gateway.beta]) fake.plan('m', { delayMs: 120_000 });
    const { status, error } = await gateway.ask(mode);
    expect([status, error?.metadata?.provider_responses]).toMatchObject([
      502,
      [{ provider: 'alpha', error: 'timeout' }],
    ]);
    expect(gateway.beta.requests).toHaveLength(0);
    await expectSettled(gateway);
  });
});
