import { expect, it } from 'vitest';
import { playSessions } from '../../support/agent-sessions.js';

/**
 * Which key a session has depends on the random id of the key: of 30 sessions one of three keys gets none, or three quarters, twice
 * in 100,000 runs. Of 12 it was once in 30.
 */
const AGENTS =
  process.env.BYWAY_AGENT_SESSIONS === undefined
    ? { sessions: 30, turns: 16 }
    : { sessions: Number(process.env.BYWAY_AGENT_SESSIONS), turns: 40 };

/** Two keys are enough for all of them, one is not. */
const PER_MINUTE = Math.ceil(AGENTS.sessions * 0.75);

const TIMEOUT_MS = 240_000;

it('one session of 40 turns finds its prompt in the cache of one of three keys at every turn, named or not', async () => {
  for (const isNamed of [true, false]) {
    const one = { sessions: 1, turns: 40, isNamed, keys: 3, machines: 1, perMinute: 10 };
    expect(await playSessions(one)).toEqual({ hits: 1, cached: expect.any(Number), shares: [1], limited: 0 });
  }
});

it('many sessions over three keys: with names each stays at its key, which no key’s limit disturbs', {
  timeout: TIMEOUT_MS,
}, async ({ annotate }) => {
  const over = { ...AGENTS, keys: 3, machines: 1, perMinute: PER_MINUTE };
  const named = await playSessions({ ...over, isNamed: true });
  const unnamed = await playSessions({ ...over, isNamed: false });
  await annotate(JSON.stringify({ named, unnamed }));
  expect(named.hits).toBeGreaterThan(0.97);
  expect(named.shares).toHaveLength(3);
  expect(named.shares[0]).toBeLessThan(0.75);
  expect(unnamed.hits).toBeLessThan(0.75);
  expect(unnamed.limited).toBeGreaterThan(AGENTS.turns / 2);
});

it('one key at a host of four machines: with names each finds the machine where it was', {
  timeout: TIMEOUT_MS,
}, async ({ annotate }) => {
  const at = { ...AGENTS, keys: 1, machines: 4, perMinute: 1_000 };
  const named = await playSessions({ ...at, isNamed: true });
  const unnamed = await playSessions({ ...at, isNamed: false });
  await annotate(JSON.stringify({ named, unnamed }));
  expect(named.hits).toBe(1);
  expect(unnamed.hits).toBeLessThan(0.5);
});
