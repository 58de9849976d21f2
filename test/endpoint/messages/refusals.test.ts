import { describe, expect, it } from 'vitest';
import { error } from '../../support/fakes/fake-anthropic/errors.js';
import { FAKE_API_KEY } from '../../support/fakes/fake-anthropic.js';
import { share } from '../../support/providers.js';
import { type Answer, bodyOf, type Call, caller, recordOf } from '../../support/rest.js';
import { CLAUDE, eventsIn, HELLO, startMessages } from './messages.fixture.js';

type Started = Awaited<ReturnType<typeof startMessages>>;

/** Makes a refusal, and gives the call that is refused. */
type Forbid = (started: Started) => Promise<Call | undefined>;

async function guarded({ manage, gateway }: Started, rule: object): Promise<undefined> {
  const { default_guardrail_id } = recordOf(await manage('GET', `/workspaces/${gateway.workspaceId}`));
  const answer = await manage('PATCH', `/guardrails/${default_guardrail_id}`, rule);
  expect(answer.status, answer.text).toBe(200);
}

async function keyWith({ manage, gateway }: Started, rule: object): Promise<Call> {
  const created = bodyOf(
    await manage('POST', '/keys', { name: 'Small', include_byok_in_limit: true, ...rule }),
  );
  return caller(gateway, String(created.key));
}

const FORBIDDEN: Readonly<Record<string, readonly [reason: string, status: number, forbid: Forbid]>> = {
  'a guardrail without the model': ['no_endpoint', 400, (one) => guarded(one, { ignored_models: [CLAUDE] })],
  'a guardrail without the provider': [
    'no_endpoint',
    400,
    (one) => guarded(one, { ignored_providers: ['first'] }),
  ],
  'zero data retention': ['no_endpoint', 400, (one) => guarded(one, { enforce_zdr: true })],
  'denied data collection': ['no_endpoint', 400, (one) => guarded(one, { data_collection: 'deny' })],
  'a guardrail of regions': [
    'region_not_allowed',
    400,
    (one) => guarded(one, { allowed_data_regions: ['eu'] }),
  ],
  'preferences of the account': [
    'no_endpoint',
    400,
    async ({ manage }) => {
      expect((await manage('PATCH', '/preferences', { ignored_providers: ['first'] })).status).toBe(200);
      return undefined;
    },
  ],
  'the budget of a guardrail': [
    'guardrail_budget_exceeded',
    402,
    (one) => guarded(one, { limit_usd: 0, include_byok_in_budgets: true }),
  ],
  'the limit of the key': ['key_limit_exceeded', 402, (one) => keyWith(one, { limit: 0 })],
  'the limit of an end user': [
    'end_user_limit_exceeded',
    402,
    (one) => keyWith(one, { end_user_limit: 0, end_user_required: true }),
  ],
  'a key of another kind': ['permission_denied', 403, async ({ manage }) => manage],
};

const BODY = { ...HELLO, model: CLAUDE, metadata: { user_id: 'ada' } };

function toldBy({ status, text }: Answer) {
  const { error: thrown } = JSON.parse(text);
  return [status, thrown.type, thrown.metadata.reason];
}

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  402: 'billing_error',
  403: 'permission_error',
};

describe('Claude Code takes a 403 for a dead login, so what is forbidden is said otherwise', () => {
  it.each(Object.entries(FORBIDDEN))('%s', async (_, [reason, status, forbid]) => {
    const started = await startMessages([{}], { env: { BYWAY_REGION_HOSTS: 'eu.example.com=eu' } });
    const use = (await forbid(started)) ?? started.use;
    for (const stream of [false, true]) {
      const answer = await use('POST', '/messages', { ...BODY, stream });
      expect(toldBy(answer), answer.text).toEqual([status, TYPES[status], reason]);
    }
    expect(started.fakes[0]?.requests).toEqual([]);
    if (status === 400) {
      const { max_tokens, ...counted } = BODY;
      const answer = await use('POST', '/messages/count_tokens', counted);
      expect(toldBy(answer), answer.text).toEqual([status, TYPES[status], reason]);
    }
  });
});

describe('a provider that answers 403', () => {
  const REFUSED = error(403, 'permission_error', 'Your API key does not have permission to use this model');
  const IN_STREAM = { events: [REFUSED.body as never] };

  it.each([
    ['with a key of the account', true, REFUSED],
    ['with a key of the account, in its stream', true, IN_STREAM],
    ['over shared capacity', false, REFUSED],
  ] as const)('%s is no dead login: it is asked again later', async (_, isByok, plan) => {
    const { gateway, fakes, manage, use } = await startMessages([plan]);
    if (!isByok) {
      const [{ id }] = (bodyOf(await manage('GET', '/byok')).data ?? []) as [{ id: string }];
      expect((await manage('DELETE', `/byok/${id}`)).status).toBe(200);
      await share(gateway, 'first', FAKE_API_KEY, 'anthropic');
    }
    for (const stream of [false, true]) {
      if (!stream && 'events' in plan) continue;
      const answer = await use('POST', '/messages', { ...BODY, stream });
      const told = answer.headers['content-type']?.startsWith('text/event-stream')
        ? eventsIn(answer.text).at(-1)
        : bodyOf(answer);
      expect(told).toMatchObject({
        type: 'error',
        error: { type: 'overloaded_error', metadata: { reason: 'upstream_credential_refused' } },
      });
      expect(answer.status).toBe(529);
    }
    expect(fakes[0]?.requests.length).toBeGreaterThan(0);
    const { max_tokens, ...counted } = BODY;
    expect((await use('POST', '/messages/count_tokens', counted)).status).toBe(200);
  });
});
