import { describe, expect, it } from 'vitest';
import { normalizedOf } from '../../../src/inference/ports/adapter.js';
import { NOW } from '../../support/chat.js';
import { FAKE_EU_API_KEY } from '../../support/fakes/fake-bedrock.js';
import { API_KEY, callTo, startAdapter, startTable } from './adapter.fixture.js';
import { type RefusedRequest, refusal } from './error-response.fixture.js';

const at = (minutes: number) => ({ headers: { date: new Date(NOW + minutes * 60_000).toUTCString() } });

describe('why a credential is refused, in words that help (403)', () => {
  const denied =
    'User: arn:aws:iam::123456789012:user/alice is not authorized to perform: bedrock:InvokeModelWithResponseStream on resource: arn:aws:bedrock:us-east-1::foundation-model/x because no identity-based policy allows the bedrock:InvokeModelWithResponseStream action';

  it.each<[string, string | null, string, RefusedRequest, RegExp]>([
    [
      'a permission that is named',
      'AccessDeniedException',
      denied,
      {},
      /^The credential lacks the permission bedrock:InvokeModelWithResponseStream$/,
    ],
    [
      'no access to the model',
      'AccessDeniedException',
      "You don't have access to the model with the specified model ID.",
      {},
      /no access to the model in us-east-1.* permission bedrock:InvokeModel is needed/,
    ],
    [
      'no access to the model, streamed',
      'AccessDeniedException',
      "You don't have access to the model with the specified model ID.",
      { isStreamed: true },
      /permission bedrock:InvokeModelWithResponseStream is needed/,
    ],
    [
      'an expired token',
      'ExpiredTokenException',
      'The security token included in the request is expired',
      {},
      /^The security token has expired$/,
    ],
    [
      'an unknown key',
      'UnrecognizedClientException',
      'The security token included in the request is invalid.',
      {},
      /does not know the access key/,
    ],
    [
      'a wrong secret',
      'InvalidSignatureException',
      'The request signature we calculated does not match ...',
      at(0),
      /secret access key is wrong/,
    ],
    [
      'a clock that is slow',
      'InvalidSignatureException',
      'Signature expired: ...',
      at(12),
      /clock of this gateway is 12 minutes behind/,
    ],
    [
      'a clock that is fast',
      'InvalidSignatureException',
      'Signature not yet current: ...',
      at(-60),
      /clock of this gateway is 60 minutes ahead of/,
    ],
    [
      'a clock, as far as one can tell',
      'InvalidSignatureException',
      'Signature expired: ...',
      {},
      /clock of this gateway may be wrong/,
    ],
    [
      'a wrong clock without a type',
      null,
      'Signature expired: 20250130T203827Z is now earlier than ...',
      at(9),
      /9 minutes behind/,
    ],
    [
      'a bare key',
      null,
      'Authentication failed: Please make sure your API Key is valid.',
      { credential: API_KEY },
      /refuses the API key in us-east-1/,
    ],
    [
      'a bare key that has expired',
      null,
      'Bearer Token has expired',
      { credential: API_KEY },
      /^The API key has expired$/,
    ],
    [
      'a bare key without a permission',
      'AccessDeniedException',
      'x is not authorized to perform: bedrock:CallWithBearerToken',
      { credential: API_KEY },
      /lacks the permission bedrock:CallWithBearerToken/,
    ],
    [
      'something else',
      'OptInRequired',
      'The account must be activated',
      {},
      /^The account must be activated$/,
    ],
  ])('%s', (_, type, message, request, expected) => {
    const failure = refusal(403, type, message, request);
    expect(failure).toMatchObject({ kind: 'auth', status: 403 });
    expect(failure.message).toMatch(expected);
    expect(failure.message).not.toContain('123456789012');
  });

  it('names the clock over the network too', async () => {
    const { call } = await startTable();
    const pending = startAdapter(NOW - 10 * 60_000).complete(call());
    await expect(pending).rejects.toMatchObject({ message: expect.stringMatching(/10 minutes behind/) });
  });

  it('names the region for a bare key of another one', async () => {
    const { fake, adapter } = await startTable();
    const credential = { ...API_KEY, apiKey: FAKE_EU_API_KEY };
    const call = callTo(fake.regionalBaseUrl, { credential, region: 'eu-central-1' });
    expect(normalizedOf(await adapter.complete(call)).choices).toHaveLength(1);
    const astray = callTo(fake.regionalBaseUrl, { credential, region: 'us-west-2' });
    await expect(adapter.complete(astray)).rejects.toMatchObject({
      kind: 'auth',
      message: expect.stringContaining('in us-west-2'),
    });
  });
});
