import { expect, it } from 'vitest';
import { setLimit } from '../../support/limits.js';
import { expectSettled } from '../../support/money.js';
import { attempts, generation, hear, startProviders, TOKEN_USD } from '../../support/providers.js';
import type { Row } from '../../support/rest.js';
import { waitFor } from '../../support/wait-for.js';

const MAX_TOKENS = 1_000;
const ALPHA_USD = MAX_TOKENS * TOKEN_USD.alpha;
const FAILS = { status: 500, body: { error: { message: 'broken' } } };

it('what a request reserves is for its first attempt, and is raised for a dearer one where others leave enough', async () => {
  const gateway = await startProviders('shared capacity');
  await setLimit(gateway, { limit: ALPHA_USD });
  gateway.alpha.plan('m', FAILS);
  const served = hear(await gateway.chat('test/m', { max_tokens: MAX_TOKENS }));
  expect(await attempts(gateway, served)).toEqual(['alpha 500 null', 'beta 200 null']);
  await expectSettled(gateway);
});

it('a dearer attempt that others leave too little for is not made, and the record counts it', async () => {
  const gateway = await startProviders('shared capacity');
  await setLimit(gateway, { limit: 0.15 });
  gateway.alpha.plan('m', { ...FAILS, delayMs: 500 }, { delayMs: 2_000 });
  const failing = gateway.chat('test/m', { max_tokens: MAX_TOKENS });
  await waitFor(() => expect(gateway.alpha.requests).toHaveLength(1));
  const holding = gateway.chat('test/m', { max_tokens: 2 * MAX_TOKENS });
  await waitFor(() => expect(gateway.alpha.requests).toHaveLength(2));
  const failed = hear(await failing);
  expect([failed.status, gateway.beta.requests.length]).toEqual([502, 0]);
  const record: Row = await generation(gateway, failed);
  expect(record.excluded_counts).toEqual({ insufficient_reservation: 1 });
  expect((await holding).status).toBe(200);
  await expectSettled(gateway);
});
