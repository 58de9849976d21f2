import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  reportedFailure,
  responseFailure,
} from '../../../src/providers/google-vertex/host/error-response.js';
import { NOW } from '../../support/chat.js';
import {
  CLIENT_EMAIL,
  PRIVATE_KEY_ID,
  PRIVATE_KEY_PEM,
  PROJECT_ID,
} from '../../support/fakes/fake-vertex/account.js';
import { googleError, permissionDenied } from '../../support/fakes/fake-vertex/error.js';
import type { FakePlan } from '../../support/fakes/fake-vertex/plan.js';
import { startTable } from './adapter.fixture.js';

function refusal(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return responseFailure({ status, headers, text }, (message) => message, NOW);
}

describe('what an error status means', () => {
  it.each([
    [400, 'INVALID_ARGUMENT', 'invalid_request'],
    [400, 'FAILED_PRECONDITION', 'invalid_request'],
    [401, 'UNAUTHENTICATED', 'auth'],
    [403, 'PERMISSION_DENIED', 'auth'],
    [404, 'NOT_FOUND', 'invalid_request'],
    [429, 'RESOURCE_EXHAUSTED', 'rate_limit'],
    [499, 'CANCELLED', 'upstream_error'],
    [500, 'INTERNAL', 'upstream_error'],
    [503, 'UNAVAILABLE', 'upstream_error'],
    [504, 'DEADLINE_EXCEEDED', 'upstream_error'],
    [529, 'overloaded', 'rate_limit'],
  ])('%i %s: %s', (status, word, kind) => {
    const { body } = googleError(status, word, 'said');
    expect(refusal(status, body)).toMatchObject({ status, kind, message: 'said' });
    expect(refusal(status, [body])).toMatchObject({ status, kind, message: 'said' });
  });

  it('is the filter’s where Claude says so, in words alone', () => {
    const message = 'Output blocked by content filtering policy';
    const body = { type: 'error', error: { type: 'invalid_request_error', message } };
    expect(refusal(400, body)).toMatchObject({ kind: 'content_filter', status: 400 });
  });

  it('names the permission that an account lacks', () => {
    const { status, body } = permissionDenied('p', 'm');
    expect(refusal(status, body)).toMatchObject({ kind: 'auth', status: 403 });
    expect(refusal(status, body).message).toContain("Permission 'aiplatform.endpoints.predict' denied");
  });

  it.each([
    [
      'Anthropic’s envelope',
      { type: 'error', error: { type: 'invalid_request_error', message: 'said' } },
      'said',
    ],
    ['a page', '<html>said</html>', 'The provider answered with status 400'],
    ['nothing', '', 'The provider answered with status 400'],
    ['cut JSON', '{"error":{"message":"sa', 'The provider answered with status 400'],
  ])('takes the message out of %s', (_, body, message) => {
    expect(refusal(400, body).message).toBe(message);
  });

  it('takes the wait, which is seldom given', () => {
    const info = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.074824224s' };
    const { body } = googleError(429, 'RESOURCE_EXHAUSTED', 'said', [{ reason: 'x' }, info]);
    expect(refusal(429, body).retryAfterMs).toBe(34_075);
    expect(refusal(429, [body]).retryAfterMs).toBe(34_075);
    expect(refusal(429, body, { 'retry-after': '2' }).retryAfterMs).toBe(2000);
    expect(refusal(429, googleError(429, 'RESOURCE_EXHAUSTED', 'said').body).retryAfterMs).toBeNull();
  });

  it.each([
    [{ error: { code: 429, message: 'said' } }, 429, 'rate_limit'],
    [{ error: { message: 'said', status: 'INTERNAL' } }, 500, 'upstream_error'],
    [{ type: 'error', error: { type: 'overloaded_error', message: 'said' } }, 529, 'rate_limit'],
    [{ error: 'said' }, 500, 'upstream_error'],
  ])('inside a successful answer: %j is %i', (answer, status, kind) => {
    expect(reportedFailure(answer, (message) => message)).toMatchObject({ status, kind, message: 'said' });
  });
});

describe('an error response over the network', () => {
  it.each<[string, object, FakePlan, object]>([
    [
      'a model that is not there',
      { upstreamModelId: 'gemini-no-such-model' },
      {},
      { kind: 'invalid_request', status: 404 },
    ],
    [
      'a list',
      {},
      { status: 429, body: [googleError(429, 'RESOURCE_EXHAUSTED', 'said').body] },
      { kind: 'rate_limit', status: 429, message: 'said' },
    ],
    [
      'a page',
      {},
      { status: 502, body: '<html>'.padEnd(100_000, 'x'), isLeftOpen: true },
      { kind: 'upstream_error', status: 502 },
    ],
    [
      'a redirect',
      {},
      { status: 307, headers: { location: 'http://127.0.0.1:1/' } },
      { kind: 'upstream_error', status: 307 },
    ],
    [
      'an error in the place of the answer',
      {},
      { answer: [googleError(503, 'UNAVAILABLE', 'said').body] },
      { status: 503, message: 'said' },
    ],
    ['no answer', {}, { answer: 'hello' }, { error: 'malformed' }],
  ])('fails with its message: %s', async (_, endpoint, plan, failure) => {
    const { complete } = await startTable(plan);
    await expect(complete({ endpoint })).rejects.toMatchObject(failure);
  });

  it('never contains what identifies an account, whatever the failure', async () => {
    const secrets = [CLIENT_EMAIL, PRIVATE_KEY_ID, PROJECT_ID, PRIVATE_KEY_PEM.split('\n')[1] ?? ''];
    const echo = (token: string) => `no ${[...secrets, token].join(' ')}`;
    const token = 'ya29.c.fake-1-0123456789';
    const error = { code: 403, message: echo(token), status: 'PERMISSION_DENIED' };
    const plans: FakePlan[] = [
      { status: 403, body: { error } },
      { status: 400, body: [{ error }] },
      { status: 500, body: echo(token) },
      { answer: { error }, chunks: [{ error }] },
      { answer: [{ error: echo(token) }], chunks: [[{ error: echo(token) }]] },
      { reset: true },
      { cutAfterBytes: 10 },
    ];
    for (const plan of plans) {
      const { complete, stream, credential } = await startTable(plan);
      const failures = [await complete().catch((thrown: unknown) => thrown), (await stream()).thrown];
      for (const failure of failures) {
        const { message } = failure as Error;
        const told =
          message +
          inspect({ ...Object(failure), stack: (failure as Error).stack }) +
          JSON.stringify(failure);
        for (const secret of [...secrets.slice(0, 3), token]) expect(told).not.toContain(secret);
      }
      expect(inspect(credential, { showHidden: false, depth: 5 })).not.toContain(CLIENT_EMAIL);
    }
  });
});
