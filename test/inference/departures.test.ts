import { expect, it, vi } from 'vitest';
import {
  Departures,
  MAX_FINISHING,
  MAX_FINISHING_OF_ACCOUNT,
  MAX_FINISHING_OF_KEY,
} from '../../src/inference/leaving/departures.js';
import { FastestRates, UNMEASURED_TOKENS_PER_SECOND } from '../../src/routing/health/fastest-rates.js';
import { clockAt } from '../support/clock.js';
import { waitFor } from '../support/wait-for.js';

const owner = (account: number, key: number) => ({
  accountId: `${account}`,
  apiKeyHash: `${account}-${key}`,
});
const forEver = { usableUntil: async () => Number.POSITIVE_INFINITY, clock: clockAt(0) };

it('finishes 200 answers of a process, 20 of an account and 10 of an API key; a place that is given back is taken again', () => {
  const departures = new Departures(forEver);
  const cut = vi.fn();
  const places = Array.from({ length: MAX_FINISHING_OF_KEY }, () => departures.enter(owner(0, 0), cut));
  expect(places).not.toContain(undefined);
  expect(departures.enter(owner(0, 0), cut)).toBeUndefined();
  for (let taken = MAX_FINISHING_OF_KEY; taken < MAX_FINISHING_OF_ACCOUNT; taken++)
    expect(departures.enter(owner(0, 1), cut)).toBeDefined();
  expect(departures.enter(owner(0, 2), cut)).toBeUndefined();
  for (let taken = MAX_FINISHING_OF_ACCOUNT; taken < MAX_FINISHING; taken++)
    expect(departures.enter(owner(taken, 0), cut)).toBeDefined();
  expect(departures.size).toBe(200);
  expect(departures.enter(owner(-1, 0), cut)).toBeUndefined();
  places[0]?.();
  places[0]?.();
  expect(departures.size).toBe(199);
  expect(departures.enter(owner(0, 0), cut)).toBeDefined();
  expect(departures.enter(owner(-1, 0), cut)).toBeUndefined();
  expect(cut).not.toHaveBeenCalled();
});

it('cuts what is finished of an API key that may not be used any more, and of no other', async () => {
  const until = new Map([['0-0', Number.POSITIVE_INFINITY]]);
  const departures = new Departures({
    usableUntil: async (hash) => until.get(hash) ?? Number.POSITIVE_INFINITY,
    clock: clockAt(1_000),
  });
  const [cut, other] = [vi.fn(), vi.fn()];
  departures.enter(owner(0, 0), cut);
  departures.enter(owner(0, 1), other);
  until.set('0-0', 1_000);
  departures.recheck();
  await waitFor(() => expect(cut).toHaveBeenCalled());
  expect(other).not.toHaveBeenCalled();
});

it('a rate is the fastest whole answer of the last one to two hours, by endpoint and key', () => {
  const clock = clockAt(0);
  const rates = new FastestRates(clock);
  const shared = { endpointId: 'e', byokKeyId: null };
  expect(rates.of(shared)).toBe(UNMEASURED_TOKENS_PER_SECOND);
  rates.record({ ...shared, totalMs: 10, completionTokens: 20 });
  expect(rates.of(shared)).toBe(UNMEASURED_TOKENS_PER_SECOND);
  rates.record({ ...shared, totalMs: 1_000, completionTokens: 100 });
  rates.record({ ...shared, totalMs: 1_000, completionTokens: 80 });
  expect(rates.of(shared)).toBe(100);
  expect(rates.of({ ...shared, byokKeyId: 'k' })).toBe(UNMEASURED_TOKENS_PER_SECOND);
  clock.set(3_600_000);
  expect(rates.of(shared)).toBe(100);
  clock.set(7_200_000);
  expect(rates.of(shared)).toBe(UNMEASURED_TOKENS_PER_SECOND);
});
