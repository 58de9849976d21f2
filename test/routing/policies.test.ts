import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Credential } from '../../src/byok/kinds/credential.js';
import type { Endpoint } from '../../src/catalog/types.js';
import { FULL_COVERAGE, regionsCalledWith } from '../../src/routing/plan/model-context.js';
import { plan } from '../../src/routing/plan/plan.js';
import { endpoint, exclusions, type InputOverrides, input, key, provider, route } from './contexts.js';

const keys = [key('K', 'a')];

describe('data policies', () => {
  const collecting = endpoint('a', { dataPolicy: { zdr: false, dataCollection: true } });

  it.each([
    ['provider.zdr', { preferences: { zdr: true } }, 'data_policy_zdr'],
    ['provider.data_collection: deny', { preferences: { dataCollection: 'deny' } }, 'data_policy_collection'],
    ['the account or a guardrail (zdr)', { policy: { zdr: true } }, 'data_policy_zdr'],
    [
      'the account or a guardrail (collection)',
      { policy: { denyDataCollection: true } },
      'data_policy_collection',
    ],
  ] as const)('a key does not exempt from %s', (_, overrides, reason) => {
    const planned = plan(input([collecting], { ...overrides, keys }));
    expect(exclusions(planned)).toEqual([`a/m1: ${reason}`, `a/m1 + K: ${reason}`]);
  });

  it('who demands nothing may be served by an endpoint that retains or collects', () => {
    expect(route(plan(input([collecting], { preferences: { dataCollection: 'allow' } })))).toEqual([
      'a shared',
    ]);
    expect(route(plan(input([collecting])))).toEqual(['a shared']);
  });

  it('a key declared without zero data retention serves every request that does not demand it', () => {
    const declared = [key('K', 'a', { declaredZdr: false })];
    const undemanding = plan(input([endpoint('a')], { keys: declared }));
    expect(route(undemanding)).toEqual(['K', 'a shared']);
    const demanding = plan(input([endpoint('a')], { keys: declared, preferences: { zdr: true } }));
    expect(route(demanding)).toEqual(['a shared']);
    expect(exclusions(demanding)).toEqual(['a/m1 + K: key_not_zdr']);
  });

  it('a key that declares nothing about zero data retention serves what its endpoint may serve', () => {
    const demanding = plan(input([endpoint('a')], { keys, preferences: { zdr: true } }));
    expect(route(demanding)).toEqual(['K', 'a shared']);
  });

  it('data_collection: allow of a request does not lift what the account denies', () => {
    const planned = plan(
      input([collecting], { policy: { denyDataCollection: true }, preferences: { dataCollection: 'allow' } }),
    );
    expect(planned.attempts).toEqual([]);
  });
});

describe('region hosts', () => {
  const within = (region: string, endpointRegion: string | null, providerRegions: string[] = []) => {
    const providers = new Map([['a', provider('a', { regions: providerRegions })]]);
    const e = endpoint('a', { region: endpointRegion });
    return plan(input([e], { providers, policy: { region } })).attempts.length === 1;
  };

  it.each(['eu', 'eu-west-1', 'europe-west4'])('eu covers %s', (region) => {
    expect(within('eu', region)).toBe(true);
  });

  it.each(['us', 'us-east-1'])('us covers %s', (region) => {
    expect(within('us', region)).toBe(true);
  });

  it.each(['us-east-1', 'europa', 'euro', 'eux-1', 'global'])('eu does not cover %s', (region) => {
    expect(within('eu', region)).toBe(false);
  });

  it("an endpoint without a region takes its provider's; without those it satisfies no region", () => {
    expect(within('eu', null, ['eu'])).toBe(true);
    expect(within('eu', null, ['eu', 'europe-west4'])).toBe(true);
    expect(within('eu', null, ['eu', 'us'])).toBe(false);
    expect(within('eu', 'us', ['eu'])).toBe(false);
    expect(within('eu', null)).toBe(false);
    expect(within('global', null)).toBe(true);
  });

  it('with BYOK the region that is really called must satisfy', () => {
    const e = endpoint('a', { region: 'eu-west-1' });
    const abroad = key('abroad', 'a', {}, { regionsFor: () => ['us-east-1'] });
    const anywhere = key('anywhere', 'a', {}, { regionsFor: () => [] });
    const planned = plan(input([e], { keys: [abroad, anywhere], policy: { region: 'eu' } }));
    expect(route(planned)).toEqual(['a shared']);
    expect(exclusions(planned)).toEqual([
      'a/m1@eu-west-1 + abroad: region',
      'a/m1@eu-west-1 + anywhere: region',
    ]);
  });
});

describe('the exclusion for a region says where the calls would go', () => {
  const details = (region: string, own: Endpoint, overrides: InputOverrides) =>
    plan(input([own], { policy: { region }, ...overrides })).excluded.map(({ detail }) => detail);
  const calling = (...regions: string[]) => [key('K', 'a', {}, { regionsFor: () => regions })];

  it('of the endpoint on shared capacity, of the key otherwise', () => {
    expect(details('eu', endpoint('a', { region: 'us-east-1' }), { keys: calling('us-west-2') })).toEqual([
      'The endpoint runs in us-east-1; the request must stay in eu.',
      'The key calls us-west-2; the request must stay in eu.',
    ]);
    expect(details('eu', endpoint('a'), { keys: calling() })).toEqual([
      'The endpoint runs in no region of its own; the request must stay in eu.',
      'The key calls no region of its own; the request must stay in eu.',
    ]);
  });

  it('when a guardrail does not admit the region, that', () => {
    const policy = { region: 'eu', isRegionAdmitted: false };
    const refused = plan(input([endpoint('a', { region: 'eu' })], { policy }));
    expect(refused.excluded.map(({ detail }) => detail)).toEqual([
      'A guardrail does not allow requests through eu.',
    ]);
  });

  it('of an inference profile its area, or the region in which it cannot be called', () => {
    const providers = new Map([['a', provider('a', { adapter: 'amazon-bedrock' })]]);
    const profile = endpoint('a', { upstreamModelId: 'eu.anthropic.claude' });
    const sharedProviders = new Map([['a', { ...FULL_COVERAGE, regionsFor: () => ['us-east-1'] }]]);
    const abroad = { providers, sharedProviders, keys: calling('us-west-2') };
    expect(details('global', profile, abroad)).toEqual([
      'The shared credential calls us-east-1; the inference profile can be called in eu alone.',
      'The key calls us-west-2; the inference profile can be called in eu alone.',
    ]);
    expect(details('us', profile, abroad)).toEqual([
      'The inference profile runs anywhere in eu; the request must stay in us.',
      'The inference profile runs anywhere in eu; the request must stay in us.',
    ]);
    const partly = { providers, sharedProviders: new Map(), keys: calling('eu-west-1', 'us-west-2') };
    expect(details('global', profile, partly)).toContain(
      'The key calls eu-west-1, us-west-2; the inference profile can be called in eu alone.',
    );
  });
});

describe('the region that a credential calls', () => {
  const vertex = (region: string | null): Credential => ({
    adapter: 'google-vertex',
    projectId: 'project',
    clientEmail: 'a@b.c',
    privateKeyId: '1',
    privateKey: generateKeyPairSync('ed25519').privateKey,
    privateKeyBody: 'MC4CAQAwBQYDK2VwBCIEIA',
    tokenUri: 'https://oauth2.googleapis.com/token',
    region,
    bucket: null,
  });
  const bedrock: Credential = { adapter: 'amazon-bedrock', kind: 'api_key', apiKey: 'k', region: null };
  const openAi: Credential = { adapter: 'openai', apiKey: 'k' };
  const called = (credential: Credential, region: string | null, regions: string[] = []) =>
    regionsCalledWith(credential)(endpoint('a', { region }), provider('a', { regions }));

  it('of a service account is its own, else global, regardless of the endpoint', () => {
    expect(called(vertex(null), 'europe-west4', ['eu'])).toEqual([]);
    expect(called(vertex('global'), 'europe-west4')).toEqual([]);
    expect(called(vertex('us-central1'), 'europe-west4')).toEqual(['us-central1']);
  });

  it("of a bare Bedrock key is the endpoint's, else us-east-1", () => {
    expect(called(bedrock, 'eu-west-1')).toEqual(['eu-west-1']);
    expect(called(bedrock, null)).toEqual(['us-east-1']);
  });

  it("of a credential without regions is the endpoint's, else its provider's", () => {
    expect(called(openAi, 'eu-west-1', ['us'])).toEqual(['eu-west-1']);
    expect(called(openAi, null, ['us', 'eu'])).toEqual(['us', 'eu']);
    expect(called(openAi, 'global', ['us'])).toEqual([]);
  });

  it('applies to shared credentials too', () => {
    const e = endpoint('a', { region: 'europe-west4' });
    const sharedProviders = new Map([
      ['a', { ...FULL_COVERAGE, regionsFor: regionsCalledWith(vertex(null)) }],
    ]);
    const planned = plan(input([e], { sharedProviders, policy: { region: 'eu' } }));
    expect(exclusions(planned)).toEqual(['a/m1@europe-west4: region']);
  });
});
