import { describe, expect, it } from 'vitest';
import { isCallableIn, profileAreaOf, regionCovers } from '../../src/catalog/visibility.js';

const bedrock = { adapter: 'amazon-bedrock' } as const;

describe('an inference profile of Bedrock', () => {
  it.each([
    ['by its model id', 'eu.anthropic.claude', null, 'eu'],
    ['by the last part of an ARN', 'arn:aws:bedrock:x:1:inference-profile/us-gov.meta.llama', null, 'us-gov'],
    ['by its model id before its region', 'eu.anthropic.claude', 'us', 'eu'],
    ['by an area as its region', 'anthropic.claude', 'apac', 'apac'],
  ])('is known %s', (_, upstreamModelId, region, area) => {
    expect(profileAreaOf({ upstreamModelId, region }, bedrock)).toBe(area);
  });

  it.each([
    ['no prefix and no region', 'anthropic.claude', null],
    ['a single region', 'anthropic.claude', 'us-west-2'],
    ['a prefix in another part of the id only', 'eu.host/claude', null],
    ['no dot at all', 'eu', null],
  ])('an endpoint with %s is none', (_, upstreamModelId, region) => {
    expect(profileAreaOf({ upstreamModelId, region }, bedrock)).toBeNull();
  });

  it('no other kind of provider has any', () => {
    expect(profileAreaOf({ upstreamModelId: 'eu.model', region: 'eu' }, { adapter: 'openai' })).toBeNull();
  });

  it.each([
    ['us', 'us-west-2', 'us-gov-west-1'],
    ['us-gov', 'us-gov-west-1', 'us-west-2'],
    ['ca', 'ca-central-1', 'us-east-1'],
    ['eu', 'eu-west-3', 'us-east-1'],
    ['apac', 'ap-south-1', 'eu-west-1'],
    ['jp', 'ap-northeast-3', 'eu-west-1'],
    ['au', 'ap-southeast-4', 'eu-west-1'],
  ])('of %s can be called in %s, not in %s', (area, inside, outside) => {
    expect(isCallableIn(area, area)).toBe(true);
    expect(isCallableIn(area, inside)).toBe(true);
    expect(isCallableIn(area, outside)).toBe(false);
    expect(isCallableIn(area, `x-${inside}`)).toBe(false);
  });

  it('of the whole world can be called anywhere', () => {
    expect(isCallableIn('global', 'me-south-1')).toBe(true);
  });
});

it('the region eu covers Europe under every name that providers give it', () => {
  for (const location of ['eu', 'eu-west-1', 'europe', 'europe-west4']) {
    expect(regionCovers('eu', location)).toBe(true);
    expect(regionCovers('us', location)).toBe(false);
  }
});
