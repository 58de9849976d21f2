import { describe, expect, test } from 'vitest';
import { ACCESS_KEY, shortTermBedrockKey } from './credentials.fixture.js';
import { read, violations } from './parse.fixture.js';

describe('Amazon Bedrock: a bare key or an access key with its region', () => {
  test('an access key is read with its region', () => {
    const credential = read('amazon-bedrock', ACCESS_KEY);
    expect(credential.kind).toBe('access_key');
    expect(credential.region).toBe('eu-central-1');
  });

  test('a short-term key names its own region, a long-term one none', () => {
    expect(read('amazon-bedrock', shortTermBedrockKey('ap-south-1')).region).toBe('ap-south-1');
    expect(read('amazon-bedrock', 'ABSKQmVkcm9ja0FQSUtleS1hYmNk').region).toBeNull();
    expect(read('amazon-bedrock', 'bedrock-api-key-%%%').region).toBeNull();
    expect(read('amazon-bedrock', shortTermBedrockKey('evil.com#')).region).toBeNull();
  });

  test.each<[string, unknown, string[]]>([
    ['broken JSON', '{"accessKeyId"', ['key json']],
    ['an array where an object is wanted', [ACCESS_KEY], ['key type']],
    [
      'missing members',
      {},
      ['key.accessKeyId required', 'key.secretAccessKey required', 'key.region required'],
    ],
    [
      'wrong types',
      { ...ACCESS_KEY, accessKeyId: 1, region: [] },
      ['key.accessKeyId type', 'key.region type'],
    ],
    ['a bad region', { ...ACCESS_KEY, region: 'us-east-1.evil.com' }, ['key.region pattern']],
    ['an upper-case region', { ...ACCESS_KEY, region: 'US-EAST-1' }, ['key.region pattern']],
    ['a secret with a space', { ...ACCESS_KEY, secretAccessKey: 'a b' }, ['key.secretAccessKey characters']],
    ['an unknown member', { ...ACCESS_KEY, sessionToken: 'x' }, ['key unknown_member']],
  ])('%s is refused by name', (_, credential, expected) => {
    expect(violations('amazon-bedrock', credential)).toEqual(expected);
  });
});
