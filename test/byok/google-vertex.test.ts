import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SERVICE_ACCOUNT } from './credentials.fixture.js';
import { OPEN, read, violations } from './parse.fixture.js';

describe('Google Vertex AI: a service account', () => {
  test('line breaks that were escaped twice are read', () => {
    const private_key = SERVICE_ACCOUNT.private_key.replaceAll('\n', '\\n');
    const credential = read('google-vertex', { ...SERVICE_ACCOUNT, private_key });
    expect(credential.privateKey.asymmetricKeyType).toBe('rsa');
  });

  test('only the mandatory members are needed; optional ones may be null', () => {
    const { type, project_id, private_key_id, private_key, client_email, token_uri } = SERVICE_ACCOUNT;
    const mandatory = { type, project_id, private_key_id, private_key, client_email, token_uri };
    expect(violations('google-vertex', { ...mandatory, region: null, bucket: null })).toEqual([]);
    for (const name of Object.keys(mandatory)) {
      expect(violations('google-vertex', { ...mandatory, [name]: undefined })).toEqual([
        `key.${name} required`,
      ]);
      expect(violations('google-vertex', { ...mandatory, [name]: 7 })).toEqual([`key.${name} type`]);
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
      'several violations at once',
      { ...SERVICE_ACCOUNT, private_key: 'x', token_uri: 1, region: 'A', bucket: 'gs://b/o' },
      ['key.private_key pem', 'key.token_uri type', 'key.region pattern', 'key.bucket object_path'],
    ],
  ])('%s is refused by name', (_, credential, expected) => {
    expect(violations('google-vertex', credential)).toEqual(expected);
  });

  test('where private upstreams are allowed, token_uri may be local, but no user information', () => {
    const at = (token_uri: string) => violations('google-vertex', { ...SERVICE_ACCOUNT, token_uri }, OPEN);
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
  ])('bucket %s names %s', (bucket, name) => {
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
  ])('bucket %j is refused: %s', (bucket, rule) => {
    expect(violations('google-vertex', { ...SERVICE_ACCOUNT, bucket })).toEqual([`key.bucket ${rule}`]);
  });
});
