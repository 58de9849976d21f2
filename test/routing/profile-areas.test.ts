import { describe, expect, it } from 'vitest';
import type { Credential } from '../../src/byok/kinds/credential.js';
import { hiddenReason, UNFILTERED } from '../../src/catalog/visibility.js';
import { FULL_COVERAGE, regionsCalledWith } from '../../src/routing/plan/model-context.js';
import { plan } from '../../src/routing/plan/plan.js';
import { endpoint, exclusions, input, key, provider, route } from './contexts.js';

describe('inference profiles of Amazon Bedrock', () => {
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
        sharedProviders: new Map(isShared ? [['b', { ...FULL_COVERAGE, regionsFor }]] : []),
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
  ])('a profile of %s is called in %s where the credential names no region', (area, region) => {
    expect(calledBy(apiKey(), profile(`${area}.anthropic.claude`, area))).toEqual([region]);
    expect(calledBy(apiKey(), profile(`${area}.anthropic.claude`))).toEqual([region]);
    expect(calledBy(apiKey(), profile(`arn:aws:bedrock:x:1:inference-profile/${area}.meta.llama`))).toEqual([
      region,
    ]);
    expect(calledBy(apiKey(), profile('anthropic.claude', area))).toEqual([region]);
  });

  it('the credential’s region takes precedence, then the catalogue’s', () => {
    expect(calledBy(accessKey('eu-west-3'), profile('eu.anthropic.claude', 'eu'))).toEqual(['eu-west-3']);
    expect(calledBy(apiKey('eu-west-3'), profile('eu.anthropic.claude', 'eu'))).toEqual(['eu-west-3']);
    expect(calledBy(apiKey(), profile('eu.anthropic.claude', 'eu-north-1'))).toEqual(['eu-north-1']);
    expect(calledBy(apiKey(), profile('meta.llama'), ['eu-west-1', 'eu-west-2'])).toEqual(['eu-west-1']);
    expect(calledBy(accessKey('eu'), profile('meta.llama'))).toEqual(['eu-central-1']);
  });

  it('a credential whose region lies outside the area can’t be used with the endpoint (reason region)', () => {
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

  it('an attempt calls a region, and region policy judges the area in which the data stays', () => {
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
    'a global profile satisfies no region, whichever the catalogue gives it (%s)',
    (region) => {
      const e = profile('global.anthropic.claude', region);
      expect(planFor(e, accessKey('eu-central-1'), 'eu').attempts).toEqual([]);
      expect(planFor(e, apiKey(), 'eu', true).attempts).toEqual([]);
      expect(hiddenReason(e, bedrock({ regions: ['eu'] }), { ...UNFILTERED, region: 'eu' })).toBe('region');
    },
  );

  it('a credential that can’t be used is reported as such', () => {
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
