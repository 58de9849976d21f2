import { describe, expect, it } from 'vitest';
import type { FakePlan } from '../../support/fakes/fake-openai/plan.js';
import { guardrail, setLimit } from '../../support/limits.js';
import { type ProvidersGateway, startProviders } from '../../support/providers.js';
import { bodyOf, caller, type Row, recordOf, send } from '../../support/rest.js';

const HELLO = { messages: [{ role: 'user', content: 'Hello' }] };

type Ask = (stream: boolean) => Promise<{ readonly status: number; readonly text: string }>;

const failing = (status: number, error: object = {}): FakePlan => ({
  status,
  body: { error: { message: 'No', ...error } },
});

/** What is wrong, how it comes about, and what the client is told: status, reason, type and param. */
const REFUSALS: readonly (readonly [
  what: string,
  ask: (gateway: ProvidersGateway) => Ask | Promise<Ask>,
  told: readonly [number, string, string, string | null],
])[] = [
  [
    'no credential',
    (gateway) => asking(gateway, null),
    [401, 'missing_authentication', 'authentication_error', null],
  ],
  [
    'an unknown key',
    (gateway) => asking(gateway, 'bw-v1-no'),
    [401, 'invalid_api_key', 'authentication_error', null],
  ],
  [
    'a key of another kind',
    (gateway) => asking(gateway, gateway.managementKey),
    [403, 'permission_denied', 'permission_error', null],
  ],
  [
    'a disabled key',
    async (gateway) => {
      await gateway.manage('PATCH', `/keys/${gateway.apiKeyHash}`, { disabled: true });
      return asking(gateway);
    },
    [401, 'api_key_disabled', 'authentication_error', null],
  ],
  [
    'a member of the wrong type',
    (gateway) => asking(gateway, gateway.apiKey, { ...HELLO, top_p: 'all' }),
    [400, 'invalid_request', 'invalid_request_error', 'top_p'],
  ],
  [
    'a member below the top',
    (gateway) => asking(gateway, gateway.apiKey, { messages: [{ role: 'user', content: 1 }] }),
    [400, 'invalid_request', 'invalid_request_error', 'messages[0].content'],
  ],
  [
    'an unknown model',
    (gateway) => asking(gateway, gateway.apiKey, { ...HELLO, model: 'no/such' }),
    [400, 'unknown_model', 'invalid_request_error', 'model'],
  ],
  [
    'no endpoint',
    (gateway) => asking(gateway, gateway.apiKey, { ...HELLO, provider: { only: ['demo'] } }),
    [404, 'no_endpoint', 'not_found_error', null],
  ],
  [
    'a limit that is reached',
    async (gateway) => {
      await setLimit(gateway, { limit: 0 });
      return asking(gateway);
    },
    [403, 'key_limit_exceeded', 'insufficient_quota', null],
  ],
  [
    'a budget that is reached',
    async (gateway) => {
      await guardrail(gateway, { limit_usd: 0, reset_interval: 'daily' }, 'key');
      return asking(gateway);
    },
    [403, 'guardrail_budget_exceeded', 'insufficient_quota', null],
  ],
  ...(
    [
      ['a content filter', failing(400, { code: 'content_filter', param: 'prompt' })],
      ['a refused member', failing(400, { code: 'unsupported_value', param: 'temperature' })],
      ['a prompt that is too long', failing(400, { code: 'context_length_exceeded', param: 'messages' })],
      ['limits of providers', failing(429)],
      ['a key that providers refuse', failing(401)],
      ['an account without a balance', failing(402)],
      ['providers that fail', failing(500, { type: 'their_error', param: null })],
    ] as const
  ).map(([what, plan], at) => {
    const told = [
      [400, 'content_filter', 'invalid_request_error', 'prompt'],
      [400, 'upstream_invalid_request', 'invalid_request_error', 'temperature'],
      [400, 'context_length_exceeded', 'invalid_request_error', 'messages'],
      [429, 'upstream_rate_limited', 'rate_limit_error', null],
      [502, 'upstream_credential_refused', 'server_error', null],
      [502, 'upstream_quota_exhausted', 'server_error', null],
      [502, 'upstream_failed', 'server_error', null],
    ][at] as [number, string, string, string | null];
    const ask = (gateway: ProvidersGateway) => {
      for (const fake of [gateway.alpha, gateway.beta]) fake.plan('m', plan, plan, plan, plan, plan, plan);
      return asking(gateway);
    };
    return [what, ask, told] as const;
  }),
];

function asking(
  gateway: ProvidersGateway,
  secret: string | null = gateway.apiKey,
  body: object = HELLO,
): Ask {
  return (stream) =>
    caller(gateway, secret ?? undefined)('POST', '/chat/completions', { model: 'test/m', stream, ...body });
}

describe('a refused chat tells OpenAI’s clients in its words', () => {
  it.each(REFUSALS)('%s', async (_, prepare, told) => {
    const gateway = await startProviders('shared capacity');
    const ask = await prepare(gateway);
    for (const stream of [false, true]) {
      const answer = await ask(stream);
      const { error } = bodyOf(answer as never) as { error: Row };
      const { reason } = error.metadata as Row;
      expect([answer.status, reason, error.type, error.param], answer.text).toEqual(told);
      expect(error.code).toBe(answer.status);
    }
  });

  it('so does the last chunk of a stream that broke', async () => {
    const gateway = await startProviders('shared capacity');
    const piece = { choices: [{ index: 0, delta: { content: 'Hi' } }] };
    gateway.alpha.plan('m', { chunks: [piece, { error: { message: 'Gone', type: 'their_error' } }] });
    expect((await gateway.ask('streamed')).error).toEqual({
      code: 502,
      message: 'Gone',
      type: 'server_error',
      param: null,
      metadata: {
        error_type: 'provider_unavailable',
        provider_error: { code: null, type: 'their_error', param: null },
      },
    });
  });

  it('and credits that are spent', async () => {
    const gateway = await startProviders('shared capacity', { credits: 0n });
    for (const stream of [false, true]) {
      const answer = await asking(gateway)(stream);
      expect([answer.status, bodyOf(answer as never).error]).toMatchObject([
        402,
        { type: 'insufficient_quota', param: null },
      ]);
    }
  });

  it('but errors of other operations have neither `type` nor `param`', async () => {
    const gateway = await startProviders(null);
    const { error } = bodyOf(await send(`${gateway.rest}/keys`, 'GET')) as { error: Row };
    expect(Object.keys(error)).toEqual(['code', 'message', 'metadata']);
    expect(recordOf(await gateway.manage('GET', `/keys/${gateway.apiKeyHash}`))).toBeTruthy();
  });
});
