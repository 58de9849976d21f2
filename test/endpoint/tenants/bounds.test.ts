/** Parts that accounts share, at the bounds that they have: an ordinary account beside one that has filled them. */
import { create } from '@bufbuild/protobuf';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ListModelsResponseSchema } from '../../../gen/byway/v1/models_pb.js';
import { systemClock } from '../../../src/base/clock.js';
import type { VertexCredential } from '../../../src/byok/kinds/google-vertex.js';
import { Redactor } from '../../../src/byok/redaction/redactor.js';
import { createAuthenticator } from '../../../src/identity/authenticate.js';
import { FailedAttempts } from '../../../src/identity/failed-attempts.js';
import { createRateLimiter } from '../../../src/identity/rate-limit.js';
import { CallRateLimiter } from '../../../src/inference/counting/call-rate-limiter.js';
import { subjects } from '../../../src/ledger/payer.js';
import { AccessTokens } from '../../../src/providers/google-vertex/host/token.js';
import { createHttp } from '../../../src/providers/http/http.js';
import { AnswerCache } from '../../../src/rest/answer-cache.js';
import { candidatesOf } from '../../../src/routing/plan/candidates.js';
import { noPreferences } from '../../../src/routing/plan/preferences.js';
import { cacheCandidates } from '../../../src/routing/router/route-cache.js';
import { credentialOf, vertexProvider } from '../../providers/google-vertex/adapter.fixture.js';
import { endpoint, input, key, model } from '../../routing/contexts.js';
import {
  byokCharge,
  keyLimit,
  ledgerViolations,
  MINUTE_MS,
  NOW,
  openLedgerStores,
  PAYER,
  reservedSums,
  spendRequest,
  unsettledGeneration,
} from '../../store/spending.js';
import { DATABASE_KINDS, withDatabase } from '../../support/database.js';
import { startFakeVertex } from '../../support/fakes/fake-vertex.js';
import { TENANCY } from '../../support/tenancy.js';

/** More than every table that is bounded by 10,000 entries has. */
const TEN_THOUSAND_AND_MORE = 10_500;

function indices(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

it('70,000 credentials of one account leave another its own, for one more look-up', async () => {
  const looked: string[] = [];
  const { authenticate } = createAuthenticator({
    async findCredential(_, keyHash) {
      looked.push(keyHash);
      const accountId = keyHash === looked[0] ? 'ordinary' : 'hostile';
      const caller = { kind: 'api_key', accountId, workspaceId: 'w', keyHash, userId: 'u' } as const;
      const principal = {
        ...caller,
        plan: 'pay_as_you_go',
        limit: null,
        endUsers: null,
        cacheTtl: null,
      } as const;
      return { principal, disabled: false, isClosed: false, expiresAt: null };
    },
    onCredentialChange: () => undefined,
  });
  const login = (index: number) =>
    authenticate(`Bearer bw-v1-${index.toString(16).padStart(64, '0')}`, NOW, () => '192.0.2.1');
  const own = await login(0);
  for (const index of indices(70_000)) await login(index + 1);
  const lookedBefore = looked.length;
  expect(await login(0)).toEqual(own);
  expect(own).toMatchObject({ accountId: 'ordinary' });
  expect(looked.length).toBe(lookedBefore + 1);
});

describe('buckets and windows beyond their number', () => {
  it('refuse nobody a call of administration, and give each key no more than its own', async () => {
    const limiter = createRateLimiter(2);
    const allowed = async (name: string) => (await limiter.take(name, NOW)).isAllowed;
    expect([await allowed('own'), await allowed('own'), await allowed('own')]).toEqual([true, true, false]);
    for (const index of indices(TEN_THOUSAND_AND_MORE)) expect(await allowed(`hostile ${index}`)).toBe(true);
    expect([await allowed('own'), await allowed('own'), await allowed('own')]).toEqual([true, true, false]);
  });

  it('refuse no address for the failed attempts of others', () => {
    const failed = new FailedAttempts(1);
    for (const index of indices(TEN_THOUSAND_AND_MORE)) {
      for (let attempt = 0; attempt < 3; attempt += 1) failed.count(`hostile ${index}`, NOW);
    }
    expect(() => failed.check('own', NOW)).not.toThrow();
    expect(() => failed.check(`hostile ${TEN_THOUSAND_AND_MORE - 1}`, NOW)).toThrow('Too many');
  });

  it('refuse no key a count', () => {
    const window = new CallRateLimiter(1);
    expect([window.take('own', NOW), window.take('own', NOW)]).toEqual([true, false]);
    for (const index of indices(TEN_THOUSAND_AND_MORE))
      expect(window.take(`hostile ${index}`, NOW)).toBe(true);
    expect([window.take('own', NOW), window.take('own', NOW)]).toEqual([true, false]);
  });
});

it('routes of one account that fill the cache leave another the candidates of its own policy and keys', () => {
  const caching = cacheCandidates(40);
  const endpoints = [endpoint('a'), endpoint('b')];
  const own = input(endpoints, { keys: [key('own', 'a')], policy: { preferenceAllowedProviders: ['a'] } });
  const expected = candidatesOf(own.model, own, noPreferences);
  const hostile = { ...input(endpoints, { keys: [key('hostile', 'b')] }), policy: own.policy };
  for (const index of indices(100)) {
    const caller = { ...hostile.caller, workspaceId: `hostile ${index}` };
    const its = { ...hostile, caller, model: index % 2 === 0 ? own.model : model(endpoints) };
    expect(caching(its.model, its, noPreferences)).toEqual(candidatesOf(its.model, its, noPreferences));
    expect(caching(own.model, own, noPreferences)).toEqual(expected);
  }
});

it('lists of one account that fill the cache of bytes leave another the bytes of its own', () => {
  const cache = new AnswerCache(10_000);
  const list = (totalCount: number) => create(ListModelsResponseSchema, { totalCount });
  const renderer = {
    contentType: 'text/plain',
    serialize: (message: object) => `${JSON.stringify(message, ['totalCount'])}`.padEnd(1_000),
  };
  const own = list(1);
  for (const index of indices(100)) {
    cache.rendered(list(index + 2), renderer);
    expect(cache.rendered(own, renderer).bytes.toString().trim()).toBe('{"totalCount":1}');
    expect(cache.bytes).toBeLessThanOrEqual(10_000);
  }
});

it('matchers of secrets that one account fills the memory with hide those of another', () => {
  const secretOf = (name: string) => `sk-${name}-`.padEnd(60, 'f0e1d2');
  const told = (apiKey: string, about: string) =>
    Redactor.of({ adapter: 'openai', apiKey }).member(`No access with ${about}, really`);
  const own = { adapter: 'openai', apiKey: secretOf('own') } as const;
  const ownTold = () => Redactor.of(own).member(`No access with ${own.apiKey}, really`);
  expect(ownTold()).toBe('No access with [credential], really');
  for (const index of indices(4_000)) {
    const secret = secretOf(`hostile-${index}`);
    expect(told(secret, secret)).toBe('No access with [credential], really');
  }
  expect(ownTold()).toBe('No access with [credential], really');
});

it('more accounts of Google than tokens are kept for leave another one its token, fetched once more', async () => {
  const fake = await startFakeVertex();
  const http = createHttp();
  onTestFinished(() => http.close());
  const tokens = new AccessTokens({ http, guardedHttp: http, clock: systemClock });
  const provider = vertexProvider(fake.origin);
  const own = credentialOf(fake.serviceAccount());
  const grant = () => tokens.grant(own, provider, { signal: new AbortController().signal, tenancy: TENANCY });
  await grant();
  expect((await grant()).wasCached).toBe(true);
  for (const index of indices(TEN_THOUSAND_AND_MORE)) {
    const hostile: VertexCredential = Object.create(own, { clientEmail: { value: `hostile-${index}@x.y` } });
    tokens.redactor(hostile, provider);
  }
  expect(await grant()).toMatchObject({ wasCached: false, token: { text: fake.tokens[1] } });
});

describe.each(DATABASE_KINDS)('the ledger on %s', (kind) => {
  it('counts for an account what it spends and reserves, however many balances and reservations another has', {
    timeout: 120_000,
  }, async () => {
    const stores = openLedgerStores(await withDatabase(kind));
    const { database, ledger, generations } = stores;
    const limits = [keyLimit(25n)];
    const reserve = (id: string) => ledger.reserve(id, spendRequest({ limits }), NOW + MINUTE_MS);
    expect(await reserve('own 1')).toMatchObject({ kind: 'admitted' });
    expect(await reserve('own 2')).toMatchObject({ kind: 'admitted' });
    const hostile = (index: number) => {
      const payer = { ...PAYER, accountId: 'hostile', workspaceId: 'h', apiKeyHash: `hostile ${index}` };
      const subject = subjects.key(payer.apiKeyHash);
      return spendRequest({
        payer,
        limits: [1, 2, 3, 4, 5].map((n) => keyLimit(50n, { subject: `${subject}${n}` })),
      });
    };
    for (let first = 0; first < TEN_THOUSAND_AND_MORE; first += 256) {
      const some = indices(256).map((index) => first + index);
      const admitted = await Promise.all(
        some.map((index) => ledger.reserve(`hostile ${index}`, hostile(index), NOW + MINUTE_MS)),
      );
      expect(new Set(admitted.map(({ kind }) => kind))).toEqual(new Set(['admitted']));
    }
    expect(await reserve('own 3')).toMatchObject({ kind: 'admitted' });
    expect(await reserve('own 4')).toMatchObject({ kind: 'held', held: { limitNanoUsd: 25n } });
    for (const id of ['own 1', 'own 2', 'own 3']) {
      await generations.settle(unsettledGeneration(id, { byokKeyId: 'b' }), byokCharge(7n));
    }
    expect(await reservedSums(stores)).toEqual({});
    expect(await reserve('own 5')).toMatchObject({ kind: 'admitted' });
    expect(await ledgerViolations(database)).toEqual([]);
  });
});
