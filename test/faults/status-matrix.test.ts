import { describe, expect, it } from 'vitest';
import { expectAnswerFrom, MODES, startProviders } from '../support/providers.js';
import { type Row, recordOf } from '../support/rest.js';

/** Status of a provider that nobody else stands in for, and what the caller is told. */
const MATRIX = [
  ...[400, 404, 413, 422].map((status) => [status, 400, 'upstream_invalid_request'] as const),
  ...[401, 402, 403, 408, 409, 424, 500, 502, 503, 504].map(
    (status) => [status, 502, 'upstream_failed'] as const,
  ),
  ...[429, 529].map((status) => [status, 429, 'upstream_rate_limited'] as const),
];

describe.each(MODES)('statuses of providers, %s (R39)', (mode) => {
  it('each moves on to the next way, once, and is told of as it was', async () => {
    const gateway = await startProviders('shared capacity');
    for (const [status] of MATRIX) {
      gateway.alpha.plan('m', { status, body: { error: { message: `About ${status}` } } });
      const heard = await gateway.ask(mode, { provider: { order: ['alpha'] } });
      expectAnswerFrom(heard, 'beta');
    }
    expect(gateway.beta.requests).toHaveLength(MATRIX.length);
  });

  it('where all say the same, the caller is told what it means, with the provider’s words', async () => {
    const gateway = await startProviders('shared capacity');
    for (const [status, ours, reason] of MATRIX) {
      for (const fake of [gateway.alpha, gateway.beta])
        fake.plan('m', { status, body: { error: { message: `About ${status}` } } });
      const heard = await gateway.ask(mode);
      expect([status, heard.status, heard.error?.metadata?.reason]).toEqual([status, ours, reason]);
      if (ours !== 429) expect(heard.error?.message).toContain(`About ${status}`);
      expect(heard.error?.metadata?.provider_responses).toMatchObject([{ status }, { status }]);
    }
  });

  it('a caller’s own mistake is neither hidden nor held against the provider', async () => {
    const gateway = await startProviders('shared capacity');
    const message = 'Unrecognized request argument supplied: colour';
    for (let count = 0; count < 5; count++) {
      const { status, error } = await gateway.ask(mode, { colour: 'blue' });
      expect([status, error?.message]).toEqual([400, message]);
    }
    const { attempts } = recordOf(await gateway.use('POST', '/routing/explain', { model: 'test/m' }));
    expect((attempts as (Row & { standing: Row })[]).map(({ standing }) => standing.state)).toEqual([
      'ok',
      'ok',
    ]);
    expectAnswerFrom(await gateway.ask(mode), 'alpha');
  });
});
