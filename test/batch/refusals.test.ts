import { describe, expect, it } from 'vitest';
import { bodyOf, caller, type Row, recordOf, refusalOf, rowsOf } from '../support/rest.js';
import { type BatchWorld, CLAUDE, GEMINI, request, startBatchWorld } from './world.js';

/** Expects a refusal without any call to the provider. */
async function refused(world: BatchWorld, body: object): Promise<(string | number)[]> {
  const answer = await world.submit(body);
  expect(world.google.requests).toEqual([]);
  expect(rowsOf(await world.manage('GET', '/batches'))).toEqual([]);
  return refusalOf(answer);
}

const NO_ID = '00000000-0000-4000-8000-000000000000';

describe('violations of a submission', () => {
  it('all are reported at once, each with its field', async () => {
    const world = await startBatchWorld();
    await world.store();
    const requests = [
      request('a', 'x', { provider: { zdr: true }, stream: true }),
      request('a', 'x', { model: CLAUDE }),
      request('b', 'x', { models: [GEMINI], model: GEMINI }),
      { custom_id: '', body: { messages: [] } },
      request('c', 'x', { messages: [{ role: 'user', content: [{ type: 'mystery' }] }] }),
    ];
    const refusal = await refused(world, { requests, byok_key_id: NO_ID, api_key_hash: 'f'.repeat(64) });
    expect(refusal).toEqual(
      expect.arrayContaining([
        400,
        'invalid_request',
        'byok_key_id known',
        'api_key_hash live',
        'requests[0].body.provider not_in_batch',
        'requests[0].body.stream not_in_batch',
        'requests[1].custom_id unique',
        'requests[1].body.model same_model',
        'requests[2].body.models not_in_batch',
        'requests[3].custom_id required',
        'requests[3].body.messages count',
        'requests[4].body supported',
      ]),
    );
  });

  it.each([GEMINI, CLAUDE])(
    'a request of %s that names a place is refused: the region of the key decides',
    async (model) => {
      const world = await startBatchWorld();
      await world.store();
      const requests = ['global', 'us'].map((inference_geo) =>
        request(inference_geo, 'x', { inference_geo }),
      );
      const refusal = [400, 'invalid_request', 'requests[1].body.inference_geo unsupported'];
      expect(await refused(world, { model, requests })).toEqual(expect.arrayContaining(refusal));
    },
  );

  it('unknown members are reported with the nearest known one', async () => {
    const world = await startBatchWorld();
    expect(await refused(world, { request: [] })).toEqual([400, 'invalid_request', 'request unknown']);
  });

  it.each(['meta/llama-4', 'test/m1'])('%s has no form in batches: 400 naming model', async (model) => {
    const world = await startBatchWorld();
    await world.store();
    expect(await refused(world, { model })).toEqual([400, 'invalid_request', 'model batch']);
  });

  it('an unknown model is reported', async () => {
    const world = await startBatchWorld();
    await world.store();
    expect(await refused(world, { model: 'google/gemini-2.5-flas' })).toEqual([
      400,
      'unknown_model',
      'model known',
    ]);
  });

  it('needs a management key', async () => {
    const world = await startBatchWorld();
    const answer = await caller(world.gateway, world.gateway.apiKey)('POST', '/batches', {});
    expect(answer.status).toBe(403);
  });

  it('has a maximum of 32 MiB, more than other administrative requests', async () => {
    const world = await startBatchWorld();
    await world.store();
    const content = 'x'.repeat(2 * 1024 * 1024);
    expect((await world.submit({ requests: [request('a', content)] })).status).toBe(201);
    const requests = [request('a', 'x'.repeat(33 * 1024 * 1024))];
    expect((await world.submit({ requests })).status).toBe(413);
  });
});

describe('which key serves a batch', () => {
  it('the first in order that is enabled and whose filters match, or the one that is named', async () => {
    const world = await startBatchWorld();
    await world.store({}, { name: 'disabled', disabled: true });
    await world.store({}, { name: 'other model', allowed_models: [CLAUDE] });
    await world.store({}, { name: 'other member', allowed_user_ids: ['user_x'] });
    const fits = await world.store({}, { name: 'fits' });
    const last = await world.store({}, { name: 'last' });
    expect(recordOf(await world.submit()).byok_key_id).toBe(fits.id);
    expect(recordOf(await world.submit({ byok_key_id: last.id })).byok_key_id).toBe(last.id);
  });

  it.each([
    ['disabled', { disabled: true }, 'key_disabled'],
    ['not for the model', { allowed_models: [CLAUDE] }, 'key_model_filter'],
    ['not for the member', { allowed_user_ids: ['user_x'] }, 'key_member_filter'],
  ])('one that is named and %s is refused', async (_, members, rule) => {
    const world = await startBatchWorld();
    const key = await world.store({}, members);
    await world.store();
    const refusal = await refused(world, { byok_key_id: key.id });
    expect(refusal).toEqual([400, 'invalid_request', `byok_key_id ${rule}`]);
  });

  it('one is required: shared capacity and keys of other providers serve no batch', async () => {
    const world = await startBatchWorld();
    const other = recordOf(
      await world.manage('POST', '/byok', { provider: 'a', key: 'demo-echo-1234567890' }),
    );
    const model = 'google/gemini-2.5-pro';
    expect(await refused(world, { model })).toEqual([400, 'invalid_request', 'byok_key_id required']);
    expect(await refused(world, { model, byok_key_id: other.id })).toEqual([
      400,
      'invalid_request',
      'byok_key_id provider',
    ]);
  });

  it('a key of another account counts as nonexistent', async () => {
    const [world, other] = [await startBatchWorld(), await startBatchWorld()];
    const key = await other.store();
    expect(await refused(world, { byok_key_id: key.id })).toContain('byok_key_id known');
  });

  it('data policies apply as for any request: no key exempts from them', async () => {
    const world = await startBatchWorld();
    await world.store();
    await world.manage('PATCH', '/preferences', { zdr: true });
    const answer = await world.submit();
    expect(refusalOf(answer)).toEqual([404, 'no_endpoint']);
    expect((bodyOf(answer).error as Row).metadata).toMatchObject({ reasons: { data_policy_zdr: 1 } });
  });

  it('through a region’s host only keys that run there', async () => {
    const world = await startBatchWorld({ env: { BYWAY_REGION_HOSTS: 'eu.example.com=eu' } });
    const american = await world.store({ region: 'us-central1' });
    const body = { model: GEMINI, requests: [request('a')] };
    const host = { host: 'eu.example.com' };
    const answer = await world.manage('POST', '/batches', body, host);
    expect([answer.status, world.google.jobs.all.length]).toEqual([404, 0]);
    const named = await world.manage('POST', '/batches', { ...body, byok_key_id: american.id }, host);
    expect([named.status, refusalOf(named)[2]]).toEqual([400, expect.stringContaining('byok_key_id')]);
    const european = await world.store({ region: 'europe-west4' });
    const record = recordOf(await world.manage('POST', '/batches', body, host));
    expect(record).toMatchObject({
      byok_key_id: european.id,
      input_uri: expect.stringContaining('europe-west4'),
      provider_job: expect.stringContaining('/locations/europe-west4/'),
    });
  });

  it('what a guardrail of the API key does not allow is refused', async () => {
    const world = await startBatchWorld();
    await world.store();
    const { apiKeyHash: api_key_hash } = world.gateway;
    const guardrail = recordOf(
      await world.manage('POST', '/guardrails', { name: 'g', allowed_models: [CLAUDE] }),
    );
    const key_hashes = [api_key_hash];
    await world.manage('POST', `/guardrails/${guardrail.id}/assignments/keys`, { key_hashes });
    const refusal = await refused(world, { api_key_hash });
    expect(refusal.slice(0, 2)).toEqual([404, 'no_endpoint']);
    expect((await world.submit({ model: CLAUDE, api_key_hash })).status).toBe(201);
  });

  it('a key of the API key’s own workspace, and no API key that is disabled', async () => {
    const world = await startBatchWorld();
    const workspace = recordOf(await world.manage('POST', '/workspaces', { name: 'Other', slug: 'other' }));
    const key = await world.store({}, { workspace_id: workspace.id });
    const { apiKeyHash: api_key_hash } = world.gateway;
    expect(await refused(world, { byok_key_id: key.id, api_key_hash })).toContain('byok_key_id workspace');
    await world.manage('PATCH', `/keys/${api_key_hash}`, { disabled: true });
    expect(await refused(world, { api_key_hash })).toContain('api_key_hash enabled');
    expect((await world.submit({ byok_key_id: key.id })).status).toBe(201);
  });
});
