import { generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { VertexCredential } from '../../../src/byok/kinds/google-vertex.js';
import { normalizedOf } from '../../../src/inference/ports/adapter.js';
import { AccessTokens } from '../../../src/providers/google-vertex/host/token.js';
import { vertex } from '../../../src/providers/google-vertex/index.js';
import { createAdapter } from '../../../src/providers/http/exchange.js';
import { guardedConnector } from '../../../src/providers/http/guard.js';
import { createHttp } from '../../../src/providers/http/http.js';
import { createInlineMedia } from '../../../src/providers/http/inline-media.js';
import { CLIENT_EMAIL, PRIVATE_KEY_ID } from '../../support/fakes/fake-vertex/account.js';
import { startFakeVertex, type TokenPlan } from '../../support/fakes/fake-vertex.js';
import { TENANCY } from '../../support/tenancy.js';
import { credentialOf, startTable, testClock, vertexProvider } from './adapter.fixture.js';

const MINUTE_MS = 60_000;

async function startTokens(plan: TokenPlan = {}) {
  const clock = testClock();
  const fake = await startFakeVertex(() => clock.now());
  fake.planTokens(plan);
  const http = createHttp();
  onTestFinished(() => http.close());
  const tokens = new AccessTokens({ http, guardedHttp: http, clock });
  const provider = vertexProvider(fake.origin);
  const credential = credentialOf(fake.serviceAccount());
  const grant = (of: VertexCredential = credential, signal = new AbortController().signal) =>
    tokens.grant(of, provider, { signal, tenancy: TENANCY });
  return { clock, fake, tokens, provider, credential, grant };
}

function otherKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

describe('a token of a service account', () => {
  it('is exchanged for a valid assertion: key, key id, audience, scope, times', async () => {
    const { fake, grant } = await startTokens();
    const { token, wasCached } = await grant();
    expect(token.text).toBe(fake.tokens[0]);
    expect(wasCached).toBe(false);
    const [form] = fake.tokenRequests;
    const [head = '', claims = ''] = (new URLSearchParams(form).get('assertion') ?? '').split('.');
    const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(decoded(head)).toEqual({ alg: 'RS256', typ: 'JWT', kid: PRIVATE_KEY_ID });
    const { iat, exp, ...rest } = decoded(claims);
    expect(exp - iat).toBe(3600);
    expect(rest).toEqual({
      iss: CLIENT_EMAIL,
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      aud: `${fake.origin}/token`,
    });
  });

  it('is issued for a key whose line breaks were escaped twice', async () => {
    const { fake, grant } = await startTokens();
    const { private_key } = JSON.parse(fake.serviceAccount());
    const escaped = fake.serviceAccount({ private_key: private_key.replaceAll('\n', '\\n') });
    await grant(credentialOf(escaped));
    expect(fake.tokens).toHaveLength(1);
  });

  it('is cached until shortly before it expires', async () => {
    const { clock, fake, grant } = await startTokens({ expiresIn: 3600 });
    const { token } = await grant();
    clock.time += 54 * MINUTE_MS;
    expect(await grant()).toEqual({ token, wasCached: true });
    clock.time += 2 * MINUTE_MS;
    expect((await grant()).token).not.toBe(token);
    expect(fake.tokenRequests).toHaveLength(2);
  });

  it('is requested once for concurrent callers', async () => {
    const { fake, grant } = await startTokens();
    const all = await Promise.all(Array.from({ length: 50 }, () => grant()));
    expect(new Set(all.map(({ token }) => token)).size).toBe(1);
    expect(fake.tokenRequests).toHaveLength(1);
  });

  it('is the same for a credential that was read again', async () => {
    const { fake, grant } = await startTokens();
    await grant(credentialOf(fake.serviceAccount()));
    expect(await grant(credentialOf(fake.serviceAccount()))).toMatchObject({ wasCached: true });
  });

  it('is never given to a credential that differs in its private key only', async () => {
    const { fake, grant } = await startTokens();
    await grant();
    const forged = credentialOf(fake.serviceAccount({ private_key: otherKey() }));
    await expect(grant(forged)).rejects.toMatchObject({ kind: 'auth' });
    expect(fake.tokenRequests).toHaveLength(2);
  });

  it('is still requested when one of its callers goes away', async () => {
    const { fake, grant } = await startTokens();
    const client = new AbortController();
    const gone = grant(undefined, client.signal);
    const other = grant();
    client.abort(new Error('gone'));
    await expect(gone).rejects.toThrow('gone');
    expect((await other).token.text).toBe(fake.tokens[0]);
    expect(await grant()).toMatchObject({ wasCached: true });
  });

  it('is requested again after a failure', async () => {
    const { fake, grant } = await startTokens({ status: 503 });
    await expect(grant()).rejects.toMatchObject({ kind: 'upstream_error', status: 503 });
    fake.planTokens({});
    expect((await grant()).token.text).toBe(fake.tokens[0]);
  });

  it('is dropped when it is refused, but not its successor', async () => {
    const { credential, provider, tokens, grant } = await startTokens();
    const { token: first } = await grant();
    tokens.forget(credential, provider, first);
    const { token: second } = await grant();
    tokens.forget(credential, provider, first);
    expect(await grant()).toEqual({ token: second, wasCached: true });
  });

  it('is never printed', async () => {
    const { token } = await (await startTokens()).grant();
    expect(inspect(token) + JSON.stringify(token) + String(token)).not.toContain(token.text);
  });
});

describe('an account that gets no token (401 provider key invalid or revoked)', () => {
  it.each([
    ['private_key', { private_key: otherKey() }, "the service account's private_key: Invalid JWT Signature."],
    ['private_key_id', { private_key_id: 'otherid' }, "the service account's private_key_id"],
    [
      'client_email',
      { client_email: 'nobody@fake-project.iam.gserviceaccount.com' },
      "the service account's client_email",
    ],
  ])('has the refused member in its error: %s', async (_, more, message) => {
    const { fake, grant } = await startTokens();
    const pending = grant(credentialOf(fake.serviceAccount(more)));
    await expect(pending).rejects.toMatchObject({ kind: 'auth', status: 401 });
    await expect(pending).rejects.toThrow(message);
  });

  it('has the clock in its error, where that is wrong', async () => {
    const { clock, fake, grant } = await startTokens({
      headers: { date: new Date(testClock().now()).toUTCString() },
    });
    const now = clock.now();
    const http = createHttp();
    onTestFinished(() => http.close());
    const fast = new AccessTokens({ http, guardedHttp: http, clock: { now: () => now + 60 * MINUTE_MS } });
    const pending = fast.grant(credentialOf(fake.serviceAccount()), vertexProvider(fake.origin), {
      signal: new AbortController().signal,
      tenancy: TENANCY,
    });
    await expect(pending).rejects.toThrow("this gateway's clock, which is 3600 s ahead");
    await expect(pending).rejects.toMatchObject({ kind: 'auth' });
    expect((await grant()).wasCached).toBe(false);
  });

  it.each<[string, TokenPlan, object]>([
    [
      'too many',
      { status: 429, headers: { 'retry-after': '7' } },
      { kind: 'rate_limit', status: 429, retryAfterMs: 7000 },
    ],
    ['an outage', { status: 500, body: {} }, { kind: 'upstream_error', status: 500 }],
    [
      'a redirect',
      { status: 302, headers: { location: 'http://127.0.0.1/' } },
      { kind: 'upstream_error', status: 302 },
    ],
    ['another refusal', { status: 403, body: { error: 'access_denied' } }, { kind: 'auth', status: 401 }],
    ['a broken connection', { reset: true }, { kind: 'upstream_error', error: 'reset' }],
    ['no token', { body: { token_type: 'Bearer' } }, { kind: 'upstream_error', error: 'malformed' }],
    [
      'a token with a line break',
      { body: { access_token: 'ya29.a\r\nb: c' } },
      { kind: 'upstream_error', error: 'malformed' },
    ],
    [
      'a token that no header takes',
      { body: { access_token: '漢字' } },
      { kind: 'upstream_error', error: 'malformed' },
    ],
    ['no JSON', { body: 'hello' }, { kind: 'upstream_error', error: 'malformed' }],
  ])('fails: %s', async (_, plan, failure) => {
    await expect((await startTokens(plan)).grant()).rejects.toMatchObject(failure);
  });

  it('times out', async () => {
    const { fake, grant } = await startTokens({ stallAfter: 0 });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const pending = grant().catch((thrown: unknown) => thrown);
    while (fake.tokenRequests.length === 0) await new Promise(setImmediate);
    vi.advanceTimersByTime(MINUTE_MS);
    expect(await pending).toMatchObject({ kind: 'upstream_error', error: 'timeout' });
  });

  it('has no secret in its error', async () => {
    const echo = { error: 'invalid_grant', error_description: `${CLIENT_EMAIL} ${PRIVATE_KEY_ID}` };
    const { grant } = await startTokens({ status: 400, body: echo });
    const thrown: unknown = await grant().catch((error: unknown) => error);
    const told = inspect(thrown) + JSON.stringify(thrown);
    expect(told).toContain('[credential]');
    for (const secret of [CLIENT_EMAIL, PRIVATE_KEY_ID]) expect(told).not.toContain(secret);
  });
});

describe('a token that is refused before it expires', () => {
  it('is replaced, and the request retried once', async () => {
    const { fake, complete } = await startTable();
    await complete();
    fake.expireTokens();
    expect((await complete()).choices).toHaveLength(1);
    expect(fake.requests).toHaveLength(3);
    expect(fake.tokens).toHaveLength(2);
    expect(fake.requests[2]?.headers.authorization).toBe(`Bearer ${fake.tokens[1]}`);
  });

  it('is replaced once for concurrent requests, streams included', async () => {
    const { fake, complete, stream } = await startTable();
    await complete();
    fake.expireTokens();
    const all = await Promise.all(Array.from({ length: 10 }, () => stream()));
    expect(all.every(({ thrown }) => thrown === undefined)).toBe(true);
    expect(fake.tokens).toHaveLength(2);
  });

  it('fails when the next one is refused too', async () => {
    const { fake, complete } = await startTable();
    await complete();
    fake.expireTokens();
    fake.planTokens({ isStillborn: true });
    await expect(complete()).rejects.toMatchObject({ kind: 'auth', status: 401 });
    expect(fake.requests).toHaveLength(3);
  });

  it('is not retried when it was new', async () => {
    const { fake, complete } = await startTable();
    fake.planTokens({ isStillborn: true });
    await expect(complete()).rejects.toMatchObject({ kind: 'auth', status: 401 });
    expect(fake.requests).toHaveLength(1);
    fake.planTokens({});
    expect((await complete()).choices).toHaveLength(1);
  });
});

describe('where tokens come from (no private address in a credential)', () => {
  async function startGuarded(baseUrl: (origin: string) => string | null, tokenUri?: string) {
    const clock = testClock();
    const fake = await startFakeVertex(() => clock.now());
    const http = createHttp();
    const guardedHttp = createHttp(guardedConnector());
    onTestFinished(async () => void (await Promise.all([http.close(), guardedHttp.close()])));
    const table = await startTable();
    const credential = credentialOf(
      fake.serviceAccount(tokenUri === undefined ? {} : { token_uri: tokenUri }),
    );
    const adapter = createAdapter(
      vertex({
        http,
        inlineMedia: createInlineMedia({ guardedHttp: http, allowHttp: true }),
        tokens: new AccessTokens({ http, guardedHttp, clock }),
      }),
      clock,
    );
    const provider = vertexProvider(baseUrl(fake.origin));
    return {
      fake,
      complete: async () => normalizedOf(await adapter.complete({ ...table.call({ credential }), provider })),
    };
  }

  it('is no private address, whatever the credential names', async () => {
    const { fake, complete } = await startGuarded((origin) => origin);
    await expect(complete()).rejects.toMatchObject({ kind: 'upstream_error', error: 'connect' });
    expect(fake.tokenRequests).toEqual([]);
  });

  it('is no name that resolves to one', async () => {
    const { complete } = await startGuarded((origin) => origin, 'http://localhost:1/token');
    await expect(complete()).rejects.toMatchObject({ kind: 'upstream_error', error: 'connect' });
  });

  it('is the catalogue’s base_url instead of Google’s own', async () => {
    const { fake, complete } = await startGuarded((origin) => origin, 'https://oauth2.googleapis.com/token');
    expect((await complete()).choices).toHaveLength(1);
    expect(fake.tokens).toHaveLength(1);
  });
});
