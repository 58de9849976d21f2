import { describe, expect, it } from 'vitest';
import { FairPlaces } from '../../src/base/fair-places.js';
import { SignalSource } from '../../src/base/signal.js';
import {
  HostPlaces,
  hasPlaceAtHost,
  MAX_CONNECTIONS_PER_HOST,
  MAX_WAITING,
  PLACES_PER_HOST,
  SHARED_PLACES,
} from '../../src/providers/http/places.js';

/** Takes as many places as each of the accounts gets, in turns; how many that were. */
function greedy(accounts: readonly string[], maxOfAccount?: number): Record<string, number> {
  const places = new FairPlaces({
    admits: (demand) => hasPlaceAtHost(demand, maxOfAccount),
    maxWaiting: MAX_WAITING,
  });
  const held = Object.fromEntries(accounts.map((account) => [account, 0]));
  for (let isTaken = true; isTaken; ) {
    isTaken = false;
    for (const account of accounts) {
      if (!places.tryTake(account)) continue;
      held[account] = (held[account] ?? 0) + 1;
      isTaken = true;
    }
  }
  return held;
}

const HOST = 'https://host.example';

describe('the places at a host', () => {
  it('are all for an account that is alone', () => {
    expect(greedy(['a'])).toEqual({ a: PLACES_PER_HOST });
    expect(greedy(['a'], 7)).toEqual({ a: 7 });
  });

  it('are at most three quarters for one account where others want some', () => {
    const places = new HostPlaces(undefined);
    places.tryTake({ origin: HOST, accountId: 'b' });
    let taken = 0;
    while (places.tryTake({ origin: HOST, accountId: 'a' })) taken += 1;
    expect(taken).toBe(SHARED_PLACES);
  });

  it.each([1, 2, 3, 5, 10, 15])(
    'leave some to an account that comes new after %i that take all they get',
    (count) => {
      const places = new HostPlaces(undefined);
      const accounts = Array.from({ length: count }, (_, index) => `hostile ${index}`);
      for (const accountId of accounts) while (places.tryTake({ origin: HOST, accountId }));
      expect(places.tryTake({ origin: HOST, accountId: 'new' })).toBe(true);
    },
  );

  it('are about the same for all who take what they get, and never more than there are connections', () => {
    const counts = Object.values(greedy(['a', 'b', 'c', 'd', 'e']));
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    expect(counts.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(MAX_CONNECTIONS_PER_HOST);
  });

  it('are given up by who stops waiting, and hosts without requests are forgotten', async () => {
    const places = new HostPlaces(1);
    for (let host = 0; host < 1_000; host += 1) {
      const place = { origin: `https://${host}.example`, accountId: 'a' };
      const signal = new SignalSource();
      expect(places.tryTake(place)).toBe(true);
      const waited = places.wait(place, signal);
      signal.abort(new Error('left'));
      await expect(waited).rejects.toMatchObject({ error: 'in_flight_limit', isPenalised: false });
      places.release(place);
    }
    expect(places.size).toBeLessThan(100);
  });

  it('have a thousand waiting at most', async () => {
    const places = new HostPlaces(1);
    const place = { origin: HOST, accountId: 'a' };
    places.tryTake(place);
    const ended = Array.from({ length: MAX_WAITING }, () => places.wait(place, new SignalSource()));
    await expect(places.wait(place, new SignalSource())).rejects.toMatchObject({ kind: 'rate_limit' });
    const served = ended.map((waited) => waited.then(() => places.release(place)));
    places.release(place);
    await Promise.all(served);
    expect(places.tryTake(place)).toBe(true);
  });
});
