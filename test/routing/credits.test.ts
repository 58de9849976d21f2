import { describe, expect, it } from 'vitest';
import { plan } from '../../src/routing/plan/plan.js';
import { endpoint, exclusions, input, key, pricing, route } from './contexts.js';

const keys = [key('K', 'a')];

describe('credits', () => {
  const free = endpoint('free', { pricing: pricing('0', '0.0') });
  const gratis = endpoint('gratis', { pricing: pricing('1', '1', { discount: 1 }) });
  const later = endpoint('later', {
    pricing: pricing('0', '0', {
      overrides: [
        { prices: { prompt: '1' }, minPromptTokens: 5, utcStart: null, utcEnd: null, utcDays: null },
      ],
    }),
  });

  it('endpoints whose prices are all 0 need no credits', () => {
    const planned = plan(input([free, gratis, later, endpoint('a')], { hasCredits: false }));
    expect(route(planned)).toEqual(['free shared', 'gratis shared']);
    expect(exclusions(planned)).toEqual(['a/m1: insufficient_credits', 'later/m1: insufficient_credits']);
  });

  it('without credits BYOK endpoints stay usable while the free allowance lasts', () => {
    const without = (hasByokAllowance: boolean) =>
      plan(input([endpoint('a')], { keys, hasCredits: false, hasByokAllowance }));
    expect(route(without(true))).toEqual(['K']);
    expect(exclusions(without(false))).toEqual([
      'a/m1: insufficient_credits',
      'a/m1 + K: insufficient_credits',
    ]);
  });
});
