import { describe, expect, it } from 'vitest';
import { expectAnswerFrom, MODES, startProviders } from '../support/providers.js';
import { type Row, recordOf } from '../support/rest.js';

/** The status of the only provider, and the status and reason that the caller gets. */
const MATRIX = [
  ...[400, 404, 413, 422].map((status) => [status, 400, 'upstream_invalid_request'] as const),
  ...[401, 403].map((status) => [status, 502, 'upstream_credential_refused'] as const),
  [402, 502, 'upstream_quota_exhausted'] as const,
  ...[408, 409, 424, 500, 502, 503, 504].map((status) => [status, 502, 'upstream_failed'] as const),
  ...[429, 529].map((status) => [status, 429, 'upstream_rate_limited'] as const),
];

describe.each(MODES)('statuses of providers, %s', (mode) => {
  it('each moves on to the next candidate, once, and is listed with its status', async () => {
    const gateway = await startProviders('shared capacity');
    for (const [status] of MATRIX) {
      gateway.alpha.plan('m', { status, body: { error: { message: `About ${status}` } } });
      const answer = await gateway.ask(mode, { provider: { order: ['alpha'] } });
      expectAnswerFrom(answer, 'beta');
    }
    expect(gateway.beta.requests).toHaveLength(MATRIX.length);
  });

  it('where all fail alike, the caller gets the matching error with the provider’s message, but for words about the operator’s account', async () => {
    const gateway = await startProviders('shared capacity');
    for (const [status, ours, reason] of MATRIX) {
      for (const fake of [gateway.alpha, gateway.beta])
        fake.plan('m', { status, body: { error: { message: `About ${status}` } } });
      const answer = await gateway.ask(mode);
      expect([status, answer.status, answer.error?.metadata?.reason]).toEqual([status, ours, reason]);
      const isOfAccount = [401, 402, 403].includes(status);
      if (isOfAccount) expect(answer.text).not.toContain(`About ${status}`);
      else if (ours !== 429) expect(answer.error?.message).toContain(`About ${status}`);
      expect(answer.error?.metadata?.provider_responses).toMatchObject([{ status }, { status }]);
    }
  });

  it.each([
    ['BYOK keys', 'Unrecognized request argument supplied: colour', { colour: 'blue' }],
    ['shared capacity', 'Bad messages', {}],
  ] as const)(
    'an invalid request over %s is reported as such and does not count against the provider',
    async (capacity, message, more) => {
      const gateway = await startProviders(capacity);
      const refusal = { status: 400, body: { error: { message } } };
      for (let count = 0; count < 5; count++) {
        if (capacity === 'shared capacity')
          for (const fake of [gateway.alpha, gateway.beta]) fake.plan('m', refusal);
        const { status, error } = await gateway.ask(mode, more);
        expect([status, error?.message]).toEqual([400, message]);
      }
      const { attempts } = recordOf(await gateway.use('POST', '/routing/explain', { model: 'test/m' }));
      expect((attempts as (Row & { health: Row })[]).map(({ health }) => health.state)).toEqual(['ok', 'ok']);
      gateway.alpha.plan('m', {});
      expectAnswerFrom(await gateway.ask(mode), 'alpha');
    },
  );
});
