import { describe, expect, it } from 'vitest';
import { plan, planFallbackChain, wholeChain } from '../../src/routing/plan/plan.js';
import { remedies } from '../../src/routing/remedies/remedies.js';
import { explain } from '../../src/routing/router/explain.js';
import type { RoutableKey } from '../../src/routing/types.js';
import { endpoint, input, key, wholeChainOf } from './contexts.js';

const KEYS = 1_000;
const CALLER = { apiKeyHash: 'hash-7', userId: 'user-7', workspaceId: 'workspace' };

/** One key for each API key, as a platform stores those of its customers. */
function ofCustomers(routable: (index: number) => Partial<Omit<RoutableKey, 'key'>> = () => ({})) {
  return Array.from({ length: KEYS }, (_, index) =>
    key(
      `k${String(index).padStart(4, '0')}`,
      'a',
      { allowedApiKeyHashes: [`hash-${index}`], sortOrder: index },
      routable(index),
    ),
  );
}

/** A credential that must not be opened. */
const SEALED: Partial<Omit<RoutableKey, 'key'>> = {
  regionsFor: () => {
    throw new Error('opened');
  },
  servesModel: () => {
    throw new Error('opened');
  },
};

describe('with a key of one provider for each of a thousand API keys', () => {
  it('the attempts of a caller are found without opening the credential of another', () => {
    const keys = ofCustomers((index) => (index === 7 ? {} : SEALED));
    const { model, ...given } = input([endpoint('a'), endpoint('b')], { caller: CALLER, keys });
    const { attempts } = planFallbackChain([model], given);
    expect(attempts.map((one) => one.key?.id ?? one.endpoint.provider)).toEqual(['k0007', 'a', 'b']);
  });

  it.each([
    ['a key for one member', { allowedUserIds: ['user-7'] }, { allowedUserIds: ['user-8'] }],
    ['a key for anybody', {}, { disabled: true }],
    [
      'a key for an API key of one member',
      { allowedApiKeyHashes: ['hash-7'], allowedUserIds: ['user-7'] },
      { allowedApiKeyHashes: ['hash-7'], allowedUserIds: ['user-8'] },
    ],
  ])('%s stands among them where it was put', (_, admitted, refused) => {
    const [first, second] = [key('first', 'a', admitted), key('second', 'a', refused)];
    const given = input([endpoint('a')], { caller: CALLER, keys: [first, second, ...ofCustomers()] });
    expect(plan(given).attempts.map((one) => one.key?.id ?? 'shared')).toEqual(['first', 'k0007', 'shared']);
  });

  it('each key is excluded with its reason all the same, and what the request refuses comes first', () => {
    const given = input([endpoint('a')], { caller: CALLER, keys: ofCustomers() });
    const { excluded } = plan(given);
    expect(excluded).toHaveLength(KEYS - 1);
    expect(new Set(excluded.map(({ reason }) => reason))).toEqual(new Set(['key_api_key_filter']));
    expect(excluded.map(({ byokKeyId }) => byokKeyId)).toEqual(
      excluded.map(({ byokKeyId }) => byokKeyId).toSorted(),
    );
    const ignoring = plan({ ...given, preferences: { ...given.preferences, ignore: ['a'] } });
    expect(ignoring.attempts).toEqual([]);
    expect(ignoring.excluded.map(({ reason }) => reason)).toEqual(Array(KEYS + 1).fill('request_ignore'));
  });

  it('who asks why they are excluded may be interrupted before each key and endpoint', () => {
    const { model, ...given } = input([endpoint('a'), endpoint('b')], {
      caller: CALLER,
      keys: ofCustomers(),
    });
    const steps = wholeChain(planFallbackChain([model], given));
    let interruptions = 0;
    while (steps.next().done !== true) interruptions++;
    expect(interruptions).toBeGreaterThanOrEqual(2 * (KEYS - 1));
  });

  it('a refusal of more exclusions than a call has arguments is made all the same', () => {
    const endpoints = Array.from({ length: 150 }, (_, at) => endpoint('a', { id: `a/m1@${at}` }));
    const { model, ...given } = input(endpoints, { caller: CALLER, keys: ofCustomers().slice(8) });
    const chain = wholeChainOf([model], { ...given, hasCredits: false, hasByokAllowance: false });
    expect(remedies(chain, { workspaceName: null, baseUrl: '' })).toContain('credits');
  });

  it('an explanation lists the first 200 exclusions and counts all', () => {
    const { model, ...given } = input([endpoint('a'), endpoint('b')], {
      caller: CALLER,
      keys: ofCustomers(),
      hasCredits: false,
    });
    const chain = wholeChainOf([model], given);
    const { excluded, excludedCounts } = explain(chain, 'chat');
    expect(excluded).toEqual(
      chain.plans[0]?.plan.excluded.slice(0, 200).map((one) => ({ ...one, model: 'm1' })),
    );
    expect(excludedCounts).toEqual({ key_api_key_filter: KEYS - 1, insufficient_credits: 2 });
  });
});
