import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Row, recordOf, rowsOf } from '../support/rest.js';
import { type BatchWorld, callsOf, endedBatch, GEMINI, request, startBatchWorld } from './world.js';

const JOB = /^POST .*batchPredictionJobs$/;

/** Delays the next matching call until `release`; `reached` resolves once it has arrived. */
function delayCall(world: BatchWorld, when: RegExp): { readonly reached: Promise<void>; release(): void } {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  world.google.injectError({ when, until });
  const reached = (async () => {
    while (!world.google.requests.some(({ method, path }) => when.test(`${method} ${path}`))) await sleep(5);
  })();
  return { reached, release };
}

/** Submits a batch; `leave` disconnects before the answer. */
function submitting({ gateway }: BatchWorld): { leave(): void } {
  const client = httpRequest(`${gateway.rest}/batches`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.managementKey}`, 'content-type': 'application/json' },
  });
  client.on('error', () => undefined);
  client.end(JSON.stringify({ model: GEMINI, requests: [request('a')] }));
  return { leave: () => void client.destroy() };
}

async function listed({ manage }: BatchWorld): Promise<Row[]> {
  return rowsOf(await manage('GET', '/batches'));
}

function jobsRequested(world: BatchWorld): number {
  return callsOf(world).filter((call) => JOB.test(call)).length;
}

describe('a client that goes away', () => {
  it('before its requests are staged leaves no batch and no reservation', async () => {
    const world = await startBatchWorld();
    await world.store();
    const call = delayCall(world, /^POST \/upload\//);
    const client = submitting(world);
    await call.reached;
    client.leave();
    while ((await listed(world)).length > 0) await sleep(10);
    call.release();
    const { query } = world.gateway.gateway.database;
    expect(await query.selectFrom('reservation').selectAll().execute()).toEqual([]);
    expect(world.google.jobs.all).toEqual([]);
  });

  it('after its requests are staged leaves a batch that completes on its own', async () => {
    const world = await startBatchWorld();
    await world.store();
    const call = delayCall(world, JOB);
    const client = submitting(world);
    await call.reached;
    client.leave();
    call.release();
    const [batch] = await listed(world);
    expect(await world.ended(batch?.id)).toMatchObject({ status: 'completed' });
    expect(world.google.jobs.all).toHaveLength(1);
  });
});

it('failed staging leaves nothing, not even an object that was written despite the failure', async () => {
  const world = await startBatchWorld();
  await world.store();
  world.google.injectError({ when: /^POST \/upload\//, reset: 'after', times: 3 });
  expect((await world.submit()).status).toBe(502);
  expect(await listed(world)).toEqual([]);
  expect([...world.google.storage.buckets.values()].map(({ objects }) => objects.size)).toEqual([0]);
});

describe('a batch whose job was requested is not lost', () => {
  it('where another process took over its expired claim', async () => {
    const world = await startBatchWorld();
    await world.store();
    const { database } = world.gateway.gateway;
    const call = delayCall(world, JOB);
    const answer = world.submit();
    await call.reached;
    const taken = { claim_token: 'another', claimed_until: Date.now() + 60_000 };
    await database.transact([], (tx) => tx.updateTable('batch').set(taken).execute());
    call.release();
    const { id } = recordOf(await answer);
    await database.transact([], (tx) => tx.updateTable('batch').set({ claimed_until: 0 }).execute());
    expect(await endedBatch(world.manage, id)).toMatchObject({ status: 'completed' });
    expect(world.google.jobs.all).toHaveLength(1);
    expect(rowsOf(await world.manage('GET', '/generations'))).toHaveLength(1);
  });
});

describe('a job is never created twice', () => {
  it('not while the provider still works on a request whose answer was lost', async () => {
    const world = await startBatchWorld();
    await world.store();
    world.google.injectError({ when: JOB, reset: 'late' });
    const { id } = recordOf(await world.submit());
    expect(await world.ended(id)).toMatchObject({ status: 'completed' });
    expect(jobsRequested(world)).toBe(1);
  });

  it('not for the job of a first try, which missed the provider’s service agents', async () => {
    const world = await startBatchWorld();
    await world.store();
    const error = 'Service agents are being provisioned. Please try again in a few minutes.';
    world.google.jobs.plan = { looks: 1, state: 'JOB_STATE_FAILED', error };
    const { id } = recordOf(await world.submit());
    expect(recordOf(await world.manage('GET', `/batches/${id}`))).toMatchObject({
      status: 'validating',
      provider_job: null,
      error: expect.stringContaining('Service agents'),
    });
    world.google.jobs.plan = {};
    world.google.injectError({ when: JOB, reset: 'after' });
    expect(await world.ended(id)).toMatchObject({ status: 'completed', error: null });
    expect(jobsRequested(world)).toBe(2);
  });
});
