import { BatchService } from '../../../../gen/byway/v1/batches_pb.js';
import { answers, by, type Case, fails, NO_ID, NOT_FOUND } from '../case.js';
import { batchOf, type World } from '../world.js';

const { createBatch, listBatches, getBatch, streamBatchResults } = BatchService.method;

const COUNTS = { total: 2, completed: 1, failed: 1 };

async function withKey(world: World) {
  await world.addVertexKey();
  return batchOf('Hello', 'Hello again');
}

/** Batches on Google Vertex AI. */
export const BATCH_CASES: readonly Case[] = [
  answers(
    createBatch,
    'two requests',
    { as: by.manager, ask: withKey },
    { data: { status: 'queued', request_counts: { total: 2, completed: 0, failed: 0 }, error: null } },
  ),
  fails(
    createBatch,
    'one name twice, and keys that are none',
    {
      as: by.manager,
      ask: async (world) => {
        const batch = await withKey(world);
        const requests = batch.requests.map((request) => ({ ...request, customId: 'same' }));
        return { ...batch, requests, byokKeyId: NO_ID, apiKeyHash: 'f'.repeat(64) };
      },
    },
    {
      status: 400,
      violations: [
        { field: 'api_key_hash', rule: 'live', message: 'is not a live API key of this account' },
        { field: 'byok_key_id', rule: 'known', message: 'is not a BYOK key of this account' },
        { field: 'requests[1].custom_id', rule: 'unique', message: 'names another request already' },
      ],
    },
  ),
  fails(
    createBatch,
    'no request',
    { as: by.manager, ask: () => batchOf() },
    { status: 400, violations: [{ field: 'requests', rule: 'count' }] },
  ),
  fails(
    createBatch,
    'without a key of Google Vertex AI',
    { as: by.manager, ask: () => batchOf('Hello') },
    { status: 400, violations: [{ field: 'byok_key_id', rule: 'required' }] },
  ),
  answers(
    listBatches,
    'one that has ended',
    {
      as: by.manager,
      ask: async (world) => {
        await world.addBatch();
        return {};
      },
    },
    { data: [{ status: 'completed', request_counts: COUNTS }], total_count: 1 },
  ),
  fails(
    listBatches,
    'too many at once',
    { as: by.manager, ask: () => ({ limit: 101 }) },
    { status: 400, violations: [{ field: 'limit', rule: 'range' }] },
  ),
  answers(
    getBatch,
    'one that has ended',
    { as: by.manager, ask: async (world) => ({ id: await world.addBatch() }) },
    { data: { status: 'completed', request_counts: COUNTS } },
  ),
  fails(getBatch, 'none', { as: by.manager, ask: () => ({ id: NO_ID }) }, NOT_FOUND),
  answers(
    streamBatchResults,
    'of two requests',
    { as: by.manager, ask: async (world) => ({ id: await world.addBatch() }) },
    { custom_id: 'request 0', response: { status_code: 200, body: { object: 'chat.completion' } } },
  ),
  fails(streamBatchResults, 'none', { as: by.manager, ask: () => ({ id: 'x' }) }, NOT_FOUND),
];
