import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { bodyOf, type Row, recordOf, refusalOf, rowsOf } from '../support/rest.js';
import { type BatchWorld, CLAUDE, GEMINI, request, startBatchWorld } from './world.js';

const THREE = [request('a'), request('b'), request('c')];

async function startStored(): Promise<BatchWorld> {
  const world = await startBatchWorld();
  await world.store();
  return world;
}

async function generations({ manage }: BatchWorld): Promise<Row[]> {
  return rowsOf(await manage('GET', '/generations'));
}

describe('a result that can’t be read', () => {
  it.each(['no JSON', '[1]', 'null', '{"status":"","response":{}}', '{"status": "", "req'])(
    '%s takes nothing from the others: its request has failed',
    async (text) => {
      const world = await startStored();
      world.google.jobs.plan = { write: (result, position) => (position === 1 ? text : result) };
      const { id } = recordOf(await world.submit({ requests: THREE }));
      expect(await world.ended(id)).toMatchObject({
        status: 'completed',
        request_counts: { total: 3, completed: 2, failed: 1 },
        error: null,
      });
      const rows = new Map((await world.results(id)).map((row) => [row.custom_id, row]));
      expect(rows.get('b')).toMatchObject({ response: null, error: { code: 502 } });
      expect(rows.get('c')).toMatchObject({ response: { status_code: 200 }, error: null });
      expect(await generations(world)).toHaveLength(2);
    },
  );

  it.each([GEMINI, CLAUDE])('of %s without answer or error is reported as failed', async (model) => {
    const world = await startStored();
    const write = (result: string) => JSON.stringify({ ...JSON.parse(result), status: '', response: {} });
    world.google.jobs.plan = { write };
    const { id } = recordOf(await world.submit({ model }));
    await world.ended(id);
    const [row] = await world.results(id);
    expect(row).toEqual({
      custom_id: 'one',
      response: null,
      error: { code: 502, message: expect.stringMatching(/\w/) },
    });
  });
});

it('the result of a request of almost 32 MiB is read, although the request is in it', async () => {
  const world = await startStored();
  world.google.jobs.plan = { words: ['y'.repeat(300_000)] };
  const { id } = recordOf(
    await world.submit({ requests: [request('large', 'x'.repeat(32 * 1024 * 1024 - 200))] }),
  );
  expect(await world.ended(id)).toMatchObject({ status: 'completed', request_counts: { completed: 1 } });
  expect(await world.results(id)).toMatchObject([{ custom_id: 'large', response: { status_code: 200 } }]);
}, 60_000);

describe('results that are gone, as they are from a bucket after 30 days', () => {
  async function endedWithout(world: BatchWorld, gone: RegExp): Promise<unknown> {
    world.google.jobs.plan = { words: ['x'.repeat(300_000)] };
    const { id } = recordOf(await world.submit({ requests: THREE }));
    await world.ended(id);
    for (const { objects } of world.google.storage.buckets.values()) {
      for (const name of [...objects.keys()]) if (gone.test(name)) objects.delete(name);
    }
    return id;
  }

  it('are refused as gone, not reported as failed requests', async () => {
    const world = await startStored();
    const id = await endedWithout(world, /predictions/);
    const answer = await world.manage('GET', `/batches/${id}/results`);
    expect(refusalOf(answer)).toEqual([404, 'not_found']);
    expect((bodyOf(answer).error as Row).message).toContain('no longer in the bucket');
    expect(recordOf(await world.manage('GET', `/batches/${id}`))).toMatchObject({
      status: 'completed',
      request_counts: { completed: 3, failed: 0 },
    });
  });

  it('break off where only some are gone, so that they do not look complete', async () => {
    const world = await startStored();
    const id = await endedWithout(world, /predictions_2/);
    await expect(world.manage('GET', `/batches/${id}/results`)).rejects.toThrow(/aborted|hang up|ECONNRESET/);
  });
});

describe('how a batch ended', () => {
  it('stays cancelled, even if metering failed for a while', async () => {
    const world = await startStored();
    world.google.jobs.plan = { looks: 1, state: 'JOB_STATE_CANCELLED', missing: [1] };
    world.google.injectError({ when: /^GET \/storage\/v1\/b\/[^/]+\/o\?/, status: 500, times: 3 });
    const { id } = recordOf(await world.submit({ requests: THREE }));
    expect(await world.ended(id)).toMatchObject({
      status: 'cancelled',
      error: 'The job was cancelled',
      request_counts: { completed: 2, failed: 1 },
    });
    const rows = new Map((await world.results(id)).map((row) => [row.custom_id, row]));
    expect(rows.get('b')).toMatchObject({ error: { message: 'The job was cancelled' } });
  });

  it('counts every request without an answer as failed, also where no job existed', async () => {
    const world = await startStored();
    world.google.jobs.isProvisioned = false;
    const { id } = recordOf(await world.submit({ requests: THREE }));
    world.google.jobs.isProvisioned = true;
    world.google.storage.permissions.delete('aiplatform.batchPredictionJobs.create');
    expect(await world.ended(id)).toMatchObject({
      status: 'failed',
      request_counts: { total: 3, completed: 0, failed: 3 },
    });
    const rows = await world.results(id);
    expect(rows.map(({ error }) => (error as Row).message)).toEqual(
      Array(3).fill(expect.stringContaining('aiplatform.batchPredictionJobs.create')),
    );
  });

  it('meters the results of a job that no longer exists', async () => {
    const world = await startStored();
    world.google.jobs.plan = { looks: 1 };
    // It ends, but the answers to polls are lost.
    world.google.injectError({ when: /^GET .*batchPredictionJobs/, reset: 'after', times: 3 });
    const { id } = recordOf(await world.submit({ requests: THREE }));
    while (world.google.jobs.all[0]?.outputDirectory === null) await sleep(10);
    await world.manage('GET', `/batches/${id}`);
    world.google.jobs.all.splice(0);
    expect(await world.ended(id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('does not exist'),
      request_counts: { total: 3, completed: 3, failed: 0 },
    });
    expect(await generations(world)).toHaveLength(3);
    expect(await world.results(id)).toHaveLength(3);
  });
});
