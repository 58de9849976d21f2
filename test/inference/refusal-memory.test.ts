import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RefusalMemory } from '../../src/inference/attempts/refusal-memory.js';

const HOUR_MS = 3_600_000;

describe('what accounts have met of refusals', () => {
  it('each knows its own for an hour, and all what three have met, until the first of these is an hour old', () => {
    const memory = new RefusalMemory();
    memory.learn('a', 'place', 'seed', 0);
    memory.learn('b', 'place', 'seed', 1_000);
    expect([memory.knownTo('a', 'place', 2_000), memory.knownTo('other', 'place', 2_000)]).toEqual([
      ['seed'],
      [],
    ]);
    memory.learn('c', 'place', 'seed', 2_000);
    expect(memory.knownTo('other', 'place', HOUR_MS - 1)).toEqual(['seed']);
    expect(memory.knownTo('other', 'place', HOUR_MS)).toEqual([]);
    expect([memory.knownTo('a', 'place', HOUR_MS), memory.knownTo('b', 'place', HOUR_MS)]).toEqual([
      [],
      ['seed'],
    ]);
    expect([memory.knownTo('other', 'elsewhere', 0), memory.knownTo('a', 'elsewhere', 0)]).toEqual([[], []]);
  });

  it('is forgotten for all at once, and has then to be met again', () => {
    const memory = new RefusalMemory();
    for (const account of ['a', 'b', 'c']) memory.learn(account, 'place', 'seed', 0);
    memory.forget('place', 'seed');
    expect(['a', 'other'].map((account) => memory.knownTo(account, 'place', 1))).toEqual([[], []]);
    memory.learn('a', 'place', 'seed', 1);
    expect(['a', 'b', 'other'].map((account) => memory.knownTo(account, 'place', 1))).toEqual([
      ['seed'],
      [],
      [],
    ]);
  });

  it('two accounts teach nobody else, whatever they meet and in whatever order', () => {
    const met = fc.tuple(
      fc.constantFrom('a', 'b'),
      fc.constantFrom('p', 'q'),
      fc.constantFrom('seed', 'stop'),
      fc.nat(HOUR_MS),
    );
    fc.assert(
      fc.property(fc.array(met), (all) => {
        const memory = new RefusalMemory();
        let now = 0;
        for (const [account, place, member, passing] of all) {
          now += passing;
          memory.learn(account, place, member, now);
          for (const one of ['p', 'q']) expect(memory.knownTo('other', one, now)).toEqual([]);
        }
      }),
    );
  });

  it('an account that invents names by the thousand loses its own, and nobody else’s', () => {
    const memory = new RefusalMemory();
    for (const account of ['a', 'b']) memory.learn(account, 'place', 'seed', 0);
    for (let n = 0; n < 20_000; n++)
      memory.learn('hostile', n % 2 === 0 ? 'place' : `place ${n}`, `beta ${n}`, 0);
    expect(memory.knownTo('hostile', 'place', 0)).toHaveLength(64);
    expect(memory.metAt('place').length).toBeLessThanOrEqual(65);
    expect(memory.knownTo('a', 'place', 0)).toEqual(['seed']);
    memory.learn('c', 'place', 'seed', 0);
    expect(memory.knownTo('other', 'place', 0)).toEqual(['seed']);
  });
});
