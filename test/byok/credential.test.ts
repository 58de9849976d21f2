import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type AzureCredential, azureEntryFor } from '../../src/byok/azure.js';
import { type Credential, MAX_CREDENTIAL_BYTES, parseCredential } from '../../src/byok/credential.js';
import { ADAPTERS, type AdapterName } from '../../src/catalog/types.js';
import {
  ACCESS_KEY,
  DEPLOYMENT,
  RESOURCE,
  SAMPLES,
  SERVICE_ACCOUNT,
  shortTermBedrockKey,
} from './samples.js';

const STRICT = { allowPrivateUpstreams: false };
const OPEN = { allowPrivateUpstreams: true };

/** The faults as `field rule`. */
function faults(adapter: AdapterName, credential: unknown, rules = STRICT): string[] {
  const text = typeof credential === 'string' ? credential : JSON.stringify(credential);
  const parsed = parseCredential(adapter, text, rules);
  return 'ok' in parsed ? [] : parsed.violations.map(({ field, rule }) => `${field} ${rule}`);
}

function read<A extends AdapterName>(adapter: A, credential: unknown, rules = STRICT) {
  const text = typeof credential === 'string' ? credential : JSON.stringify(credential);
  const parsed = parseCredential(adapter, text, rules);
  if (!('ok' in parsed)) throw new Error(parsed.violations.map((v) => `${v.field}: ${v.message}`).join('; '));
  return parsed.ok as Extract<Credential, { adapter: A }>;
}

describe('every kind of credential (spec 2.3; interface section 2)', () => {
  test.each(ADAPTERS)('a %s credential in its own format is read', (adapter) => {
    expect(faults(adapter, SAMPLES[adapter])).toEqual([]);
  });

  test.each(ADAPTERS)('a %s credential is at most 64 KiB, in bytes', (adapter) => {
    expect(faults(adapter, 'a'.repeat(MAX_CREDENTIAL_BYTES + 1))).toEqual(['key max_bytes']);
    expect(faults(adapter, 'é'.repeat(MAX_CREDENTIAL_BYTES / 2 + 1))).toEqual(['key max_bytes']);
    expect(faults('demo', 'a'.repeat(MAX_CREDENTIAL_BYTES))).toEqual([]);
  });

  test.each(ADAPTERS)('an empty %s credential is refused', (adapter) => {
    expect(faults(adapter, '')).toEqual(['key required']);
  });
});

describe('a bare API key', () => {
  const bare: AdapterName[] = ['openai', 'anthropic', 'amazon-bedrock'];
  const broken = ['sk key', 'sk-key\n', ' sk-key', 'sk\tkey', 'sk\u0000key', 'sk-ключ', 'sk\u007f'];

  test.each(bare)('of %s is printable ASCII without spaces', (adapter) => {
    for (const text of broken) expect(faults(adapter, text)).toEqual(['key characters']);
    expect(read('openai', 'sk-A_b.c/d+e=').apiKey).toBe('sk-A_b.c/d+e=');
  });

  test.each(['openai', 'anthropic'] as const)('of %s is not JSON', (adapter) => {
    expect(faults(adapter, ACCESS_KEY)).toEqual(['key type']);
    expect(faults(adapter, [RESOURCE])).toEqual(['key type']);
    expect(faults(adapter, '"sk-quoted"')).toEqual(['key type']);
  });

  test('of the demo provider is any text', () => {
    expect(read('demo', ' {"any"} text é\n').apiKey).toBe(' {"any"} text é\n');
  });
});

describe('platform A: an array of configuration objects (spec 2.4)', () => {
  test('both kinds of entry may be mixed, and resource_type defaults to deployment', () => {
    const { entries } = read('azure', [DEPLOYMENT, RESOURCE, { ...RESOURCE, resource_type: 'catalog' }]);
    expect(entries.map((entry) => entry.kind)).toEqual(['deployment', 'resource', 'resource']);
    expect(entries.flatMap((entry) => (entry.kind === 'resource' ? [entry.resourceType] : []))).toEqual([
      'deployment',
      'catalog',
    ]);
  });

  test('a per-deployment entry wins when its model_slug matches', () => {
    const credential: AzureCredential = read('azure', [RESOURCE, DEPLOYMENT]);
    const aliases = (name: string) => (name === 'openai/gpt-5.4' ? 'openai/gpt-5.4-2026' : name);
    expect(azureEntryFor(credential, 'openai/gpt-5.4-2026', aliases)?.kind).toBe('deployment');
    expect(azureEntryFor(credential, 'openai/gpt-5', aliases)?.kind).toBe('resource');
    expect(azureEntryFor(read('azure', [DEPLOYMENT]), 'openai/gpt-5', aliases)).toBeUndefined();
  });

  test.each<[string, unknown, string[]]>([
    ['not JSON', 'plain-key', ['key json']],
    ['broken JSON', '[{', ['key json']],
    ['an object where an array is wanted', RESOURCE, ['key type']],
    ['null', null, ['key type']],
    ['a text', '"text"', ['key type']],
    ['an empty array', [], ['key min_items']],
    ['too many entries', Array(101).fill({}), ['key max_items']],
    ['entries that are no objects', ['text', null, [], 1], [0, 1, 2, 3].map((i) => `key[${i}] type`)],
    ['an empty entry', [{}], ['key[0].api_key required', 'key[0].resource_name required']],
    ['an empty member', [{ ...RESOURCE, api_key: '' }], ['key[0].api_key required']],
    ['a null member', [{ ...RESOURCE, api_key: null }], ['key[0].api_key type']],
    [
      'members of the wrong type',
      [{ api_key: 1, resource_name: {} }],
      ['key[0].api_key type', 'key[0].resource_name type'],
    ],
    ['a key with a line break', [{ ...RESOURCE, api_key: 'a\nb' }], ['key[0].api_key characters']],
    ['a bad resource_name', [{ ...RESOURCE, resource_name: 'evil.com/' }], ['key[0].resource_name pattern']],
    ['an upper-case resource_name', [{ ...RESOURCE, resource_name: 'My' }], ['key[0].resource_name pattern']],
    ['a bad resource_type', [{ ...RESOURCE, resource_type: 'foundry' }], ['key[0].resource_type value']],
    ['a misspelt member', [{ ...RESOURCE, resource_typ: 'catalog' }], ['key[0] unknown_member']],
    ['a mixture within one entry', [{ ...RESOURCE, ...DEPLOYMENT }], ['key[0] unknown_member']],
    [
      'a per-deployment entry that lacks members',
      [RESOURCE, { model_slug: 'm' }],
      ['key[1].endpoint_url required', 'key[1].api_key required', 'key[1].model_id required'],
    ],
    [
      'faults in several entries',
      [
        { ...RESOURCE, api_key: 1 },
        { ...RESOURCE, resource_type: 1 },
      ],
      ['key[0].api_key type', 'key[1].resource_type type'],
    ],
  ])('%s is refused by name', (_, credential, expected) => {
    expect(faults('azure', credential)).toEqual(expected);
  });

  test('a misspelt member is answered with the nearest name, and never repeated', () => {
    const parsed = parseCredential(
      'azure',
      JSON.stringify([{ ...RESOURCE, resource_typ: 'catalog' }]),
      STRICT,
    );
    expect(parsed).toEqual({
      violations: [
        {
          field: 'key[0]',
          rule: 'unknown_member',
          message: 'member 3 is not known; did you mean resource_type?',
        },
      ],
    });
  });

  const PATH = '/openai/deployments/d/chat/completions?api-version=2024-10-21';

  test.each<[string, string | undefined]>([
    [`https://r.openai.azure.com${PATH}`, undefined],
    [`https://r.services.ai.azure.com${PATH}`, undefined],
    [`https://r.cognitiveservices.azure.com${PATH}`, undefined],
    [`https://r.eastus.inference.ai.azure.com${PATH}`, undefined],
    [`https://r.eastus.models.ai.azure.com${PATH}`, undefined],
    [`https://r.openai.azure.us${PATH}`, undefined],
    [`https://r.openai.azure.cn${PATH}`, undefined],
    ['not a URL', 'url'],
    [` https://r.openai.azure.com${PATH}`, 'url'],
    [`//r.openai.azure.com${PATH}`, 'url'],
    [`http://r.openai.azure.com${PATH}`, 'https'],
    ['file:///etc/passwd', 'https'],
    [`https://user:pass@r.openai.azure.com${PATH}`, 'userinfo'],
    [`https://r.openai.azure.com@evil.com${PATH}`, 'userinfo'],
    [`https://localhost${PATH}`, 'private_address'],
    [`https://127.0.0.1${PATH}`, 'private_address'],
    [`https://2130706433${PATH}`, 'private_address'],
    [`https://0x7f.1${PATH}`, 'private_address'],
    [`https://169.254.169.254${PATH}`, 'private_address'],
    [`https://[::1]${PATH}`, 'private_address'],
    [`https://[::ffff:10.0.0.1]${PATH}`, 'private_address'],
    [`https://metadata.google.internal${PATH}`, 'private_address'],
    [`https://printer.local${PATH}`, 'private_address'],
    [`https://evil.com${PATH}`, 'host'],
    [`https://openai.azure.com.evil.com${PATH}`, 'host'],
    [`https://evilopenai.azure.com${PATH}`, 'host'],
    ['https://r.openai.azure.com/openai/deployments/d?api-version=1', 'path'],
    ['https://r.openai.azure.com/openai/deployments/d/chat/completions', 'api_version'],
  ])('endpoint_url %s: %s', (endpoint_url, rule) => {
    const expected = rule === undefined ? [] : [`key[0].endpoint_url ${rule}`];
    expect(faults('azure', [{ ...DEPLOYMENT, endpoint_url }])).toEqual(expected);
  });

  test.each<[string, string | undefined]>([
    [`http://127.0.0.1:9999${PATH}`, undefined],
    [`https://gateway.corp${PATH}`, undefined],
    [`ftp://127.0.0.1${PATH}`, 'https'],
    [`http://user@127.0.0.1${PATH}`, 'userinfo'],
  ])('where private upstreams are allowed, endpoint_url %s: %s', (endpoint_url, rule) => {
    const expected = rule === undefined ? [] : [`key[0].endpoint_url ${rule}`];
    expect(faults('azure', [{ ...DEPLOYMENT, endpoint_url }], OPEN)).toEqual(expected);
  });
});

describe('platform B: a bare key or an access key with its region (spec 2.3)', () => {
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
    expect(faults('amazon-bedrock', credential)).toEqual(expected);
  });
});

describe('platform C: a service account (spec 2.3, 4.6; interface section 4)', () => {
  test('line breaks that were escaped twice are mended', () => {
    const private_key = SERVICE_ACCOUNT.private_key.replaceAll('\n', '\\n');
    const credential = read('google-vertex', { ...SERVICE_ACCOUNT, private_key });
    expect(credential.privateKey.asymmetricKeyType).toBe('rsa');
  });

  test('only the mandatory members are needed; optional ones may be null', () => {
    const { type, project_id, private_key_id, private_key, client_email, token_uri } = SERVICE_ACCOUNT;
    const mandatory = { type, project_id, private_key_id, private_key, client_email, token_uri };
    expect(faults('google-vertex', { ...mandatory, region: null, bucket: null })).toEqual([]);
    for (const name of Object.keys(mandatory)) {
      expect(faults('google-vertex', { ...mandatory, [name]: undefined })).toEqual([`key.${name} required`]);
      expect(faults('google-vertex', { ...mandatory, [name]: 7 })).toEqual([`key.${name} type`]);
    }
  });

  const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  test.each<[string, unknown, string[]]>([
    ['not JSON', 'plain-key', ['key json']],
    ['an array where an object is wanted', [SERVICE_ACCOUNT], ['key type']],
    ['another type of account', { ...SERVICE_ACCOUNT, type: 'authorized_user' }, ['key.type value']],
    ['a project with a path', { ...SERVICE_ACCOUNT, project_id: '../other' }, ['key.project_id pattern']],
    ['a private key that is not PEM', { ...SERVICE_ACCOUNT, private_key: 'AAAA' }, ['key.private_key pem']],
    [
      'a private key that is not RSA',
      { ...SERVICE_ACCOUNT, private_key: elliptic.privateKey.export({ type: 'pkcs8', format: 'pem' }) },
      ['key.private_key pem'],
    ],
    [
      'a public key',
      { ...SERVICE_ACCOUNT, private_key: elliptic.publicKey.export({ type: 'spki', format: 'pem' }) },
      ['key.private_key pem'],
    ],
    ['an e-mail that is none', { ...SERVICE_ACCOUNT, client_email: 'nobody' }, ['key.client_email pattern']],
    [
      'another token_uri',
      { ...SERVICE_ACCOUNT, token_uri: 'https://evil.com/token' },
      ['key.token_uri value'],
    ],
    [
      'a private token_uri',
      { ...SERVICE_ACCOUNT, token_uri: 'http://127.0.0.1/token' },
      ['key.token_uri value'],
    ],
    ['another universe', { ...SERVICE_ACCOUNT, universe_domain: 'evil.com' }, ['key.universe_domain value']],
    ['a bad region', { ...SERVICE_ACCOUNT, region: 'us_central1' }, ['key.region pattern']],
    ['an optional member of the wrong type', { ...SERVICE_ACCOUNT, client_id: 1 }, ['key.client_id type']],
    ['an unknown member', { ...SERVICE_ACCOUNT, buckett: 'x' }, ['key unknown_member']],
    [
      'several faults at once',
      { ...SERVICE_ACCOUNT, private_key: 'x', token_uri: 1, region: 'A', bucket: 'gs://b/o' },
      ['key.private_key pem', 'key.token_uri type', 'key.region pattern', 'key.bucket object_path'],
    ],
  ])('%s is refused by name', (_, credential, expected) => {
    expect(faults('google-vertex', credential)).toEqual(expected);
  });

  test('where private upstreams are allowed, token_uri may be local, but no user information', () => {
    const at = (token_uri: string) => faults('google-vertex', { ...SERVICE_ACCOUNT, token_uri }, OPEN);
    expect(at('http://127.0.0.1:8099/token')).toEqual([]);
    expect(at('http://u:p@127.0.0.1/token')).toEqual(['key.token_uri userinfo']);
    expect(at('gopher://127.0.0.1/token')).toEqual(['key.token_uri https']);
  });

  test('region global means any region', () => {
    expect(read('google-vertex', { ...SERVICE_ACCOUNT, region: 'global' }).region).toBeNull();
    expect(read('google-vertex', { ...SERVICE_ACCOUNT, region: 'europe-west4' }).region).toBe('europe-west4');
    expect(read('google-vertex', SERVICE_ACCOUNT).region).toBeNull();
  });

  test.each<[string, string]>([
    ['my-bucket', 'my-bucket'],
    ['gs://my-bucket', 'my-bucket'],
    ['gs://my-bucket/', 'my-bucket'],
    ['my.domain.example', 'my.domain.example'],
    ['a_b', 'a_b'],
  ])('bucket %s names %s (spec 4.6.2)', (bucket, name) => {
    expect(read('google-vertex', { ...SERVICE_ACCOUNT, bucket }).bucket).toBe(name);
  });

  test.each<[string, string]>([
    ['gs://my-bucket/path', 'object_path'],
    ['gs://my-bucket//', 'object_path'],
    ['my-bucket/path', 'object_path'],
    ['https://my-bucket', 'object_path'],
    ['', 'pattern'],
    ['gs://', 'pattern'],
    ['ab', 'pattern'],
    ['My-Bucket', 'pattern'],
    ['-bucket', 'pattern'],
    ['bucket-', 'pattern'],
    ['goog-bucket', 'pattern'],
    ['my-g00gle-bucket', 'pattern'],
    ['192.168.0.1', 'pattern'],
    ['a'.repeat(64), 'pattern'],
    ['my bucket', 'pattern'],
  ])('bucket %j is refused: %s (spec 4.6.2)', (bucket, rule) => {
    expect(faults('google-vertex', { ...SERVICE_ACCOUNT, bucket })).toEqual([`key.bucket ${rule}`]);
  });
});
