import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ByokKey } from '../../src/byok/types.js';
import { sessionOf } from '../../src/formats/session/name.js';
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
    const keys = [key('first', 'a'), key('last', 'a', { isFallback: true })];
    const first = new Set<string>();
    for (const session of SESSIONS) {
      const { attempts } = plan(input(regions, { keys, session }));
      expect(attempts.map(({ key: used }) => used?.id ?? 'shared')).toEqual(
        ['first', 'shared', 'last'].flatMap((id) => [id, id, id]),
      );
      const [one, , , other] = attempts.map(({ region }) => region);
      expect(one).toBe(other);
      first.add(String(one));
    }
    expect(first).toEqual(new Set(['eu', 'us', 'ap']));
  });
});

describe('a session keeps to one of several equal keys of a provider', () => {
  const KEYS = ['k0', 'k1', 'k2', 'k3'].map((id, sortOrder) => key(id, 'a', { sortOrder }));
  const ENDPOINT = [endpoint('a')];
  const keysFor = (session: string | null, keys = KEYS, overrides: InputOverrides = {}) =>
    routeOf(session, ENDPOINT, { ...overrides, keys }).slice(0, keys.length);

  it('the same one each time, whatever order they are read in, and sessions are spread over all of them', () => {
    const favourites = SESSIONS.map((session) => keysFor(session)[0]);
    expect(SESSIONS.map((session) => keysFor(session, KEYS.toReversed())[0])).toEqual(favourites);
    for (const { key: one } of KEYS) {
      expect(favourites.filter((id) => id === one.id).length).toBeGreaterThan(20);
    }
  });

  it('and before shared capacity, with every other key behind it', () => {
    for (const session of SESSIONS) {
      const route = routeOf(session, ENDPOINT, { keys: KEYS });
      expect(route.slice(0, 4).toSorted()).toEqual(['k0', 'k1', 'k2', 'k3']);
      expect(route[4]).toBe('a shared');
    }
  });

  it('a key that is limited, added or deleted moves only its own sessions', () => {
    for (const session of SESSIONS) {
      const [favourite, second] = keysFor(session);
      for (const gone of KEYS.map(({ key: { id } }) => id)) {
        const left = KEYS.filter((one) => one.key.id !== gone);
        const resting = (_: string, id: string | null): EndpointHealth =>
          id === gone ? { state: 'resting', until: 1 } : { state: 'ok' };
        const expected = favourite === gone ? second : favourite;
        expect(keysFor(session, left)[0]).toBe(expected);
        expect(keysFor(session, KEYS, { health: resting })[0]).toBe(expected);
      }
    }
  });

  it('each key with all of its endpoints, of which the session has the same favourite', () => {
    const regions = ['eu', 'us', 'ap'].map((region) => endpoint('a', { region }));
    for (const session of SESSIONS.slice(0, 50)) {
      const { attempts } = plan(input(regions, { keys: KEYS.slice(0, 2), session }));
      const [first, second] = [attempts.slice(0, 3), attempts.slice(3, 6)];
      expect(new Set(first.map(({ key: used }) => used?.id)).size).toBe(1);
      expect(new Set(second.map(({ key: used }) => used?.id)).size).toBe(1);
      expect(first.map(({ region }) => region)).toEqual(second.map(({ region }) => region));
    }
  });

  it('without a name keys are tried by their position', () => {
    expect(keysFor(null)).toEqual(['k0', 'k1', 'k2', 'k3']);
  });

  it.each<[string, Partial<ByokKey>]>([
    ['another section', { isFallback: true }],
    ['another filter of models', { allowedModels: ['m1'] }],
    ['another filter of API keys', { allowedApiKeyHashes: [input([]).caller.apiKeyHash] }],
    ['another filter of members', { allowedUserIds: [input([]).caller.userId] }],
  ])('never over keys with %s', (_, members) => {
    const keys = [key('k0', 'a', { sortOrder: 0 }), key('k1', 'a', { sortOrder: 1, ...members })];
    for (const session of SESSIONS) {
      const route = routeOf(session, ENDPOINT, { keys }).filter((id) => id !== 'a shared');
      expect(route).toEqual(['k0', 'k1']);
    }
  });

  it('filters that say the same in another order are the same', () => {
    const filters = [
      ['m1', 'm2'],
      ['m2', 'm1'],
    ];
    const keys = filters.map((allowedModels, sortOrder) =>
      key(`k${sortOrder}`, 'a', { sortOrder, allowedModels }),
    );
    expect(new Set(SESSIONS.map((session) => keysFor(session, keys)[0]))).toEqual(new Set(['k0', 'k1']));
  });

  it('never over keys whose endpoints cost otherwise, degraded ones or other providers', () => {
    const dear = endpoint('a', { region: 'eu', pricing: pricing('0.1') });
    const cheap = endpoint('a', { region: 'us' });
    const cheapCools = (id: string, used: string | null): EndpointHealth =>
      id === cheap.id && used === 'k0' ? { state: 'cooling', until: 1 } : { state: 'ok' };
    const degraded = [endpoint('a'), endpoint('a', { region: 'eu', status: 'degraded' })];
    const others = [key('k0', 'a'), key('k1', 'b')];
    for (const session of SESSIONS.slice(0, 50)) {
      const priced = plan(input([dear, cheap], { keys: KEYS.slice(0, 2), session, health: cheapCools }));
      expect(priced.attempts.slice(0, 3).map(({ key: used }) => used?.id)).toEqual(['k0', 'k1', 'k1']);
      const { attempts } = plan(input(degraded, { keys: KEYS.slice(0, 2), session }));
      expect(attempts.map(({ endpoint: { status } }) => status).slice(0, 4)).toEqual([
        ...['active', 'active'],
        ...['degraded', 'degraded'],
      ]);
      expect(routeOf(session, [endpoint('a'), endpoint('b')], { keys: others }).slice(0, 2)).toEqual([
        'k0',
        'k1',
      ]);
    }
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

const SESSION_HEADERS = [
  'x-claude-code-session-id',
  'session-id',
  'session_id',
  'x-session-id',
  'x-session-affinity',
];

describe('the name of a session', () => {
  const NO_HEADERS = new Headers();

  it.each(SESSION_HEADERS.map((name, index) => [name, index] as const))(
    'is the header %s, before those after it and any member',
    (_, index) => {
      const named = SESSION_HEADERS.slice(index).map((name): [string, string] => [name, `by-${name}`]);
      expect(sessionOf(new Headers(named), { prompt_cache_key: 'p' })).toBe(`by-${SESSION_HEADERS[index]}`);
    },
  );

  it('else the first member that names a conversation, else who it is of', () => {
    const body = { user: 'u', session_id: 's', prompt_cache_key: 'p', metadata: { user_id: 'm' } };
    expect(sessionOf(NO_HEADERS, body)).toBe('p');
    expect(sessionOf(NO_HEADERS, { ...body, prompt_cache_key: undefined })).toBe('s');
    expect(sessionOf(NO_HEADERS, { user: 'u', metadata: { user_id: 'm' } })).toBe('m');
    expect(sessionOf(NO_HEADERS, { user: 'u' })).toBe('u');
    expect(sessionOf(NO_HEADERS, {})).toBeNull();
  });

  it.each([
    ['{"device_id":"d","account_uuid":"a","session_id":"s-1"}', 's-1'],
    ['user_d_account_a_session_s-1', 's-1'],
    ['user_d_account__session_s-1', 's-1'],
    ['{"device_id":"d","account_uuid":"a","session_id":""}', 'a'],
    ['{"session_id":7}', null],
    ['user_d_account_a', 'user_d_account_a'],
    ['somebody', 'somebody'],
    ['{"broken', '{"broken'],
  ])("of Claude Code's user %s is %s", (user_id, session) => {
    expect(sessionOf(NO_HEADERS, { metadata: { user_id } })).toBe(session);
    expect(sessionOf(NO_HEADERS, { user: user_id })).toBe(session);
  });

  it.each(['', '  ', 7, null, {}, 'x'.repeat(257)])('is not %j', (user) => {
    expect(sessionOf(NO_HEADERS, { user })).toBeNull();
    expect(sessionOf(NO_HEADERS, { session_id: user, user: 'u' })).toBe('u');
    expect(sessionOf(NO_HEADERS, { metadata: { user_id: user }, user: 'u' })).toBe('u');
    if (typeof user === 'string') {
      expect(sessionOf(new Headers({ 'x-session-id': user }), { user: 'u' })).toBe('u');
    }
  });

  it('is what a database can hold, and a header is read as UTF-8', () => {
    expect(sessionOf(NO_HEADERS, { user: 'a\0b\ud800' })).toBe('a\ufffdb\ufffd');
    const latin1 = Buffer.from('größe', 'utf8').toString('latin1');
    expect(sessionOf(new Headers({ 'session-id': latin1 }), {})).toBe('größe');
  });
});
