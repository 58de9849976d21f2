import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { recordOf, refusalOf, rowsOf } from '../support/rest.js';
import { badRequest, callsOf, request, startBatchWorld } from './world.js';

describe('the states of a batch', () => {
  it('goes from queued over running to completed as the job does, and counts the finished requests', async () => {
    const world = await startBatchWorld();
    await world.store();
    world.google.jobs.plan = { looks: 4 };
    const { id, status } = recordOf(await world.submit());
    const seen = new Set([status]);
    while (!seen.has('completed')) seen.add(recordOf(await world.manage('GET', `/batches/${id}`)).status);
    expect([...seen]).toEqual(['queued', 'running', 'completed']);
  });

  it.each([
    ['JOB_STATE_FAILED', 'failed', 'The model is overloaded.'],
    ['JOB_STATE_EXPIRED', 'failed', undefined],
    ['JOB_STATE_CANCELLED', 'cancelled', undefined],
    ['JOB_STATE_PARTIALLY_SUCCEEDED', 'completed', undefined],
  ])('%s is %s', async (state, status, error) => {
    const world = await startBatchWorld();
    await world.store();
    world.google.jobs.plan = { looks: 1, state, ...(error !== undefined && { error }) };
    const { id } = recordOf(await world.submit({ requests: [request('a'), request('b')] }));
    const record = await world.ended(id);
    expect(record.status).toBe(status);
    if (error !== undefined) expect(record.error).toBe(error);
    const isAnswered = error === undefined;
    expect(record.request_counts).toEqual({
      total: 2,
      completed: isAnswered ? 2 : 0,
      failed: isAnswered ? 0 : 2,
    });
    const results = await world.results(id);
    expect(results.map(({ response }) => response !== null)).toEqual([isAnswered, isAnswered]);
  });

  it('has no results before it has ended: 409', async () => {
    const world = await startBatchWorld();
    await world.store();
    world.google.jobs.plan = { looks: Number.POSITIVE_INFINITY };
    const { id } = recordOf(await world.submit());
    expect(refusalOf(await world.manage('GET', `/batches/${id}/results`))).toEqual([409, 'not_finished']);
  });

  it('is unknown to other accounts, and so is one that does not exist', async () => {
    const world = await startBatchWorld();
    await world.store();
    const { id } = recordOf(await world.submit());
    const other = await world.gateway.addAccount();
    const headers = { authorization: `Bearer ${other.managementKey}` };
    for (const path of [id, `${id}/results`, 'x', '00000000-0000-4000-8000-000000000000']) {
      expect(refusalOf(await world.manage('GET', `/batches/${path}`, undefined, headers))).toEqual([
        404,
        'not_found',
      ]);
    }
    expect(rowsOf(await world.manage('GET', '/batches', undefined, headers))).toEqual([]);
  });

  it('is metered when it ends, without any request for it', async () => {
    const world = await startBatchWorld();
    await world.store();
    const { id } = recordOf(await world.submit({ requests: [request('a'), badRequest('b')] }));
    let generations = rowsOf(await world.manage('GET', '/generations'));
    while (generations.length === 0) {
      await sleep(50);
      generations = rowsOf(await world.manage('GET', '/generations'));
    }
    expect(generations).toMatchObject([{ id: `gen-${id}-0`, is_byok: true, provider: 'google-vertex' }]);
  });
});

describe('the provider’s service agents, which a project’s first batch creates', () => {
  it('are waited for: the batch is accepted, and its job retried until they exist', async () => {
    const world = await startBatchWorld();
    await world.store();
    world.google.jobs.isProvisioned = false;
    const record = recordOf(await world.submit());
    expect(record).toMatchObject({
      status: 'validating',
      provider_job: null,
      error: expect.stringContaining('Service agents are being provisioned'),
    });
    world.google.jobs.isProvisioned = true;
    expect(await world.ended(record.id)).toMatchObject({ status: 'completed', error: null });
    expect(world.google.jobs.all).toHaveLength(1);
  });

  it('are no longer waited for once the key is disabled: no job is created with it', async () => {
    const world = await startBatchWorld();
    const key = await world.store();
    world.google.jobs.isProvisioned = false;
    const { id } = recordOf(await world.submit());
    await world.manage('PATCH', `/byok/${key.id}`, { disabled: true });
    world.google.jobs.isProvisioned = true;
    expect(await world.ended(id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('disabled'),
    });
    expect(world.google.jobs.all).toEqual([]);
  });

  it('may be missed by the job itself, which is created again', async () => {
    const world = await startBatchWorld();
    await world.store();
    const error = 'Service agents are being provisioned. Please try again in a few minutes.';
    world.google.jobs.plan = { looks: 1, state: 'JOB_STATE_FAILED', error };
    const { id } = recordOf(await world.submit());
    await world.manage('GET', `/batches/${id}`);
    world.google.jobs.plan = {};
    expect(await world.ended(id)).toMatchObject({ status: 'completed', error: null });
    expect(world.google.jobs.all.length).toBeGreaterThan(1);
  });
});

describe('a job is never created twice', () => {
  it('not where the first answer was lost', async () => {
    const world = await startBatchWorld();
    await world.store();
    world.google.injectError({ when: /^POST .*batchPredictionJobs$/, reset: 'after' });
    const { id } = recordOf(await world.submit());
    expect(await world.ended(id)).toMatchObject({ status: 'completed' });
    expect(world.google.jobs.all).toHaveLength(1);
  });

  it('but again where the request never arrived', async () => {
    const world = await startBatchWorld();
    await world.store();
    world.google.injectError({ when: /^POST .*batchPredictionJobs$/, reset: 'before' });
    const { id } = recordOf(await world.submit());
    expect(await world.ended(id)).toMatchObject({ status: 'completed' });
    expect(world.google.jobs.all).toHaveLength(1);
  });

  it('and not at all where the permission to list jobs is missing', async () => {
    const world = await startBatchWorld();
    await world.store();
    world.google.storage.permissions.delete('aiplatform.batchPredictionJobs.list');
    world.google.injectError({ when: /^POST .*batchPredictionJobs$/, status: 503 });
    const { id } = recordOf(await world.submit());
    expect(await world.ended(id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('aiplatform.batchPredictionJobs.list'),
    });
    expect(callsOf(world).filter((call) => /^POST .*batchPredictionJobs$/.test(call))).toHaveLength(1);
  });
});

describe('failures while a batch runs', () => {
  it('are waited out, and shown meanwhile', async () => {
    const world = await startBatchWorld();
    await world.store();
    const { id } = recordOf(await world.submit());
    world.google.injectError({ when: /^GET .*batchPredictionJobs/, status: 500, times: 3 });
    expect(recordOf(await world.manage('GET', `/batches/${id}`))).toMatchObject({
      status: 'queued',
      error: 'Internal error.',
    });
    expect(await world.ended(id)).toMatchObject({ status: 'completed', error: null });
  });

  it('a key that is disabled while the job runs makes no difference: the batch is metered', async () => {
    const world = await startBatchWorld();
    const key = await world.store();
    const { id } = recordOf(await world.submit());
    await world.manage('PATCH', `/byok/${key.id}`, { disabled: true });
    expect(await world.ended(id)).toMatchObject({ status: 'completed', request_counts: { completed: 1 } });
  });

  it('a deleted key ends its batch and releases the reservation', async () => {
    const world = await startBatchWorld();
    const key = await world.store();
    world.google.jobs.plan = { looks: Number.POSITIVE_INFINITY };
    const { id } = recordOf(await world.submit());
    await world.manage('DELETE', `/byok/${key.id}`);
    expect(await world.ended(id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('deleted'),
    });
    const { query } = world.gateway.gateway.database;
    expect(await query.selectFrom('reservation').selectAll().execute()).toEqual([]);
  });

  it('results that break off do so for the client too, so that they do not look complete', async () => {
    const world = await startBatchWorld();
    await world.store();
    world.google.jobs.plan = { words: ['x'.repeat(300_000)] };
    const { id } = recordOf(await world.submit({ requests: [request('a'), request('b'), request('c')] }));
    await world.ended(id);
    world.google.injectError({ when: /predictions_2\.jsonl\?alt=media/, status: 500, times: 3 });
    await expect(world.manage('GET', `/batches/${id}/results`)).rejects.toThrow(/aborted|hang up|ECONNRESET/);
  });
});
