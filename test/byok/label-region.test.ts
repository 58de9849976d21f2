import { describe, expect, test } from 'vitest';
import { labelOf } from '../../src/byok/keys/label.js';
import { type Credential, parseCredential } from '../../src/byok/kinds/credential.js';
import { calledRegion } from '../../src/byok/kinds/region.js';
import type { AdapterName } from '../../src/catalog/types.js';
import {
  ACCESS_KEY,
  DEPLOYMENT,
  RESOURCE,
  SERVICE_ACCOUNT,
  shortTermBedrockKey,
} from './credentials.fixture.js';

function read(adapter: AdapterName, credential: unknown): Credential {
  const text = typeof credential === 'string' ? credential : JSON.stringify(credential);
  const parsed = parseCredential(adapter, text, { allowPrivateUpstreams: false });
  if (!('ok' in parsed)) throw new Error('not a credential');
  return parsed.ok;
}

describe('label: first 3 and last 3 characters of the secret part', () => {
  test.each<[AdapterName, unknown, string]>([
    ['openai', 'abcdefghijklmxyz', 'abc...xyz'],
    ['openai', 'abcdefghijklxyz', '...'],
    ['anthropic', 'sk-ant-0123456789', 'sk-...789'],
    ['demo', 'é'.repeat(16), 'ééé...ééé'],
    ['demo', '😀'.repeat(15), '...'],
    ['azure', [{ ...DEPLOYMENT, api_key: 'first-key-of-the-array' }, RESOURCE], 'fir...ray'],
    ['azure', [{ ...RESOURCE, api_key: 'short' }], '...'],
    ['amazon-bedrock', 'ABSKQmVkcm9ja0FQSUtleS1', 'ABS...eS1'],
    ['amazon-bedrock', { ...ACCESS_KEY, accessKeyId: 'AKIAIOSFODNN7EXAMPLE' }, 'AKI...PLE'],
    ['google-vertex', { ...SERVICE_ACCOUNT, client_email: 'gateway@p.iam.gserviceaccount.com' }, 'gat...com'],
  ])('%s %j', (adapter, credential, label) => {
    expect(labelOf(read(adapter, credential))).toBe(label);
  });
});

describe('the region of a call', () => {
  test.each<[string, AdapterName, unknown, string | null, string | null]>([
    [
      'a bare Bedrock key says it itself',
      'amazon-bedrock',
      shortTermBedrockKey('eu-west-1'),
      'us-west-2',
      'eu-west-1',
    ],
    ['else the endpoint does', 'amazon-bedrock', 'ABSK-long-term-key', 'us-west-2', 'us-west-2'],
    ['else it is us-east-1', 'amazon-bedrock', 'ABSK-long-term-key', null, 'us-east-1'],
    ['a global endpoint says nothing', 'amazon-bedrock', 'ABSK-long-term-key', 'global', 'us-east-1'],
    ['an access key has its own', 'amazon-bedrock', ACCESS_KEY, 'us-west-2', 'eu-central-1'],
    [
      'a service account has its own',
      'google-vertex',
      { ...SERVICE_ACCOUNT, region: 'europe-west4' },
      'us-central1',
      'europe-west4',
    ],
    ['a service account without one is global', 'google-vertex', SERVICE_ACCOUNT, 'us-central1', null],
    [
      'a service account may say global',
      'google-vertex',
      { ...SERVICE_ACCOUNT, region: 'global' },
      'us-central1',
      null,
    ],
    ['others follow the endpoint', 'azure', [RESOURCE], 'eu', 'eu'],
    ['others follow the endpoint', 'openai', 'sk-key', null, null],
    ['others follow the endpoint', 'anthropic', 'sk-key', 'us', 'us'],
    ['global is no region', 'openai', 'sk-key', 'global', null],
    ['a demo key has none', 'demo', 'demo-eu-west-1', 'us', 'us'],
  ])('%s (%s)', (_, adapter, credential, endpointRegion, expected) => {
    expect(calledRegion(read(adapter, credential), endpointRegion)).toBe(expected);
  });
});
