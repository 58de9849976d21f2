import { describe, expect, it } from 'vitest';
import { REASONS, type Reason } from '../../../src/base/reasons.js';
import { type Answer, bodyOf, type Row, recordOf, send } from '../../support/rest.js';
import { type ResponsesGateway, startResponses } from './responses.fixture.js';

/** What a refused request says beside the model and the input. */
interface Refused {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** Makes a refusal of requests for this model. */
type Forbid = (gateway: ResponsesGateway, model: string) => Promise<Refused | undefined>;

interface Words {
  readonly reason: Reason;
  readonly status: number;
  readonly type: string;
  readonly code: string;
}

const UNSERVED = { status: 400, type: 'invalid_request_error' } as const;
const QUOTA = { status: 429, type: 'insufficient_quota', code: 'insufficient_quota' } as const;
const LIMIT = { status: 429, type: 'usage_limit_reached', code: 'usage_limit_reached' } as const;
const NO_ENDPOINT = { ...UNSERVED, reason: 'no_endpoint', code: 'no_endpoint' } as const;

async function guarded({ manage, workspaceId }: ResponsesGateway, rule: object): Promise<undefined> {
  const { default_guardrail_id } = recordOf(await manage('GET', `/workspaces/${workspaceId}`));
  const answer = await manage('PATCH', `/guardrails/${default_guardrail_id}`, rule);
  expect(answer.status, answer.text).toBe(200);
}

async function keyWith({ manage }: ResponsesGateway, rule: object): Promise<Refused> {
  const rules = { name: 'Small', include_byok_in_limit: true, ...rule };
  return { key: String(bodyOf(await manage('POST', '/keys', rules)).key) };
}

async function budget({ manage, workspaceId }: ResponsesGateway, interval: string): Promise<void> {
  const spent = { limit_usd: 0.000001, include_byok_in_budgets: true };
  const set = await manage('PUT', `/workspaces/${workspaceId}/budgets/${interval}`, spent);
  expect(set.status, set.text).toBeLessThan(300);
}

/** Spends a little, so that what is limited to less is spent. */
async function spend(gateway: ResponsesGateway, model: string, headers = {}): Promise<undefined> {
  const answer = await gateway.use('POST', '/responses', { model, input: 'Hi' }, headers);
  expect(answer.status, answer.text).toBe(200);
}

const RUN = { 'x-byway-run': 'tests', 'x-byway-run-limit-usd': '0.000000001' };

const ofGuardrail = { reason: 'guardrail_budget_exceeded' } as const;
const ofWorkspace = { reason: 'workspace_budget_exceeded' } as const;
const ofKey = { reason: 'key_limit_exceeded' } as const;
const ofEndUser = { reason: 'end_user_limit_exceeded' } as const;

const REFUSALS: Readonly<Record<string, readonly [Words, Forbid]>> = {
  'a guardrail without the model': [NO_ENDPOINT, (one, model) => guarded(one, { ignored_models: [model] })],
  'a guardrail without the provider': [
    NO_ENDPOINT,
    (one) => guarded(one, { ignored_providers: ['host', 'openai'] }),
  ],
  'zero data retention': [NO_ENDPOINT, (one) => guarded(one, { enforce_zdr: true })],
  'zero data retention of the request': [NO_ENDPOINT, async () => ({ body: { provider: { zdr: true } } })],
  'denied data collection': [NO_ENDPOINT, (one) => guarded(one, { data_collection: 'deny' })],
  'denied data collection of the request': [
    NO_ENDPOINT,
    async () => ({ body: { provider: { data_collection: 'deny' } } }),
  ],
  'a guardrail of regions': [
    { ...UNSERVED, reason: 'region_not_allowed', code: 'region_not_allowed' },
    (one) => guarded(one, { allowed_data_regions: ['eu'] }),
  ],
  'preferences of the account': [
    NO_ENDPOINT,
    async ({ manage }) => {
      const set = await manage('PATCH', '/preferences', { ignored_providers: ['host', 'openai'] });
      expect(set.status, set.text).toBe(200);
      return undefined;
    },
  ],
  'providers that are not those of the model': [
    NO_ENDPOINT,
    async () => ({ body: { provider: { only: ['elsewhere'] } } }),
  ],
  'a price that is too high': [
    NO_ENDPOINT,
    async () => ({ body: { provider: { max_price: { prompt: 0.000001 } } } }),
  ],
  'what it may cost': [
    NO_ENDPOINT,
    async () => ({ body: { max_output_tokens: 1_000, provider: { max_cost_usd: '0.000001' } } }),
  ],
  'an unknown model': [
    { ...UNSERVED, reason: 'unknown_model', code: 'model_not_found' },
    async () => ({ body: { model: 'test/none' } }),
  ],
  'the budget of a guardrail': [
    { ...QUOTA, ...ofGuardrail },
    (one) => guarded(one, { limit_usd: 0, include_byok_in_budgets: true }),
  ],
  'the budget of a guardrail that resets': [
    { ...LIMIT, ...ofGuardrail },
    (one) => guarded(one, { limit_usd: 0, include_byok_in_budgets: true, reset_interval: 'weekly' }),
  ],
  'the budget of a workspace': [
    { ...QUOTA, ...ofWorkspace },
    async (one, model) => {
      await budget(one, 'lifetime');
      return spend(one, model);
    },
  ],
  'the budget of a workspace that resets': [
    { ...LIMIT, ...ofWorkspace },
    async (one, model) => {
      await budget(one, 'daily');
      return spend(one, model);
    },
  ],
  'the limit of the key': [{ ...QUOTA, ...ofKey }, (one) => keyWith(one, { limit: 0 })],
  'the limit of the key that resets': [
    { ...LIMIT, ...ofKey },
    (one) => keyWith(one, { limit: 0, limit_reset: 'monthly' }),
  ],
  'the limit of an end user, by `safety_identifier`': [
    { ...QUOTA, ...ofEndUser },
    async (one) => {
      const key = await keyWith(one, { end_user_limit: 0, end_user_required: true });
      return { ...key, body: { safety_identifier: 'ada' } };
    },
  ],
  'the limit of an end user that resets, by `user`': [
    { ...LIMIT, ...ofEndUser },
    async (one) => {
      const rules = { end_user_limit: 0, end_user_limit_reset: 'daily', end_user_required: true };
      return { ...(await keyWith(one, rules)), body: { user: 'ada' } };
    },
  ],
  'the limit of a run': [
    { ...QUOTA, reason: 'run_limit_exceeded' },
    async (one, model) => {
      await spend(one, model, RUN);
      return { headers: RUN };
    },
  ],
  'no end user, where one is required': [
    { ...UNSERVED, reason: 'invalid_request', code: 'missing_required_parameter' },
    (one) => keyWith(one, { end_user_required: true }),
  ],
  'a key of another kind': [
    {
      ...{ status: 403, type: 'permission_error', reason: 'permission_denied', code: 'permission_denied' },
    },
    async ({ managementKey }) => ({ key: managementKey }),
  ],
  'a stored response': [
    { ...UNSERVED, reason: 'invalid_request', code: 'invalid_value' },
    async () => ({ body: { previous_response_id: 'resp_1' } }),
  ],
};

/** The words are those of every method. */
async function expectRefusedOverRpc(
  { url }: ResponsesGateway,
  { previous_response_id, ...named }: Row,
  authorized: Readonly<Record<string, string>>,
  reason: Reason,
): Promise<void> {
  const extra = previous_response_id === undefined ? {} : { previous_response_id };
  const rpc = { request: { ...named, input: { text: 'Hi' }, extra } };
  const service = `${url}/byway.v1.ResponsesService`;
  const whole = await send(`${service}/CreateResponse`, 'POST', { headers: authorized, body: rpc });
  expect(bodyOf(whole).code, whole.text).toBe(REASONS[reason].code);
  const streamed = await send(`${service}/StreamResponse`, 'POST', {
    headers: { ...authorized, 'content-type': 'application/connect+json' },
    body: enveloped(rpc),
  });
  expect(streamed.text).toContain(`"code":"${REASONS[reason].code}"`);
}

/** A message of Connect's streams. */
function enveloped(message: object): Buffer {
  const json = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(5);
  head.writeUInt32BE(json.length, 1);
  return Buffer.concat([head, json]);
}

function toldBy({ status, text }: Answer) {
  const { error } = JSON.parse(text) as { readonly error: Row };
  const { reason } = error.metadata as Row;
  return { status, reason, type: error.type, code: error.code };
}

const CELLS = Object.entries(REFUSALS).flatMap(([name, row]) =>
  ['test/chat', 'test/responses'].map((model) => [name, model, ...row] as const),
);

describe('Codex asks again after 401, 402, 403 and 404, so what no retry mends is said otherwise', () => {
  it.each(CELLS)('%s, of %s: in one piece, streamed, and over RPC', async (_, model, told, forbid) => {
    const gateway = await startResponses([{}], { env: { BYWAY_REGION_HOSTS: 'eu.example.com=eu' } });
    const { key = gateway.apiKey, headers = {}, body = {} } = (await forbid(gateway, model)) ?? {};
    const before = gateway.host.requests.length;
    const request: Row & { readonly model: string } = { model, input: 'Hi', ...body };
    const authorized = { ...headers, authorization: `Bearer ${key}` };
    for (const stream of [false, true]) {
      const answer = await gateway.use('POST', '/responses', { ...request, stream }, authorized);
      expect(toldBy(answer), answer.text).toEqual(told);
      const { resets_at, message, param } = bodyOf(answer).error as Row;
      const isLimit = told.type === 'usage_limit_reached';
      expect(resets_at).toEqual(isLimit ? expect.any(Number) : undefined);
      if (isLimit) expect(Number(resets_at)).toBeGreaterThan(Date.now() / 1000);
      expect([message, param === null || typeof param === 'string']).toEqual([expect.any(String), true]);
      expect(answer.headers['content-type']).toContain('application/json');
    }
    if (!('provider' in body)) await expectRefusedOverRpc(gateway, request, authorized, told.reason);
    expect(gateway.host.requests.length).toBe(before);
  });
});
