/** What users of other gateways have reported of budgets and of requests in flight; read on 2026-11-26. */
import { expect, it } from 'vitest';
import { clockAt } from '../../../support/clock.js';
import { setLimit } from '../../../support/limits.js';
import { expectSettled, keyRecord } from '../../../support/money.js';
import { MODES, startProviders, TOKEN_USD } from '../../../support/providers.js';
import { waitFor } from '../../../support/wait-for.js';

const MAX_TOKENS = 1_000;
const RESERVED_USD = MAX_TOKENS * TOKEN_USD.alpha;
const COST_USD = 4 * TOKEN_USD.alpha;

// https://github.com/BerriAI/litellm/pull/30020, https://github.com/BerriAI/litellm/pull/28160
it.each(MODES)('a client that leaves holds nothing of a limit afterwards (%s)', async (mode) => {
  const gateway = await startProviders('shared capacity', {
    env: { BYWAY_RESERVATION_WAIT_MS: '0', BYWAY_ON_DISCONNECT: 'cancel' },
  });
  await setLimit(gateway, { limit: RESERVED_USD });
  for (let round = 1; round <= 3; round += 1) {
    gateway.alpha.plan('m', { delayMs: 1_000 });
    const leaving = new AbortController();
    const left = fetch(`${gateway.rest}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ model: 'test/m', max_tokens: MAX_TOKENS, stream: mode === 'streamed' },
        messages: [{ role: 'user', content: 'Hello' }],
      }),
      signal: leaving.signal,
    }).catch(() => 'left');
    await waitFor(() => expect(gateway.alpha.requests).toHaveLength(2 * round - 1));
    expect((await gateway.chat('test/m', { max_tokens: MAX_TOKENS })).status).toBe(429);
    leaving.abort();
    expect(await left).toBe('left');
    gateway.alpha.plan('m', {});
    await waitFor(async () =>
      expect((await gateway.chat('test/m', { max_tokens: MAX_TOKENS })).status).toBe(200),
    );
  }
  await expectSettled(gateway);
});

// "You requested up to 65536 tokens, but can only afford 6627": https://github.com/pocketpaw/pocketpaw/pull/1953,
// https://github.com/Agenta-AI/agenta/issues/6341
it.each<[string, { readonly credits?: bigint; readonly limit?: number }]>([
  ['a limit', { limit: COST_USD / 2 }],
  ['credits', { credits: 200_000n }],
])('a short answer is served whatever max_tokens is, as long as anything of %s is left', async (_, some) => {
  const { credits, limit } = some;
  const gateway = await startProviders('shared capacity', credits === undefined ? {} : { credits });
  if (limit !== undefined) await setLimit(gateway, { limit });
  for (const more of [{ max_tokens: 4_096 }, {}])
    expect((await gateway.chat('test/m', more)).status).toBe(
      'max_tokens' in more ? 200 : spentStatus(credits),
    );
  expect(await keyRecord(gateway)).toMatchObject({ usage: COST_USD });
});

const spentStatus = (credits: bigint | undefined) => (credits === undefined ? 403 : 402);

// Counters that forget at the turn of a window what is in flight: https://github.com/BerriAI/litellm/pull/32441
it('what is in flight at midnight counts where it began, and is not held against the new day twice', async () => {
  const clock = clockAt('2026-03-04T23:59:59.900Z');
  const gateway = await startProviders('shared capacity', { clock });
  await setLimit(gateway, { limit: RESERVED_USD, limit_reset: 'daily' });
  gateway.alpha.plan('m', { delayMs: 500 }, {});
  const inFlight = gateway.chat('test/m', { max_tokens: MAX_TOKENS });
  await waitFor(() => expect(gateway.alpha.requests).toHaveLength(1));
  clock.set('2026-03-05T00:00:00.100Z');
  const next = gateway.chat('test/m', { max_tokens: MAX_TOKENS });
  expect([(await inFlight).status, (await next).status]).toEqual([200, 200]);
  expect(await keyRecord(gateway)).toMatchObject({ usage: 2 * COST_USD, usage_daily: COST_USD });
  await expectSettled(gateway);
});
