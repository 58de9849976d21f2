import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchGateway } from '../../support/gateway.js';
import { type Answer, bodyOf, type Call, caller, refusalOf, refused, send } from '../../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let manage: Call;
let clientSecret: string;

beforeAll(async () => {
  gateway = await launchGateway();
  manage = caller(gateway, gateway.managementKey);
  clientSecret = String(bodyOf(await manage('POST', '/clients', { name: 'App' })).client_secret);
});
afterAll(() => gateway.stop());

type Who = 'nobody' | 'API key' | 'management key' | 'client secret' | 'operator key';
const WHO: readonly Who[] = ['nobody', 'API key', 'management key', 'client secret', 'operator key'];

function as(who: Who): Call {
  const secrets = {
    nobody: undefined,
    'API key': gateway.apiKey,
    'management key': gateway.managementKey,
    'client secret': clientSecret,
    'operator key': gateway.operatorKey,
  };
  return caller(gateway, secrets[who]);
}

const CHAT = { model: 'test/m1', messages: [{ role: 'user', content: 'Hello' }] };
const HASH = 'f'.repeat(64);
const UUID = '00000000-0000-4000-8000-000000000000';

/** Who may call each operation; the status is that of a permitted call. See docs/credentials.md#who-may-call-what. */
const OPERATIONS: readonly [
  method: string,
  path: string,
  body: object | undefined,
  may: readonly Who[],
  status: number,
][] = [
  ['GET', '/models', undefined, WHO, 200],
  ['GET', '/models/test/m1/endpoints', undefined, WHO, 200],
  ['GET', '/providers', undefined, WHO, 200],
  ['GET', '/models/user', undefined, ['API key'], 200],
  ['GET', '/key', undefined, ['API key'], 200],
  ['POST', '/chat/completions', CHAT, ['API key'], 200],
  ['POST', '/chat/completions', { ...CHAT, stream: true }, ['API key'], 200],
  ['GET', '/generation?id=gen-none', undefined, ['API key', 'management key'], 404],
  ['POST', '/routing/explain', { model: 'x', api_key_hash: HASH }, ['API key', 'management key'], 400],
  ['GET', '/generations', undefined, ['management key'], 200],
  ['GET', '/keys', undefined, ['management key', 'client secret'], 200],
  ['POST', '/keys', {}, ['management key', 'client secret'], 400],
  ['GET', `/keys/${HASH}`, undefined, ['management key', 'client secret'], 404],
  ['PATCH', `/keys/${HASH}`, {}, ['management key', 'client secret'], 404],
  ['DELETE', `/keys/${HASH}`, undefined, ['management key', 'client secret'], 404],
  ['GET', '/byok', undefined, ['management key'], 200],
  ['POST', '/byok', {}, ['management key'], 400],
  ['GET', `/byok/${UUID}`, undefined, ['management key'], 404],
  ['PATCH', `/byok/${UUID}`, {}, ['management key'], 404],
  ['DELETE', `/byok/${UUID}`, undefined, ['management key'], 404],
  ['GET', '/clients', undefined, ['management key'], 200],
  ['POST', '/clients', {}, ['management key'], 400],
  ['DELETE', `/clients/${UUID}`, undefined, ['management key'], 404],
];

describe('who may call what', () => {
  it.each(OPERATIONS)('%s %s %j', async (method, path, body, may, status) => {
    for (const who of WHO) {
      const answer = await as(who)(method, path, body);
      if (may.includes(who)) {
        expect([who, answer.status]).toEqual([who, status]);
      } else {
        const reason = who === 'nobody' ? [401, 'missing_authentication'] : [403, 'permission_denied'];
        expect([who, refusalOf(answer)]).toEqual([who, reason]);
      }
    }
  });

  it('a refused call writes nothing', async () => {
    const bodies = { name: 'n', provider: 'a', key: 'demo-echo-0123456789' };
    for (const [who, path] of [
      ['API key', '/keys'],
      ['nobody', '/keys'],
      ['client secret', '/byok'],
      ['API key', '/byok'],
      ['client secret', '/clients'],
      ['management key', '/chat/completions'],
      ['client secret', '/chat/completions'],
      ['operator key', '/keys'],
      ['operator key', '/byok'],
      ['operator key', '/clients'],
      ['operator key', '/chat/completions'],
    ] as const) {
      const [status] = await refused(gateway, () => as(who)('POST', path, bodies));
      expect([who, path, status]).toEqual([who, path, who === 'nobody' ? 401 : 403]);
    }
  });

  it('the messages of 403 and 401 are fixed', async () => {
    const text = async (answer: Promise<Answer>) =>
      (bodyOf(await answer).error as { message: string }).message;
    expect(await text(as('API key')('GET', '/byok'))).toBe('Only management keys can perform this operation');
    expect(await text(as('API key')('PATCH', `/keys/${HASH}`, {}))).toBe(
      'Only management keys can perform this operation',
    );
    expect(await text(as('nobody')('GET', '/byok'))).toBe('Missing Authentication header');
    expect(await text(caller(gateway, `bw-mgmt-${HASH}`)('GET', '/byok'))).toBe('Invalid API key');
  });

  it('a 403 names the caller, except an operator, who is no user of an account', async () => {
    expect(bodyOf(await as('API key')('GET', '/keys')).user_id).toBe(gateway.ownerUserId);
    expect(bodyOf(await as('operator key')('GET', '/keys')).user_id).toBeUndefined();
  });
});

describe('a credential that is sent must be valid, also where none is needed', () => {
  const ask = (authorization: string, path = '/models') =>
    send(gateway.rest + path, 'GET', { headers: { authorization } });

  it.each([
    'Bearer',
    'Bearer ',
    'Bearer x',
    `Bearer bw-v1-${HASH}`,
    `Bearer bw-v1-${HASH.toUpperCase()}`,
    `Bearer bw-mgmt-${HASH}`,
    `Bearer bw-client-${HASH}`,
    `Bearer bw-op-${HASH}`,
    'Token x',
    `Bearer ${'x'.repeat(5000)}`,
    '',
  ])('%s', async (authorization) => {
    const expected = [401, 'invalid_api_key'];
    for (const path of ['/models', '/providers', '/models/user', '/keys']) {
      expect([path, refusalOf(await ask(authorization, path))]).toEqual([path, expected]);
    }
    for (const path of ['/healthz', '/readyz']) {
      const answer = await send(gateway.url + path, 'GET', { headers: { authorization } });
      expect([path, refusalOf(answer)]).toEqual([path, expected]);
    }
  });

  it('a secret with another prefix is refused', async () => {
    const digits = gateway.apiKey.slice('bw-v1-'.length);
    for (const secret of [
      `bw-mgmt-${digits}`,
      `bw-client-${digits}`,
      `bw-op-${digits}`,
      digits,
      `${gateway.apiKey}0`,
    ]) {
      expect(refusalOf(await ask(`Bearer ${secret}`))).toEqual([401, 'invalid_api_key']);
    }
  });

  it('the hash of a key, which lists show, is not accepted as a credential', async () => {
    expect(refusalOf(await ask(`Bearer ${gateway.apiKeyHash}`))).toEqual([401, 'invalid_api_key']);
    expect(refusalOf(await ask(`Bearer bw-v1-${gateway.apiKeyHash}`))).toEqual([401, 'invalid_api_key']);
  });

  it('the scheme is compared without regard to case (RFC 9110 section 11.1)', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      expect((await ask(`${scheme} ${gateway.apiKey}`, '/models/user')).status).toBe(200);
    }
  });

  it('a 401 reveals nothing of the secret, its hash, or tables', async () => {
    const secret = `bw-v1-${'0123456789abcdef'.repeat(4)}`;
    const { text, headers } = await ask(`Bearer ${secret}`);
    expect(JSON.parse(text)).toEqual({
      error: { code: 401, message: 'Invalid API key', metadata: { reason: 'invalid_api_key' } },
    });
    expect(JSON.stringify(headers)).not.toMatch(/0123456789abcdef/);
  });
});

describe('a key that is disabled, deleted or expired stops working at once', () => {
  async function newKey(members: object = {}): Promise<{ hash: string; call: Call }> {
    const { data, key } = bodyOf(await manage('POST', '/keys', { name: 'n', ...members }));
    return { hash: (data as { hash: string }).hash, call: caller(gateway, String(key)) };
  }
  const USES: readonly [string, string, object?][] = [
    ['GET', '/models/user'],
    ['GET', '/key'],
    ['POST', '/chat/completions', CHAT],
    ['GET', '/models'],
  ];

  it.each<[string, string, object | undefined, string, string]>([
    ['disabled', 'PATCH', { disabled: true }, 'api_key_disabled', 'API key is disabled'],
    ['deleted', 'DELETE', undefined, 'invalid_api_key', 'Invalid API key'],
  ])('%s', async (_, method, body, reason, message) => {
    const { hash, call } = await newKey();
    for (const use of USES) expect((await call(...use)).status).toBe(200);
    await manage(method, `/keys/${hash}`, body);
    for (const use of USES) {
      const answer = await call(...use);
      expect([refusalOf(answer), bodyOf(answer).error]).toMatchObject([[401, reason], { message }]);
    }
  });

  it('expired', async () => {
    const expiresAt = Date.now() + 150;
    const { call } = await newKey({ expires_at: new Date(expiresAt).toISOString() });
    expect((await call('GET', '/key')).status).toBe(200);
    await sleep(expiresAt - Date.now() + 5);
    const answer = await call('GET', '/key');
    expect([refusalOf(answer), bodyOf(answer).error]).toMatchObject([
      [401, 'api_key_expired'],
      { message: 'API key has expired' },
    ]);
  });

  it('while a disabled key can be read and listed by its management key', async () => {
    const { hash } = await newKey();
    await manage('PATCH', `/keys/${hash}`, { disabled: true });
    expect((await manage('GET', `/keys/${hash}`)).status).toBe(200);
  });
});

describe('POST /clients', () => {
  it('shows the secret once, and never in lists', async () => {
    const created = await manage('POST', '/clients', { name: 'Other app' });
    const { data, client_secret: secret, ...others } = bodyOf(created);
    expect([created.status, others]).toEqual([201, {}]);
    const { id } = data as { id: string };
    expect(data).toEqual({ id, name: 'Other app', user_id: `client:${id}`, created_at: expect.any(String) });
    expect(secret).toMatch(/^bw-client-[0-9a-f]{64}$/);
    const listed = await manage('GET', '/clients');
    expect(bodyOf(listed).data).toContainEqual(data);
    expect(listed.text).not.toContain('bw-client-');
  });

  it.each<[unknown, string]>([
    [{}, 'name required'],
    [{ name: '' }, 'name required'],
    [{ name: 'x'.repeat(256) }, 'name length'],
    [{ name: null }, 'name not_null'],
    [{ name: 'n', user_id: '' }, 'user_id length'],
    [{ name: 'n', user_id: 'x'.repeat(256) }, 'user_id length'],
    [{ name: 'n', secret: 'x' }, 'secret unknown'],
  ])('refuses %j', async (body, violation) => {
    expect(await refused(gateway, () => manage('POST', '/clients', body))).toEqual([
      400,
      'invalid_request',
      violation,
    ]);
  });

  it('a foreign client counts as nonexistent', async () => {
    const other = caller(gateway, (await gateway.addAccount()).managementKey);
    const { data } = bodyOf(await manage('POST', '/clients', { name: 'n' }));
    const { id } = data as { id: string };
    expect(await refused(gateway, () => other('DELETE', `/clients/${id}`))).toEqual([404, 'not_found']);
    expect(await refused(gateway, () => manage('DELETE', '/clients/nonsense'))).toEqual([404, 'not_found']);
  });
});
