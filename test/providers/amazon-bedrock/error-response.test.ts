import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { responseFailure } from '../../../src/providers/amazon-bedrock/host/error-response.js';
import { NOW } from '../../support/chat.js';
import { event } from '../../support/fakes/fake-bedrock/answer.js';
import { FAKE_ACCESS_KEY, FAKE_API_KEY } from '../../support/fakes/fake-bedrock.js';
import { ACCESS_KEY, API_KEY, callTo, eventsOf, startTable } from './adapter.fixture.js';
import { refusal } from './error-response.fixture.js';

describe('what an error status means', () => {
  it.each([
    [400, 'ValidationException', 'invalid_request'],
    [400, 'ServiceQuotaExceededException', 'rate_limit'],
    [400, 'ThrottlingException', 'rate_limit'],
    [400, 'IncompleteSignatureException', 'auth'],
    [400, 'ExpiredTokenException', 'auth'],
    [403, 'AccessDeniedException', 'auth'],
    [403, 'UnrecognizedClientException', 'auth'],
    [403, 'InvalidSignatureException', 'auth'],
    [403, null, 'auth'],
    [404, 'ResourceNotFoundException', 'invalid_request'],
    [408, 'ModelTimeoutException', 'upstream_error'],
    [413, null, 'invalid_request'],
    [424, 'ModelErrorException', 'upstream_error'],
    [429, 'ThrottlingException', 'rate_limit'],
    [429, 'ModelNotReadyException', 'rate_limit'],
    [429, null, 'rate_limit'],
    [500, 'InternalServerException', 'upstream_error'],
    [503, 'ServiceUnavailableException', 'upstream_error'],
    [307, null, 'upstream_error'],
  ])('%i %s: %s', (status, type, kind) => {
    expect(refusal(status, type, 'said')).toMatchObject({ status, kind, error: null });
  });

  it('is the filter’s where Claude says so, in words alone', () => {
    const message = 'The model returned the following errors: Output blocked by content filtering policy';
    expect(refusal(400, 'ValidationException', message)).toMatchObject({
      kind: 'content_filter',
      status: 400,
    });
  });

  it.each<[string, object, Record<string, string>]>([
    [
      'the header with an address',
      { message: 'x' },
      { 'x-amzn-errortype': 'ThrottlingException:http://a/b' },
    ],
    ['the header alone', { message: 'x' }, { 'x-amzn-errortype': 'ThrottlingException' }],
    ['the body', { __type: 'com.amazon.coral.service#ThrottlingException', message: 'x' }, {}],
    ['the body’s code', { code: 'ThrottlingException', Message: 'x' }, {}],
  ])('reads the type from %s', (_, body, headers) => {
    const pending = { credential: ACCESS_KEY, region: 'us-east-1', isStreamed: false };
    const failure = responseFailure({ status: 400, headers, text: JSON.stringify(body) }, pending, NOW);
    expect(failure).toMatchObject({ kind: 'rate_limit', message: 'x' });
  });

  it.each([
    ['', 'The provider answered with status 500'],
    ['<html>said</html>', 'The provider answered with status 500'],
    ['{"message":"sa', 'The provider answered with status 500'],
    ['said\n', 'said'],
    ['{"Message":"said"}', 'said'],
  ])('takes the message out of %j', (text, message) => {
    const pending = { credential: ACCESS_KEY, region: 'us-east-1', isStreamed: false };
    expect(responseFailure({ status: 500, headers: {}, text }, pending, NOW).message).toBe(message);
  });

  it('takes the wait, but not for an exhausted quota', () => {
    const headers = { 'retry-after': '7' };
    expect(refusal(429, 'ThrottlingException', 'x', { headers }).retryAfterMs).toBe(7000);
    expect(refusal(400, 'ServiceQuotaExceededException', 'x', { headers }).retryAfterMs).toBeNull();
  });

  it('never reveals the account', () => {
    const arn = 'arn:aws:iam::123456789012:user/alice';
    expect(refusal(404, 'ResourceNotFoundException', `${arn}: none in 123456789012`).message).toBe(
      '[identity] none in [account]',
    );
  });
});

describe('an exception inside a stream', () => {
  it.each([
    ['throttlingException', 429, 'rate_limit'],
    ['validationException', 400, 'invalid_request'],
    ['internalServerException', 500, 'upstream_error'],
    ['modelStreamErrorException', 424, 'upstream_error'],
    ['modelTimeoutException', 408, 'upstream_error'],
    ['serviceUnavailableException', 503, 'upstream_error'],
    ['neverHeardOfException', 500, 'upstream_error'],
  ])('%s has the status %i and is %s', async (exception, status, kind) => {
    const first = event('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hi' } });
    const { stream } = await startTable({ frames: [first, { exception, payload: { message: 'said' } }] });
    const { events, thrown } = await stream();
    expect(events).toHaveLength(1);
    expect(thrown).toMatchObject({ status, kind, message: 'said' });
  });

  it('has the model’s own message', async () => {
    const payload = { message: 'outer', originalStatusCode: 400, originalMessage: 'inner' };
    const { stream } = await startTable({ frames: [{ exception: 'modelStreamErrorException', payload }] });
    expect((await stream()).thrown).toMatchObject({ message: 'inner' });
  });

  it('may be an error without a payload', async () => {
    const headers = { ':message-type': 'error', ':error-code': 'InternalError', ':error-message': 'said' };
    const { stream } = await startTable({ frames: [{ headers }] });
    expect((await stream()).thrown).toMatchObject({ status: 500, message: 'said' });
  });

  it('without a message names its type', async () => {
    const { stream } = await startTable({ frames: [{ exception: 'throttlingException' }] });
    expect((await stream()).thrown).toMatchObject({
      message: expect.stringContaining('throttlingexception'),
    });
  });

  it.each([
    ['no JSON', Buffer.from('not a frame at all')],
    ['an event that is no object', { event: 'contentBlockDelta', payload: 7 }],
  ])('%s is malformed', async (_, frame) => {
    const { stream } = await startTable({ frames: [frame] });
    expect((await stream()).thrown).toMatchObject({ kind: 'upstream_error', error: 'malformed' });
  });
});

describe('no failure contains any part of the credential', () => {
  const echo = `${FAKE_API_KEY} ${FAKE_ACCESS_KEY.accessKeyId} ${FAKE_ACCESS_KEY.secretAccessKey}`;

  it.each([ACCESS_KEY, API_KEY])('however the provider echoes it: $kind', async (credential) => {
    const secrets =
      credential.kind === 'api_key'
        ? [credential.apiKey]
        : [credential.accessKeyId, credential.secretAccessKey];
    const statuses = [400, 401, 403, 404, 424, 429, 500, 503];
    const types = [
      'ValidationException',
      'AccessDeniedException',
      'InvalidSignatureException',
      'OptInRequired',
      null,
    ];
    const refusals = statuses.flatMap((status) =>
      types.map((type) => ({
        status,
        headers: type === null ? {} : { 'x-amzn-errortype': type },
        body: { message: echo },
      })),
    );
    const failures: unknown[] = [];
    const { fake, adapter } = await startTable();
    for (const plan of [
      ...refusals,
      { frames: [{ exception: 'throttlingException', payload: { message: echo } }] },
      { frames: [{ exception: 'modelStreamErrorException', payload: { originalMessage: echo } }] },
      { frames: [{ headers: { ':message-type': 'error', ':error-message': echo } }] },
      { reset: true },
      { cutAfterBytes: 3 },
      { status: 500, body: echo },
    ]) {
      fake.plan('m', plan);
      const call = callTo(fake.baseUrl, { model: 'm', credential });
      failures.push((await eventsOf(adapter.stream(call))).thrown);
      failures.push(await adapter.complete(call).catch((thrown: unknown) => thrown));
    }
    const printed = failures.map((failure) => inspect(failure, { depth: 10 }) + String(failure)).join('\n');
    for (const secret of secrets) expect(printed).not.toContain(secret);
  });
});
