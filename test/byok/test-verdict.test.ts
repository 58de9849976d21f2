import { describe, expect, it } from 'vitest';
import type { Credential } from '../../src/byok/kinds/credential.js';
import { redactCredential } from '../../src/byok/trial/redact-credential.js';
import { hintsFor } from '../../src/byok/trial/test-hints.js';
import { type TestFailure, verdictOn } from '../../src/byok/trial/test-verdict.js';
import { ADAPTERS, type AdapterName } from '../../src/catalog/types.js';
import { endpoint, provider } from '../routing/contexts.js';
import { ACCESS_KEY, CANARY, DEPLOYMENT, RESOURCE, SAMPLES, SERVICE_ACCOUNT } from './credentials.fixture.js';
import { read } from './parse.fixture.js';

const same = (name: string) => name;

function verdict(
  credential: Credential,
  status: number | null,
  failure: (Omit<TestFailure, 'error' | 'message'> & Partial<TestFailure>) | null,
) {
  const { adapter } = credential;
  const target = {
    provider: provider('p', { adapter, name: 'Provider' }),
    endpoint: endpoint('p'),
    credential,
  };
  return verdictOn(target, hintsFor(credential, 'm1', same), {
    status,
    latencyMs: 7,
    failure: failure && { error: null, message: 'Said so.', ...failure },
  });
}

const BARE = read('openai', SAMPLES.openai);

describe('the verdict on a key', () => {
  it('is ok when the provider answers', () => {
    expect(verdict(BARE, 200, null)).toEqual({
      ok: true,
      status: 200,
      reason: 'ok',
      detail: 'Provider answered with m1.',
      latencyMs: 7,
    });
  });

  it.each<[TestFailure['kind'], number | null, string | null, string, boolean]>([
    ['auth', 401, null, 'invalid_credential', false],
    ['auth', 400, null, 'invalid_credential', false],
    ['quota', 402, null, 'quota_exhausted', false],
    ['quota', 429, null, 'quota_exhausted', false],
    ['auth', 403, null, 'missing_permission', false],
    ['auth', null, 'credential', 'credential_unusable', false],
    ['rate_limit', 429, null, 'rate_limited', true],
    ['rate_limit', 529, null, 'provider_error', false],
    ['invalid_request', 400, null, 'invalid_request', true],
    ['invalid_request', 422, null, 'invalid_request', true],
    ['invalid_request', 404, null, 'not_found', false],
    ['content_filter', 400, null, 'invalid_request', true],
    ['upstream_error', null, 'timeout', 'timeout', false],
    ['upstream_error', 200, 'timeout', 'timeout', false],
    ['upstream_error', null, 'connect', 'unreachable', false],
    ['upstream_error', null, 'dns', 'unreachable', false],
    ['upstream_error', null, 'tls', 'unreachable', false],
    ['upstream_error', null, 'proxy', 'unreachable', false],
    ['upstream_error', null, 'reset', 'unreachable', false],
    ['upstream_error', 200, 'reset', 'provider_error', false],
    ['upstream_error', 200, 'malformed', 'provider_error', false],
    ['upstream_error', 500, null, 'provider_error', false],
    ['upstream_error', null, 'internal', 'provider_error', false],
  ])('%s with status %s and %s: %s, ok %s', (kind, status, error, reason, ok) => {
    const result = verdict(BARE, status, { kind, error });
    expect(result).toMatchObject({ ok, status, reason, latencyMs: 7 });
    expect(result.detail).toMatch(/^[A-Z][^\n]*"Said so"[^\n]*\.$/);
  });

  it('shortens a long message to one line of a sentence', () => {
    const { detail } = verdict(BARE, 500, { kind: 'upstream_error', message: `a\n\tb ${'x'.repeat(1000)}` });
    expect(detail).toContain('"a b xxx');
    expect(detail.length).toBeLessThan(400);
  });

  it.each([
    ['The security token included in the request is invalid.', 'invalid_credential'],
    ['The request signature we calculated does not match the signature you provided.', 'invalid_credential'],
    ['User is not authorized to perform: bedrock:InvokeModel on resource x', 'missing_permission'],
    ["You don't have access to the model with the specified model ID.", 'missing_permission'],
  ])('Amazon Bedrock always answers with 403; %s', (message, reason) => {
    expect(verdict(read('amazon-bedrock', ACCESS_KEY), 403, { kind: 'auth', message }).reason).toBe(reason);
  });
});

describe('it names what to look at', () => {
  const vertex = read('google-vertex', SERVICE_ACCOUNT);
  const bedrock = read('amazon-bedrock', ACCESS_KEY);
  const bedrockKey = read('amazon-bedrock', 'ABSK0123456789abcdef');
  const resource = read('azure', [RESOURCE]);
  const deployment = read('azure', [{ ...DEPLOYMENT, model_slug: 'm1' }, RESOURCE]);
  const refused = { kind: 'auth' } as const;
  const nowhere = { kind: 'invalid_request' } as const;
  const unreached = { kind: 'upstream_error', error: 'connect' } as const;

  it.each<[string, Credential, number | null, Parameters<typeof verdict>[2], RegExp]>([
    ['a bare key, refused', BARE, 401, refused, /API key/],
    ['a bare key without permission', BARE, 403, refused, /permissions.*balance/],
    ['a resource, refused', resource, 401, refused, /api_key.*resource_name/],
    ['a resource, not let in', resource, 403, refused, /network rules/],
    ['a resource without the deployment', resource, 404, nowhere, /resource_type.*deployment/],
    ['a resource that is not there', resource, null, unreached, /resource_name/],
    ['a deployment, refused', deployment, 401, refused, /api_key.*endpoint_url/],
    ['a deployment that is not there', deployment, 404, nowhere, /endpoint_url.*model_id/],
    ['an access key, refused', bedrock, 401, refused, /accessKeyId.*secretAccessKey/],
    ['an access key without permission', bedrock, 403, refused, /bedrock:InvokeModel .*region/],
    ['an access key in another region', bedrock, 404, nowhere, /region/],
    ['an API key of Amazon Bedrock', bedrockKey, 401, refused, /API key.*region/],
    ['a service account, refused', vertex, 401, refused, /private_key.*client_email/],
    [
      'a service account without permission',
      vertex,
      403,
      refused,
      /aiplatform\.endpoints\.predict.*project_id/,
    ],
    ['a service account elsewhere', vertex, 404, nowhere, /project_id.*region/],
    ['a service account without its tokens', vertex, null, unreached, /token_uri/],
  ])('%s', (_, credential, status, failure, detail) => {
    expect(verdict(credential, status, failure).detail).toMatch(detail);
  });
});

describe('no part of a credential is in a verdict', () => {
  it.each(ADAPTERS)('%s: whatever the provider echoes', (adapter) => {
    const message = `Wrong ${secretsOf(adapter).join(' and "')}": ${SAMPLES[adapter]}`;
    for (const status of [400, 401, 403, 404, 429, 500]) {
      const result = verdict(read(adapter, SAMPLES[adapter]), status, { kind: 'auth', message });
      expect(result.detail).not.toContain(CANARY);
      expect(result.detail).toContain('[credential]');
    }
  });

  it('not even where the provider masks it', () => {
    const key = 'sk-proj-0123456789abcdefWXYZ';
    const credential = read('openai', key);
    for (const masked of ['sk-proj-01***WXYZ', 'sk-...XYZ.', '"************WXYZ"', '…XYZ']) {
      expect(
        redactCredential(`Incorrect API key provided: ${masked} Find yours elsewhere...`, credential),
      ).toBe('Incorrect API key provided: [credential] Find yours elsewhere...');
    }
  });

  function secretsOf(adapter: AdapterName): string[] {
    switch (adapter) {
      case 'amazon-bedrock':
        return [ACCESS_KEY.accessKeyId, ACCESS_KEY.secretAccessKey];
      case 'google-vertex':
        return [SERVICE_ACCOUNT.client_email, SERVICE_ACCOUNT.private_key_id];
      case 'azure':
        return [RESOURCE.api_key, RESOURCE.resource_name, DEPLOYMENT.api_key, DEPLOYMENT.endpoint_url];
      default:
        return [SAMPLES[adapter]];
    }
  }
});
