import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairPlaces, type Sharing } from '../../src/base/fair-places.js';

const TWO: Sharing = { admits: ({ taken }) => taken < 2, maxWaiting: 100 };

/** Waits for the account, and notes how that ends. */
function waitFor(places: FairPlaces, account: string, told: string[]) {
  return places.wait(account, {
    granted: () => void told.push(account),
    refused: () => void told.push(`${account} refused`),
  });
}

describe('places that are shared', () => {
  it('go to those who wait account by account, however many wait for one', () => {
    const places = new FairPlaces(TWO);
    expect([places.tryTake('a'), places.tryTake('a'), places.tryTake('a')]).toEqual([true, true, false]);
    const told: string[] = [];
    for (const account of ['a', 'a', 'a', 'b', 'b', 'c']) waitFor(places, account, told);
    places.release('a');
    places.release('a');
    expect(told).toEqual(['a', 'b']);
    for (const account of ['a', 'b', 'c', 'a']) places.release(account);
    expect(told).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
  });

  it('are not taken past others of the same account who wait', () => {
    const places = new FairPlaces({ admits: ({ taken }) => taken < 1, maxWaiting: 100 });
    places.tryTake('a');
    const told: string[] = [];
    waitFor(places, 'b', told);
    expect(places.tryTake('b')).toBe(false);
    places.release('a');
    expect(told).toEqual(['b']);
  });

  it('refuse the latest of whoever has most waiting, so that nobody new is refused for others', () => {
    const places = new FairPlaces({ admits: ({ taken }) => taken < 1, maxWaiting: 3 });
    places.tryTake('a');
    const told: string[] = [];
    for (const account of ['a', 'a', 'a', 'a']) waitFor(places, account, told);
    expect(told).toEqual(['a refused']);
    waitFor(places, 'b', told);
    expect(told).toEqual(['a refused', 'a refused']);
    places.release('a');
    places.release('a');
    expect(told.slice(2)).toEqual(['a', 'b']);
  });

  it('are given to the next when someone stops waiting, and never to who has left', () => {
    const places = new FairPlaces({ admits: ({ held, isAlone }) => isAlone || held < 1, maxWaiting: 10 });
    places.tryTake('a');
    places.tryTake('b');
    const told: string[] = [];
    const leave = waitFor(places, 'a', told);
    waitFor(places, 'b', told);
    leave();
    leave();
    places.release('a');
    expect(told).toEqual(['b']);
    expect(places.tryTake('a')).toBe(true);
  });

  it('remember no more than a few accounts that hold none', () => {
    const places = new FairPlaces(TWO);
    for (let account = 0; account < 10_000; account += 1) {
      places.tryTake(`${account}`);
      places.release(`${account}`);
    }
    expect(places.isIdle).toBe(true);
    expect(places.size).toBeLessThan(100);
  });

  it('come back whatever the order of events: all are free in the end, and nobody waits beside a free one', () => {
    const step = fc.record({ account: fc.constantFrom('a', 'b', 'c', 'd'), act: fc.nat(3) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const places = new FairPlaces({ admits: ({ taken }) => taken < 3, maxWaiting: 5 });
        const held: string[] = [];
        const waiting = new Map<object, () => void>();
        for (const { account, act } of steps) {
          if (act === 0 && held.length > 0) places.release(held.shift() ?? '');
          else if (act === 1 && waiting.size > 0) {
            const [[key, leave] = [{}, () => undefined]] = waiting;
            waiting.delete(key);
            leave();
          } else if (places.tryTake(account)) held.push(account);
          else {
            const key = {};
            let isOver = false;
            const leave = places.wait(account, {
              granted() {
                waiting.delete(key);
                held.push(account);
              },
              refused() {
                isOver = true;
                waiting.delete(key);
              },
            });
            if (!isOver) waiting.set(key, leave);
          }
          expect(held.length).toBeLessThanOrEqual(3);
          expect(waiting.size).toBeLessThanOrEqual(5);
          if (waiting.size > 0) expect(held.length).toBe(3);
        }
        for (const leave of [...waiting.values()]) leave();
        for (const account of held) places.release(account);
        expect(places.isIdle).toBe(true);
      }),
    );
  });
});
