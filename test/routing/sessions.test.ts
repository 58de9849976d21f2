import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sessionOf } from '../../src/formats/session.js';
import { plan } from '../../src/routing/plan/plan.js';
import type { EndpointHealth } from '../../src/routing/types.js';
import { endpoint, type InputOverrides, input, key, pricing, route } from './contexts.js';

const EQUAL = ['a', 'b', 'c', 'd'].map((slug) => endpoint(slug));
const SESSIONS = Array.from({ length: 200 }, (_, index) => `session-${index}`);

function routeOf(session: string | null, endpoints = EQUAL, overrides: InputOverrides = {}): string[] {
  return route(plan(input(endpoints, { ...overrides, session })));
}

describe('a session keeps to one of several equal endpoints', () => {
  it('the same one each time, and sessions are spread over all of them', () => {
    const favourites = SESSIONS.map((session) => routeOf(session)[0]);
    expect(SESSIONS.map((session) => routeOf(session, EQUAL.toReversed())[0])).toEqual(favourites);
    for (const { provider } of EQUAL) {
      expect(favourites.filter((one) => one === `${provider} shared`).length).toBeGreaterThan(20);
    }
  });

  it('also when another one comes or goes', () => {
    for (const session of SESSIONS) {
      const [favourite, ...others] = routeOf(session);
      const without = EQUAL.filter(({ provider }) => `${provider} shared` !== others[0]);
      expect(routeOf(session, without)[0]).toBe(favourite);
    }
  });

  it('and goes to the next of its own while that one is cooling, and back when it is healthy again', () => {
    for (const session of SESSIONS.slice(0, 20)) {
      const [favourite = '', second] = routeOf(session);
      const cooling = (id: string): EndpointHealth =>
        id === `${favourite.split(' ')[0]}/m1` ? { state: 'cooling', until: 1 } : { state: 'ok' };
      const now = routeOf(session, EQUAL, { health: cooling });
      expect([now[0], now.at(-1)]).toEqual([second, favourite]);
      expect(routeOf(session)[0]).toBe(favourite);
    }
  });

  it('is tried with the endpoints of one key as with shared capacity', () => {
    const regions = ['eu', 'us', 'ap'].map((region) => endpoint('a', { region }));
    const keys = [key('first', 'a', { sortOrder: 0 }), key('second', 'a', { sortOrder: 1 })];
    const first = new Set<string>();
    for (const session of SESSIONS) {
      const { attempts } = plan(input(regions, { keys, session }));
      expect(attempts.map(({ key: used }) => used?.id ?? 'shared')).toEqual(
        ['first', 'second', 'shared'].flatMap((id) => [id, id, id]),
      );
      const [one, , , other] = attempts.map(({ region }) => region);
      expect(one).toBe(other);
      first.add(String(one));
    }
    expect(first).toEqual(new Set(['eu', 'us', 'ap']));
  });
});

describe('a session changes nothing between endpoints that are not equal', () => {
  it('of different prices', () => {
    const endpoints = ['a', 'b', 'c'].map((slug, index) =>
      endpoint(slug, { pricing: pricing(`${3 - index}`) }),
    );
    for (const session of SESSIONS.slice(0, 20)) {
      expect(routeOf(session, endpoints)).toEqual(['c shared', 'b shared', 'a shared']);
    }
  });

  it('of requested providers, measured speed, sections or state', () => {
    const degraded = [...EQUAL, endpoint('aa', { status: 'degraded' })];
    const keys = [key('K', 'd'), key('F', 'c', { isFallback: true })];
    const statistics = (id: string) => (id === 'c/m1' ? { tokensPerSecond: 5, latencyMs: 5 } : undefined);
    for (const session of SESSIONS.slice(0, 20)) {
      const ordered = routeOf(session, EQUAL, { preferences: { order: ['c', 'b'] } });
      expect(ordered.slice(0, 2)).toEqual(['c shared', 'b shared']);
      expect(routeOf(session, degraded).at(-1)).toBe('aa shared');
      const sections = routeOf(session, EQUAL, { keys });
      expect([sections[0], sections.at(-1)]).toEqual(['K', 'F']);
      expect(routeOf(session, EQUAL, { preferences: { sort: 'latency' }, statistics })[0]).toBe('c shared');
    }
  });

  it('and without one the order is by slug', () => {
    expect(routeOf(null)).toEqual(['a shared', 'b shared', 'c shared', 'd shared']);
  });

  it('which all stay attempts, whatever its name', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 256 }), (session) => {
        expect(routeOf(session).toSorted()).toEqual(routeOf(null));
      }),
    );
  });
});

describe('the name of a session', () => {
  it("is Claude Code's, else the first member that names a conversation, else who it is of", () => {
    const body = { user: 'u', session_id: 's', prompt_cache_key: 'p' };
    expect(sessionOf('header', body)).toBe('header');
    expect(sessionOf(null, body)).toBe('p');
    expect(sessionOf(null, { user: 'u', session_id: 's' })).toBe('s');
    expect(sessionOf(null, { user: 'u' })).toBe('u');
    expect(sessionOf(null, {})).toBeNull();
  });

  it.each(['', '  ', 7, null, {}, 'x'.repeat(257)])('is not %j', (user) => {
    expect(sessionOf(null, { user })).toBeNull();
    expect(sessionOf(null, { session_id: user, user: 'u' })).toBe('u');
  });
});
