import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchGateway } from '../../support/gateway.js';
import { type Answer, bodyOf, type Call, caller, type Row, refusalOf, send } from '../../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let manage: Call;
let use: Call;

beforeAll(async () => {
  gateway = await launchGateway();
  manage = caller(gateway, gateway.managementKey);
  use = caller(gateway, gateway.apiKey);
});
afterAll(() => gateway.stop());

const CHAT = { model: 'test/m1', messages: [{ role: 'user', content: 'Hello' }] };
const HASH = 'f'.repeat(64);

/** One answer of every kind: each status, over every transport, with and without a credential. */
const ANSWERS: readonly [name: string, ask: () => Promise<Answer>, status: number][] = [
  ['a public list', () => caller(gateway)('GET', '/models'), 200],
  ['a list', () => use('GET', '/models/user'), 200],
  ['providers', () => caller(gateway)('GET', '/providers'), 200],
  ['a record', () => use('GET', '/key'), 200],
  ['a page', () => manage('GET', '/keys'), 200],
  ['a chat', () => use('POST', '/chat/completions', CHAT), 200],
  ['a streamed chat', () => use('POST', '/chat/completions', { ...CHAT, stream: true }), 200],
  ['an explained route', () => use('POST', '/routing/explain', CHAT), 200],
  ['something created', () => manage('POST', '/keys', { name: 'n' }), 201],
  ['a fault', () => manage('POST', '/keys', { name: '' }), 400],
  ['a broken body', () => manage('POST', '/keys', '{'), 400],
  ['nobody', () => caller(gateway)('GET', '/keys'), 401],
  ['a wrong key', () => caller(gateway, 'x')('GET', '/keys'), 401],
  ['a wrong kind of key', () => use('GET', '/keys'), 403],
  ['an unknown key', () => manage('GET', `/keys/${HASH}`), 404],
  ['an unknown path', () => manage('GET', '/kyes'), 404],
  ['a wrong method', () => manage('PUT', '/keys'), 405],
  ['a large body', () => manage('POST', '/keys', ' '.repeat(2 ** 20 + 1)), 413],
  ['a wrong content type', () => manage('POST', '/keys', 'x', { 'content-type': 'text/plain' }), 415],
  ['a probe', () => send(`${gateway.url}/healthz`, 'GET'), 200],
  ['readiness', () => send(`${gateway.url}/readyz`, 'GET'), 200],
  ['an RPC', () => rpc('{}', gateway.managementKey), 200],
  ['an invalid RPC', () => rpc('{"limit":0}', gateway.managementKey), 400],
  ['an RPC of nobody', () => rpc('{}'), 401],
  ['an RPC of the wrong kind of key', () => rpc('{}', gateway.apiKey), 403],
];

function rpc(body: string, secret?: string): Promise<Answer> {
  const headers = {
    'content-type': 'application/json',
    ...(secret && { authorization: `Bearer ${secret}` }),
  };
  return send(`${gateway.url}/byway.v1.KeyService/ListKeys`, 'POST', { headers, body });
}

describe.each(ANSWERS)('%s', (_, ask, status) => {
  it('has the headers of every answer', async () => {
    const answer = await ask();
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^[A-Za-z0-9._:-]{1,128}$/),
    });
    expect(Object.keys(answer.headers)).not.toContain('x-powered-by');
    expect(Object.keys(answer.headers)).not.toContain('server');
  });
});

describe('caching headers', () => {
  const LISTS = ['a public list', 'a list'];

  it.each(ANSWERS.filter(([name]) => !LISTS.includes(name)))('%s may not', async (_, ask) => {
    expect((await ask()).headers['cache-control']).toMatch(/^no-store(?:, no-transform)?$/);
  });

  it.each(ANSWERS.filter(([name]) => LISTS.includes(name)))(
    '%s: private, and only after revalidation',
    async (_, ask) => {
      const { headers } = await ask();
      expect([headers['cache-control'], headers.etag]).toEqual([
        'private, no-cache',
        expect.stringMatching(/^"\S+"$/),
      ]);
    },
  );
});

describe('every error of REST is in the envelope', () => {
  it.each(ANSWERS.filter(([name, , status]) => status >= 400 && !name.includes('RPC')))(
    '%s',
    async (_, ask, status) => {
      const answer = await ask();
      expect(refusalOf(answer)[0]).toBe(status);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    },
  );

  it('error.code is an integer, the HTTP status', async () => {
    const { error } = bodyOf(await manage('GET', `/keys/${HASH}`));
    expect(error).toEqual({ code: 404, message: 'Resource not found', metadata: { reason: 'not_found' } });
  });

  it('user_id is the caller, an API key its creator', async () => {
    expect(bodyOf(await manage('GET', `/keys/${HASH}`)).user_id).toBe(gateway.ownerUserId);
    const created = bodyOf(await manage('POST', '/keys', { name: 'n', creator_user_id: 'user_of_ours' }));
    const answer = await caller(gateway, String(created.key))('GET', '/generation?id=none');
    expect(bodyOf(answer).user_id).toBe('user_of_ours');
    expect('user_id' in bodyOf(await caller(gateway)('GET', '/keys'))).toBe(false);
  });

  it('a hundred violations are listed, not a million', async () => {
    const body = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`member_${index}`, index]));
    const answer = await manage('POST', '/keys', body);
    const { metadata } = bodyOf(answer).error as { metadata: { violations: Row[] } };
    expect([answer.status, metadata.violations.length]).toEqual([400, 100]);
  });
});

describe('X-Request-Id', () => {
  const idOf = async (sent?: string | string[]) => {
    const headers = sent === undefined ? {} : { 'x-request-id': sent };
    return (await manage('GET', '/keys', undefined, headers)).headers['x-request-id'];
  };

  it.each(['a', 'req-1', 'A.b_c:d-0', 'x'.repeat(128), '00000000-0000-4000-8000-000000000000'])(
    'a valid one is echoed: %s',
    async (id) => expect(await idOf(id)).toBe(id),
  );

  it.each(['', 'x'.repeat(129), 'a b', 'a/b', '<script>', 'a;b', 'ä'])(
    'another is replaced: %s',
    async (id) => {
      const given = await idOf(Buffer.from(id).toString('latin1'));
      expect(given).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
      expect(given).not.toBe(id);
    },
  );

  it('without one each request gets its own', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => idOf()));
    expect(new Set(ids).size).toBe(20);
  });

  it('is echoed with errors too, and over RPC', async () => {
    const headers = { 'x-request-id': 'mine' };
    const answers = [
      await caller(gateway)('GET', '/keys', undefined, headers),
      await caller(gateway)('GET', '/nothing', undefined, headers),
      await manage('POST', '/keys', '{', headers),
      await use('POST', '/chat/completions', { ...CHAT, stream: true }, headers),
      await send(`${gateway.url}/byway.v1.KeyService/ListKeys`, 'POST', { headers, body: '{}' }),
    ];
    expect(answers.map((answer) => answer.headers['x-request-id'])).toEqual(answers.map(() => 'mine'));
  });

  it('is the request_id of the generation record', async () => {
    const answer = await use('POST', '/chat/completions', CHAT, { 'x-request-id': 'my-chat' });
    const { data } = bodyOf(await use('GET', `/generation?id=${answer.headers['x-generation-id']}`));
    expect(data).toMatchObject({ request_id: 'my-chat' });
  });
});

it('an unexpected failure reveals no details, and is logged in full', async () => {
  const broken = await launchGateway();
  try {
    await broken.gateway.database.transact([], async (tx) => {
      await tx.schema.dropTable('account_preferences').execute();
    });
    const answer = await caller(broken, broken.managementKey)('GET', '/preferences');
    expect([answer.status, bodyOf(answer)]).toEqual([
      500,
      {
        error: { code: 500, message: 'Internal server error', metadata: { reason: 'internal' } },
        user_id: broken.ownerUserId,
      },
    ]);
    expect(
      broken.log.filter((line) => line.includes('internal error') && line.includes('account_preferences')),
    ).toHaveLength(1);
  } finally {
    await broken.stop();
  }
});
