import { expect, it } from 'vitest';
import { readExposition, sampleValue } from '../support/prometheus.js';
import { caller, recordOf, send } from '../support/rest.js';
import { type BatchWorld, badRequest, GEMINI, request, startBatchWorld } from './world.js';

async function readMetrics({ gateway }: BatchWorld): Promise<(name: string, labels?: object) => number> {
  const headers = { authorization: `Bearer ${gateway.operatorKey}` };
  const families = readExposition((await send(`${gateway.url}/metrics`, 'GET', { headers })).text);
  return (name, labels = {}) => Number(sampleValue(families, name, { ...labels }));
}

it('batches, their requests and their bytes are counted from 0', async () => {
  const world = await startBatchWorld();
  await world.store();
  const before = await readMetrics(world);
  expect(before('byway_batches_submitted_total')).toBe(0);
  expect(before('byway_batch_bytes_total', { direction: 'staged' })).toBe(0);
  const { id } = recordOf(await world.submit({ requests: [request('a'), request('b'), badRequest('c')] }));
  await world.ended(id);
  world.google.jobs.plan = { looks: 1, state: 'JOB_STATE_FAILED', error: 'The model is overloaded.' };
  await world.ended(recordOf(await world.submit()).id);
  const after = await readMetrics(world);
  expect(after('byway_batches_submitted_total')).toBe(2);
  expect(after('byway_batches_ended_total', { status: 'completed' })).toBe(1);
  expect(after('byway_batches_ended_total', { status: 'failed' })).toBe(1);
  expect(after('byway_batches_ended_total', { status: 'cancelled' })).toBe(0);
  expect(after('byway_batch_requests_total', { outcome: 'answered' })).toBe(2);
  expect(after('byway_batch_requests_total', { outcome: 'failed' })).toBe(2);
  const objects = [...world.google.storage.buckets.values()].flatMap((bucket) => [...bucket.objects]);
  const bytesOf = (name: RegExp) =>
    objects.reduce((bytes, [object, content]) => bytes + (name.test(object) ? content.length : 0), 0);
  expect(after('byway_batch_bytes_total', { direction: 'staged' })).toBe(bytesOf(/input\.jsonl$/));
  expect(after('byway_batch_bytes_total', { direction: 'collected' })).toBe(bytesOf(/output\/.*jsonl$/));
});

it('chats and batches of one credential share its access token', async () => {
  const world = await startBatchWorld();
  await world.store();
  const messages = [{ role: 'user', content: 'Hello' }];
  // The fake serves no chats, but the call still needs a token.
  await caller(world.gateway, world.gateway.apiKey)('POST', '/chat/completions', { model: GEMINI, messages });
  expect(world.google.tokensGiven()).toBe(1);
  await world.ended(recordOf(await world.submit()).id);
  expect(world.google.tokensGiven()).toBe(1);
});
