import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { error } from '../../support/fakes/fake-anthropic/errors.js';
import { typed } from '../../support/fakes/fake-bedrock/errors.js';
import { PROJECT_ID } from '../../support/fakes/fake-vertex/account.js';
import { permissionDenied } from '../../support/fakes/fake-vertex/error.js';
import { launchPlatforms, PLATFORMS, type Platform, type PlatformsGateway } from '../../support/platforms.js';
import { type Row, recordOf } from '../../support/rest.js';
import { secretsOf } from './echoes.js';

const WRONG = 'canaryQ7wrong0123456789abcdefghijklmn';

let gateway: PlatformsGateway;

beforeAll(async () => {
  gateway = await launchPlatforms([{ name: 'm' }]);
});
afterAll(() => gateway.stop());

async function tested(id: unknown): Promise<Row> {
  const record = recordOf(await gateway.manage('POST', `/byok/${String(id)}/test`));
  expect(record).toEqual({
    ok: expect.any(Boolean),
    status: record.status,
    reason: expect.any(String),
    detail: expect.stringMatching(/^[A-Z].*\.$/),
    latency_ms: expect.any(Number),
  });
  return record;
}

/** The result of testing the platform's key while its provider follows the plan. */
async function testedWhile(platform: Platform, plan: object): Promise<Row> {
  gateway.plan(platform, 'm', plan);
  const record = await tested(gateway.keyIds.get(platform.slug));
  gateway.plan(platform, 'm', {});
  return record;
}

/** The platform's credential with another secret. */
function wrongCredential(platform: Platform): unknown {
  if (platform.fake === 'vertex') return gateway.fakes.vertex.serviceAccount({ private_key_id: WRONG });
  const right = platform.credential(gateway.fakes, [[`${platform.slug}/m`, 'm']]);
  if (typeof right === 'string') return WRONG;
  if (Array.isArray(right)) return right.map((entry) => ({ ...entry, api_key: WRONG }));
  return { ...Object(right), secretAccessKey: WRONG };
}

/** A refusal for a missing permission, in the platform's format, and the permission that the test has to name. */
function forbidden({ slug, fake }: Platform): readonly [object, RegExp] {
  switch (fake) {
    case 'vertex':
      return [permissionDenied(PROJECT_ID, 'm'), /aiplatform\.endpoints\.predict/];
    case 'bedrock': {
      const permission = slug === 'bedrock-key' ? 'bedrock:CallWithBearerToken' : 'bedrock:InvokeModel';
      const message = `User: arn:aws:iam::123456789012:user/gateway is not authorized to perform: ${permission} on resource: m because no identity-based policy allows it`;
      return [typed(403, 'AccessDeniedException', message), new RegExp(`permission ${permission}`)];
    }
    case 'anthropic': {
      const message = 'Your API key does not have permission to use the specified resource.';
      const words =
        slug === 'anthropic' ? /does not have permission.*key's permissions/ : /does not let the cre/;
      return [error(403, 'permission_error', message), words];
    }
    case 'azure': {
      const message = 'Access denied due to Virtual Network/Firewall rules.';
      return [{ status: 403, body: { error: { code: '403', message } } }, /Firewall rules.*network rules/];
    }
    case 'openai': {
      const message = 'You have insufficient permissions for this operation. Missing scopes: model.request';
      return [{ status: 403, body: { error: { message, code: null } } }, /Missing scopes: model\.request/];
    }
  }
}

function cheapness(platform: Platform): unknown {
  const { max_tokens, max_completion_tokens, inferenceConfig, generationConfig } = gateway.received(
    platform,
  )[0] as Readonly<Record<string, Row | undefined>>;
  const length = inferenceConfig?.maxTokens ?? generationConfig?.maxOutputTokens;
  return max_tokens ?? max_completion_tokens ?? length;
}

function expectNothingSecret(platform: Platform, { detail }: Row): void {
  for (const secret of [WRONG, '123456789012', ...secretsOf(platform, gateway.fakes)]) {
    expect(`${detail}${gateway.log.join()}`).not.toContain(secret);
  }
}

describe('POST /byok/{id}/test at every platform', () => {
  it.each(PLATFORMS)('$slug: a key that works', async (platform) => {
    const record = await tested(gateway.keyIds.get(platform.slug));
    expect(record).toMatchObject({ ok: true, status: 200, reason: 'ok' });
    expect(record.detail).toBe(`Provider ${platform.slug} answered with ${platform.slug}/m.`);
    expect(cheapness(platform)).toBe(1);
  });

  it.each(PLATFORMS)('$slug: a wrong credential, with the member that is wrong', async (platform) => {
    const key = wrongCredential(platform);
    const stored = recordOf(await gateway.manage('POST', '/byok', { provider: platform.slug, key }));
    const record = await tested(stored.id);
    const status = platform.fake === 'bedrock' ? 403 : 401;
    expect(record).toMatchObject({ ok: false, status, reason: 'invalid_credential' });
    expect(record.detail).toMatch(/look at (?:the API key|api_key|accessKeyId|private_key)/);
    expectNothingSecret(platform, record);
  });

  it.each(PLATFORMS)('$slug: a missing permission, with its name', async (platform) => {
    const [plan, words] = forbidden(platform);
    const record = await testedWhile(platform, plan);
    expect(record).toMatchObject({ ok: false, status: 403, reason: 'missing_permission' });
    expect(record.detail).toMatch(words);
    expectNothingSecret(platform, record);
  });

  it.each(PLATFORMS)('$slug: a provider that breaks the connection', async (platform) => {
    const record = await testedWhile(platform, { reset: true });
    expect(record).toMatchObject({ ok: false, status: null, reason: 'unreachable' });
  });

  it('an unreachable provider', async () => {
    await gateway.stopFakes();
    const records = await Promise.all(PLATFORMS.map(({ slug }) => tested(gateway.keyIds.get(slug))));
    const verdicts = records.map(({ ok, status, reason }) => [ok, status, reason]);
    expect(verdicts).toEqual(PLATFORMS.map(() => [false, null, 'unreachable']));
    for (const { detail } of records) expect(detail).toMatch(/could not be reached/);
  });
});
