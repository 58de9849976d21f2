import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchGateway } from '../../support/gateway.js';
import { type Call, caller, recordOf, refused } from '../../support/rest.js';
import { everyKindOfProvider } from '../provider-kinds.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let manage: Call;

beforeAll(async () => {
  gateway = await launchGateway({ catalog: everyKindOfProvider() });
  manage = caller(gateway, gateway.managementKey);
});
afterAll(() => gateway.stop());

const store = (provider: string, key: unknown) => manage('POST', '/byok', { provider, key });
const pem = (kind: 'rsa' | 'ec') => {
  const pair =
    kind === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
};

const ACCOUNT = {
  type: 'service_account',
  project_id: 'my-project',
  private_key_id: '0123456789abcdef',
  private_key: pem('rsa'),
  client_email: 'gateway@my-project.iam.gserviceaccount.com',
  client_id: '1234567890',
  auth_uri: 'https://accounts.google.com/o/oauth2/auth',
  token_uri: 'https://oauth2.googleapis.com/token',
  auth_provider_x509_cert_url: 'https://www.googleapis.com/oauth2/v1/certs',
  client_x509_cert_url: 'https://www.googleapis.com/robot/v1/metadata/x509/gateway',
  universe_domain: 'googleapis.com',
};
const RESOURCE = { api_key: 'az-0123456789abcdef', resource_name: 'my-resource' };
const DEPLOYMENT = {
  model_slug: 'openai/gpt',
  endpoint_url: 'https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21',
  api_key: 'az-deployment-0123456',
  model_id: 'd',
};
const ACCESS_KEY = {
  accessKeyId: 'AKIA0123456789EXAMPLE',
  secretAccessKey: 'wJalr/EXAMPLE',
  region: 'eu-west-1',
};

/** The object without one of its members. */
function without(object: object, member: string): object {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== member));
}

describe('credentials that are accepted, and their labels', () => {
  it.each<[string, string, unknown, string]>([
    ['a bare key', 'openai', 'sk-proj-0123456789abcxyz', 'sk-...xyz'],
    ['15 characters are not shown at all', 'openai', 'sk-0123456789ab', '...'],
    ['16 characters are', 'openai', 'sk-0123456789abc', 'sk-...abc'],
    ['a bare key', 'anthropic', 'sk-ant-0123456789abc', 'sk-...abc'],
    ['a resource', 'azure', [RESOURCE], 'az-...def'],
    ['a resource at the catalog', 'azure', [{ ...RESOURCE, resource_type: 'catalog' }], 'az-...def'],
    ['a resource of deployments', 'azure', [{ ...RESOURCE, resource_type: 'deployment' }], 'az-...def'],
    ['a deployment', 'azure', [DEPLOYMENT], 'az-...456'],
    ['both in one array; the first names it', 'azure', [DEPLOYMENT, RESOURCE], 'az-...456'],
    ['both in one array; the first names it', 'azure', [RESOURCE, DEPLOYMENT], 'az-...def'],
    ['a bare key, tied to a region', 'amazon-bedrock', 'bedrock-key-0123456789', 'bed...789'],
    ['an access key', 'amazon-bedrock', ACCESS_KEY, 'AKI...PLE'],
    ['a service account', 'google-vertex', ACCOUNT, 'gat...com'],
    ['a region', 'google-vertex', { ...ACCOUNT, region: 'europe-west1' }, 'gat...com'],
    ['the global region', 'google-vertex', { ...ACCOUNT, region: 'global' }, 'gat...com'],
    ['a bucket', 'google-vertex', { ...ACCOUNT, bucket: 'my-bucket' }, 'gat...com'],
    ['a bucket URI', 'google-vertex', { ...ACCOUNT, bucket: 'gs://my-bucket' }, 'gat...com'],
  ])('%s of %s', async (_, provider, key, label) => {
    const created = recordOf(await store(provider, key));
    expect(created).toMatchObject({ provider, label });
    const asText = typeof key === 'string' ? key : JSON.stringify(key);
    expect(recordOf(await store(provider, asText)).label).toBe(label);
  });

  it.each([
    'client_id',
    'auth_uri',
    'auth_provider_x509_cert_url',
    'client_x509_cert_url',
    'universe_domain',
  ])('a service account without %s', async (member) => {
    expect((await store('google-vertex', without(ACCOUNT, member))).status).toBe(201);
  });

  it('64 KiB, and not a byte more', async () => {
    const limit = 64 * 1024;
    expect((await store('openai', 'k'.repeat(limit))).status).toBe(201);
    const tooLong = await refused(gateway, () => store('openai', 'k'.repeat(limit + 1)));
    expect(tooLong).toEqual([400, 'invalid_request', 'key max_bytes']);
  });
});

describe('credentials that are refused with all violations, writing nothing', () => {
  const azure = (...entries: object[]) => entries;
  const cases: readonly [provider: string, key: unknown, ...violations: string[]][] = [
    ['openai', { api_key: 'x' }, 'key type'],
    ['openai', ['x'], 'key type'],
    ['openai', 'two words', 'key characters'],
    ['openai', 'line\nbreak', 'key characters'],
    ['anthropic', 'schlüssel', 'key characters'],

    ['azure', 'sk-bare', 'key json'],
    ['azure', RESOURCE, 'key type'],
    ['azure', JSON.stringify(RESOURCE), 'key type'],
    ['azure', [], 'key count'],
    ['azure', ['x', 1, null], 'key[0] type', 'key[1] type', 'key[2] type'],
    ['azure', azure(without(RESOURCE, 'api_key')), 'key[0].api_key required'],
    ['azure', azure(without(RESOURCE, 'resource_name')), 'key[0].resource_name required'],
    ['azure', azure({ ...RESOURCE, resource_type: 'Catalog' }), 'key[0].resource_type value'],
    ['azure', azure({ ...RESOURCE, resource_type: 1 }), 'key[0].resource_type type'],
    ['azure', azure({ ...RESOURCE, resource_name: 'a.b' }), 'key[0].resource_name pattern'],
    ['azure', azure({ ...RESOURCE, resource_name: 'evil.example/' }), 'key[0].resource_name pattern'],
    ['azure', azure({ ...RESOURCE, api_key: 5 }), 'key[0].api_key type'],
    ['azure', azure({ ...RESOURCE, api_key: '' }), 'key[0].api_key required'],
    ['azure', azure({ ...RESOURCE, apikey: 'x' }), 'key[0] unknown_member'],
    ['azure', azure(RESOURCE, without(DEPLOYMENT, 'model_slug')), 'key[1].model_slug required'],
    ['azure', azure(RESOURCE, without(DEPLOYMENT, 'endpoint_url')), 'key[1].endpoint_url required'],
    ['azure', azure(RESOURCE, without(DEPLOYMENT, 'api_key')), 'key[1].api_key required'],
    ['azure', azure(RESOURCE, without(DEPLOYMENT, 'model_id')), 'key[1].model_id required'],
    [
      'azure',
      azure({ model_slug: 'x' }),
      'key[0].api_key required',
      'key[0].endpoint_url required',
      'key[0].model_id required',
    ],

    ['amazon-bedrock', [ACCESS_KEY], 'key type'],
    ['amazon-bedrock', '{"accessKeyId":', 'key json'],
    ['amazon-bedrock', {}, 'key.accessKeyId required', 'key.region required', 'key.secretAccessKey required'],
    ['amazon-bedrock', { ...ACCESS_KEY, region: 'EU West' }, 'key.region pattern'],
    ['amazon-bedrock', { ...ACCESS_KEY, region: 'eu.evil.example#' }, 'key.region pattern'],
    ['amazon-bedrock', { ...ACCESS_KEY, secretAccessKey: ['x'] }, 'key.secretAccessKey type'],
    ['amazon-bedrock', { ...ACCESS_KEY, session: 'x' }, 'key unknown_member'],

    ['google-vertex', 'sk-bare', 'key json'],
    ['google-vertex', [ACCOUNT], 'key type'],
    [
      'google-vertex',
      {},
      'key.client_email required',
      'key.private_key required',
      'key.private_key_id required',
      'key.project_id required',
      'key.token_uri required',
      'key.type required',
    ],
    ['google-vertex', { ...ACCOUNT, type: 'authorized_user' }, 'key.type value'],
    ['google-vertex', { ...ACCOUNT, private_key: 'not PEM' }, 'key.private_key pem'],
    ['google-vertex', { ...ACCOUNT, private_key: pem('ec') }, 'key.private_key pem'],
    ['google-vertex', { ...ACCOUNT, region: 'Europe' }, 'key.region pattern'],
    ['google-vertex', { ...ACCOUNT, bucket: 'gs://my-bucket/path' }, 'key.bucket object_path'],
    ['google-vertex', { ...ACCOUNT, bucket: 'my-bucket/path' }, 'key.bucket object_path'],
    ['google-vertex', { ...ACCOUNT, bucket: 'No Bucket' }, 'key.bucket pattern'],
    ['google-vertex', { ...ACCOUNT, bucket: 5 }, 'key.bucket type'],
    ['google-vertex', { ...ACCOUNT, client_email: 'nobody' }, 'key.client_email pattern'],
    ['google-vertex', { ...ACCOUNT, project_id: '../x' }, 'key.project_id pattern'],
    ['google-vertex', { ...ACCOUNT, extra: 'x' }, 'key unknown_member'],
  ];
  it.each(cases.map(([provider, key, ...violations]) => [provider, violations, key] as const))(
    '%s: %j',
    async (provider, violations, key) => {
      const answer = await refused(gateway, () => store(provider, key));
      expect([answer.slice(0, 2), answer.slice(2).toSorted()]).toEqual([
        [400, 'invalid_request'],
        violations,
      ]);
    },
  );

  it.each([
    'http://r.openai.azure.com/chat/completions?api-version=1',
    'https://127.0.0.1/chat/completions?api-version=1',
    'https://localhost/chat/completions?api-version=1',
    'https://10.0.0.1/chat/completions?api-version=1',
    'https://169.254.169.254/chat/completions?api-version=1',
    'https://[::1]/chat/completions?api-version=1',
    'https://0x7f000001/chat/completions?api-version=1',
    'https://user:secret@r.openai.azure.com/chat/completions?api-version=1',
    'https://r.openai.azure.com/openai/deployments/d?api-version=1',
    'https://r.openai.azure.com/openai/deployments/d/chat/completions',
    '/openai/deployments/d/chat/completions?api-version=1',
    'ftp://r.openai.azure.com/chat/completions?api-version=1',
  ])('endpoint_url %s is refused: full, https, public', async (endpoint_url) => {
    const answer = await refused(gateway, () => store('azure', [{ ...DEPLOYMENT, endpoint_url }]));
    expect(answer).toEqual([400, 'invalid_request', expect.stringMatching(/^key\[0]\.endpoint_url /)]);
  });

  it.each([
    'http://oauth2.googleapis.com/token',
    'https://127.0.0.1/token',
    'https://metadata.internal.localhost/token',
    'https://192.168.1.1/token',
    'token',
  ])('token_uri %s is refused', async (token_uri) => {
    const answer = await refused(gateway, () => store('google-vertex', { ...ACCOUNT, token_uri }));
    expect(answer).toEqual([400, 'invalid_request', expect.stringMatching(/^key\.token_uri /)]);
  });

  it('a credential that is nested too deeply', async () => {
    const deep = `{"provider":"azure","key":${'['.repeat(5000)}${']'.repeat(5000)}}`;
    const answer = await refused(gateway, () => manage('POST', '/byok', deep));
    expect(answer).toEqual([400, 'invalid_request', 'key depth']);
  });
});

it('private upstreams are accepted where the operator allows them', async () => {
  const allowing = await launchGateway({
    catalog: everyKindOfProvider(),
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
  });
  try {
    const call = caller(allowing, allowing.managementKey);
    const endpoint_url = 'http://127.0.0.1:9000/deployments/d/chat/completions?api-version=1';
    const token_uri = 'http://127.0.0.1:9000/token';
    const azure = await call('POST', '/byok', { provider: 'azure', key: [{ ...DEPLOYMENT, endpoint_url }] });
    const vertex = await call('POST', '/byok', { provider: 'google-vertex', key: { ...ACCOUNT, token_uri } });
    expect([azure.status, vertex.status]).toEqual([201, 201]);
  } finally {
    await allowing.stop();
  }
});
