import { expect, it } from 'vitest';
import { expectSettled } from '../../../support/money.js';
import type { Answer } from '../../../support/rest.js';
import {
  AT_ONCE,
  accountUnder,
  COST_USD,
  call,
  expectAllPaidFor,
  expectReserved,
  type Kind,
  kinds,
  LIMIT_USD,
  PATIENT,
  patiently,
  SLOW,
  spentUsd,
  startAgents,
  statusesOf,
  together,
  USAGE,
} from './agents.js';

const TIMEOUT_MS = 120_000;

/** Of which some are in flight and at most 100 wait. */
const WITHIN_ROOM = 110;
const IN_FLIGHT = 16;

it.each(kinds(LIMIT_USD))(
  'calls of coding agents at once under $name of 25 USD are all served where answers take 200 ms',
  async (kind) => {
    const gateway = await startAgents({ env: PATIENT });
    gateway.answers({ delayMs: 200 });
    const account = await accountUnder(gateway, kind, LIMIT_USD);
    const answers = await together(WITHIN_ROOM, (at) => call(account.use, at));
    expect(statusesOf(answers)).toEqual({ 200: WITHIN_ROOM });
    expect(await spentUsd(account)).toBeCloseTo(WITHIN_ROOM * COST_USD, 6);
    await expectSettled(gateway);
  },
  TIMEOUT_MS,
);

it(
  '200 of them, of which 100 find room to wait, are all served where those beyond it come again',
  async () => {
    const gateway = await startAgents({ env: PATIENT });
    // Until all have come.
    const first = Array.from({ length: IN_FLIGHT }, () => ({ delayMs: 6_000, usage: USAGE }));
    gateway.host.plan('opus', ...first, { delayMs: 200, usage: USAGE });
    const [kind] = kinds(LIMIT_USD) as [Kind];
    const account = await accountUnder(gateway, kind, LIMIT_USD);
    let refused = 0;
    const onRefused = (answer: Answer) => {
      refused += 1;
      expectReserved(answer);
    };
    const answers = await together(AT_ONCE, (at) => patiently(() => call(account.use, at), { onRefused }));
    expect(refused).toBeGreaterThan(0);
    expect(statusesOf(answers)).toEqual({ 200: AT_ONCE });
    expect(await spentUsd(account)).toBeCloseTo(AT_ONCE * COST_USD, 6);
    await expectSettled(gateway);
  },
  TIMEOUT_MS,
);

it(
  'where answers take longer than they are waited for, what is refused is 429 alone, and who comes again gets all that there is',
  async () => {
    const gateway = await startAgents({ env: { BYWAY_RESERVATION_WAIT_MS: String(SLOW.waitMs) } });
    gateway.answers(SLOW);
    await Promise.all(
      kinds(SLOW.limitUsd).map(async (kind) => {
        const account = await accountUnder(gateway, kind, SLOW.limitUsd);
        await expectAllPaidFor(account, kind, [account.use]);
      }),
    );
    await expectSettled(gateway);
  },
  TIMEOUT_MS,
);
