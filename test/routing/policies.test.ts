import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Credential } from '../../src/byok/credential.js';
import { hiddenReason, UNFILTERED } from '../../src/catalog/visibility.js';
import { regionsCalledWith } from '../../src/routing/called-regions.js';
import { plan } from '../../src/routing/plan.js';
import { endpoint, exclusions, input, key, provider, route } from './situations.js';

const keys = [key('K', 'a')];

describe('spec 4.5.7: data policies', () => {
  const keeps = endpoint('a', { dataPolicy: { zdr: false, dataCollection: true } });

  it.each([
    ['provider.zdr', { preferences: { zdr: true } }, 'data_policy_zdr'],
    ['provider.data_collection: deny', { preferences: { dataCollection: 'deny' } }, 'data_policy_collection'],
    ['the account or a guardrail (zdr)', { policy: { zdr: true } }, 'data_policy_zdr'],
    [
      'the account or a guardrail (collection)',
      { policy: { denyDataCollection: true } },
      'data_policy_collection',
    ],
  ] as const)('a key does not exempt from %s', (_, stated, reason) => {
    const planned = plan(input([keeps], { ...stated, keys }));
    expect(exclusions(planned)).toEqual([`a/m1: ${reason}`, `a/m1 + K: ${reason}`]);
  });

  it('data_collection: allow of a request does not lift what the account denies', () => {
    const planned = plan(
      input([keeps], { policy: { denyDataCollection: true }, preferences: { dataCollection: 'allow' } }),
    );
    expect(planned.attempts).toEqual([]);
  });
});

describe('interface section 4: regions', () => {
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

describe('interface section 7: the region that a credential calls', () => {
  const vertex = (region: string | null): Credential => ({
    adapter: 'google-vertex',
    projectId: 'project',
    clientEmail: 'a@b.c',
    privateKeyId: '1',
    privateKey: generateKeyPairSync('ed25519').privateKey,
    tokenUri: 'https://oauth2.googleapis.com/token',
    region,
    bucket: null,
  });
  const bedrock: Credential = { adapter: 'amazon-bedrock', kind: 'api_key', apiKey: 'k', region: null };
  const openAi: Credential = { adapter: 'openai', apiKey: 'k' };
  const called = (credential: Credential, region: string | null, regions: string[] = []) =>
    regionsCalledWith(credential)(endpoint('a', { region }), provider('a', { regions }));

  it('of a service account is its own, else global, whatever the endpoint says', () => {
    expect(called(vertex(null), 'europe-west4', ['eu'])).toEqual([]);
    expect(called(vertex('global'), 'europe-west4')).toEqual([]);
    expect(called(vertex('us-central1'), 'europe-west4')).toEqual(['us-central1']);
  });

  it("of a bare Bedrock key is the endpoint's, else us-east-1", () => {
    expect(called(bedrock, 'eu-west-1')).toEqual(['eu-west-1']);
    expect(called(bedrock, null)).toEqual(['us-east-1']);
  });

  it("of a key that knows no regions is the endpoint's, else its provider's", () => {
    expect(called(openAi, 'eu-west-1', ['us'])).toEqual(['eu-west-1']);
    expect(called(openAi, null, ['us', 'eu'])).toEqual(['us', 'eu']);
    expect(called(openAi, 'global', ['us'])).toEqual([]);
  });

  it('counts for shared credentials too', () => {
    const e = endpoint('a', { region: 'europe-west4' });
    const sharedProviders = new Map([['a', regionsCalledWith(vertex(null))]]);
    const planned = plan(input([e], { sharedProviders, policy: { region: 'eu' } }));
    expect(exclusions(planned)).toEqual(['a/m1@europe-west4: region']);
  });
});

describe('interface sections 4 and 7: inference profiles of Bedrock', () => {
  const accessKey = (region: string): Credential => ({
    adapter: 'amazon-bedrock',
    kind: 'access_key',
    accessKeyId: 'AKIA',
    secretAccessKey: 's',
    region,
  });
  const apiKey = (region: string | null = null): Credential => ({
    adapter: 'amazon-bedrock',
    kind: 'api_key',
    apiKey: 'k',
    region,
  });
  const bedrock = (members: { regions?: string[] } = {}) =>
    provider('b', { adapter: 'amazon-bedrock', ...members });
  const profile = (upstreamModelId: string, region: string | null = null) =>
    endpoint('b', { upstreamModelId, region });

  const planFor = (
    e: ReturnType<typeof endpoint>,
    credential: Credential,
    region = 'global',
    isShared = false,
  ) => {
    const regionsFor = regionsCalledWith(credential);
    return plan(
      input([e], {
        providers: new Map([['b', bedrock()]]),
        keys: isShared ? [] : [key('K', 'b', {}, { regionsFor })],
        sharedProviders: new Map(isShared ? [['b', regionsFor]] : []),
        policy: { region },
      }),
    );
  };
  const calledBy = (credential: Credential, e: ReturnType<typeof endpoint>, regions: string[] = []) =>
    regionsCalledWith(credential)(e, bedrock({ regions }));

  it.each([
    ['us', 'us-east-1'],
    ['us-gov', 'us-gov-west-1'],
    ['ca', 'ca-central-1'],
    ['eu', 'eu-central-1'],
    ['apac', 'ap-northeast-1'],
    ['jp', 'ap-northeast-1'],
    ['au', 'ap-southeast-2'],
    ['global', 'us-east-1'],
  ])('a profile of %s is called in %s where the credential says nothing', (area, region) => {
    expect(calledBy(apiKey(), profile(`${area}.anthropic.claude`, area))).toEqual([region]);
    expect(calledBy(apiKey(), profile(`${area}.anthropic.claude`))).toEqual([region]);
    expect(calledBy(apiKey(), profile(`arn:aws:bedrock:x:1:inference-profile/${area}.meta.llama`))).toEqual([
      region,
    ]);
    expect(calledBy(apiKey(), profile('anthropic.claude', area))).toEqual([region]);
  });

  it('a region of the credential’s own goes first, then one of the catalogue’s', () => {
    expect(calledBy(accessKey('eu-west-3'), profile('eu.anthropic.claude', 'eu'))).toEqual(['eu-west-3']);
    expect(calledBy(apiKey('eu-west-3'), profile('eu.anthropic.claude', 'eu'))).toEqual(['eu-west-3']);
    expect(calledBy(apiKey(), profile('eu.anthropic.claude', 'eu-north-1'))).toEqual(['eu-north-1']);
    expect(calledBy(apiKey(), profile('meta.llama'), ['eu-west-1', 'eu-west-2'])).toEqual(['eu-west-1']);
    expect(calledBy(accessKey('eu'), profile('meta.llama'))).toEqual(['eu-central-1']);
  });

  it('a credential whose region lies outside the area is of no use with the endpoint (reason region)', () => {
    const e = profile('eu.anthropic.claude', 'eu');
    expect(exclusions(planFor(e, accessKey('us-east-1')))).toContain('b/m1@eu + K: region');
    expect(exclusions(planFor(e, apiKey('us-east-1')))).toContain('b/m1@eu + K: region');
    const shared = planFor(e, accessKey('us-east-1'), 'global', true);
    expect(shared.excluded[0]).toMatchObject({
      reason: 'region',
      detail: 'The shared credential calls us-east-1; the inference profile can be called in eu alone.',
    });
    expect(route(planFor(e, accessKey('eu-west-1')))).toEqual(['K']);
    expect(route(planFor(profile('global.anthropic.claude', 'global'), accessKey('sa-east-1')))).toEqual([
      'K',
    ]);
  });

  it('what is evaluated before regions is reported before it, what comes after is not', () => {
    const outside = { keys: [key('K', 'b', {}, { regionsFor: regionsCalledWith(accessKey('us-east-1')) })] };
    const reasonOf = (members: object, policy: object) =>
      exclusions(
        plan(
          input([{ ...profile('eu.anthropic.claude', 'eu'), ...members }], {
            ...outside,
            providers: new Map([['b', bedrock()]]),
            policy,
          }),
        ),
      ).find((excluded) => excluded.includes('K'));
    expect(reasonOf({ status: 'disabled' }, {})).toBe('b/m1@eu + K: endpoint_disabled');
    expect(reasonOf({}, { guardrailIgnoredModels: ['m1'] })).toBe('b/m1@eu + K: region');
  });

  it('an attempt calls a region, and region policy counts the area in which the data stays', () => {
    const e = profile('eu.anthropic.claude', 'eu');
    expect(planFor(e, accessKey('eu-west-1'), 'eu').attempts).toMatchObject([{ region: 'eu-west-1' }]);
    expect(planFor(e, apiKey(), 'eu').attempts).toMatchObject([{ region: 'eu-central-1' }]);
    const narrow = planFor(e, accessKey('eu-west-1'), 'eu-west-1');
    expect(narrow.excluded.find(({ byokKeyId }) => byokKeyId === 'K')).toMatchObject({
      reason: 'region',
      detail: 'The inference profile runs anywhere in eu; the request must stay in eu-west-1.',
    });
    expect(route(planFor(profile('anthropic.claude'), accessKey('eu-west-1'), 'eu-west-1'))).toEqual(['K']);
  });

  it.each([null, 'eu', 'eu-central-1', 'global'])(
    'a global profile satisfies no region, whatever the catalogue says of it (%s)',
    (region) => {
      const e = profile('global.anthropic.claude', region);
      expect(planFor(e, accessKey('eu-central-1'), 'eu').attempts).toEqual([]);
      expect(planFor(e, apiKey(), 'eu', true).attempts).toEqual([]);
      expect(hiddenReason(e, bedrock({ regions: ['eu'] }), { ...UNFILTERED, region: 'eu' })).toBe('region');
    },
  );

  it('a credential that can’t be used is told of as such', () => {
    const planned = plan(
      input([profile('eu.anthropic.claude', 'eu')], {
        providers: new Map([['b', bedrock()]]),
        keys: [key('K', 'b', {}, { usable: false })],
        sharedProviders: new Map(),
      }),
    );
    expect(exclusions(planned)).toEqual(['b/m1@eu: no_shared_credential', 'b/m1@eu + K: key_unusable']);
  });
});
