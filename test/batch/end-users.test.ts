import { describe, expect, it } from 'vitest';
import { totalsViolations } from '../../src/store/ledger/totals.js';
import { chargeViolations } from '../../src/store/maintenance/invariants.js';
import { usageViolations } from '../../src/store/usage/usage-check.js';
import { bodyOf, type Row, recordOf, refusalOf, rowsOf } from '../support/rest.js';
import { type BatchWorld, CLAUDE, request, startBatchWorld } from './world.js';

/** One word in, four out, at 1 and 2 USD a million tokens. */
const COST_USD = 0.000009;

/** A request that costs `COST_USD` for the end user, and reserves more. */
function ofUser(custom_id: string, user: string | null, more: object = {}): object {
  return request(custom_id, 'Hello', { max_tokens: 4, ...(user !== null && { user }), ...more });
}

async function startWorld(rules: object): Promise<BatchWorld & { readonly send: BatchWorld['submit'] }> {
  const world = await startBatchWorld();
  await world.store();
  const { apiKeyHash: api_key_hash } = world.gateway;
  const set = await world.manage('PATCH', `/keys/${api_key_hash}`, { include_byok_in_limit: true, ...rules });
  expect(set.status).toBe(200);
  return { ...world, send: (body = {}) => world.submit({ api_key_hash, ...body }) };
}

async function expectSettled({ gateway }: BatchWorld): Promise<void> {
  const { database } = gateway.gateway;
  expect(await totalsViolations(database)).toEqual([]);
  expect(await chargeViolations(database)).toEqual([]);
  expect(await usageViolations(database)).toEqual([]);
  expect(await database.query.selectFrom('reservation').selectAll().execute()).toEqual([]);
}

/** The outcome of each request: 200, or its error. */
async function outcomes(world: BatchWorld, id: unknown): Promise<Record<string, unknown>> {
  const results = await world.results(id);
  return Object.fromEntries(
    results.map(({ custom_id, response, error }) => [custom_id, response === null ? error : 200]),
  );
}

const endUsers = (world: BatchWorld) =>
  world.manage('GET', `/keys/${world.gateway.apiKeyHash}/end-users`).then(rowsOf);

describe('each request of a batch is made for whom it names, as a chat is', () => {
  it('in its record, in filters and groups, and in the list of the key’s end users', async () => {
    const world = await startWorld({});
    const requests = [
      ofUser('a', 'ann'),
      ofUser('b', 'bob', { safety_identifier: 'ann' }),
      ofUser('c', 'bob'),
      ofUser('d', null),
      ofUser('e', 'x'.repeat(257)),
    ];
    const { id } = recordOf(await world.send({ requests }));
    await world.ended(id);
    const generations = rowsOf(await world.manage('GET', '/generations'));
    const named = Object.fromEntries(generations.map((one) => [one.id, one.end_user]));
    expect(named).toEqual({
      [`gen-${id}-0`]: 'ann',
      [`gen-${id}-1`]: 'ann',
      [`gen-${id}-2`]: 'bob',
      [`gen-${id}-3`]: null,
      [`gen-${id}-4`]: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
    const ofAnn = rowsOf(await world.manage('GET', '/generations?end_user=ann'));
    expect(ofAnn.map((one) => one.id).sort()).toEqual([`gen-${id}-0`, `gen-${id}-1`]);
    const activity = rowsOf(await world.manage('GET', '/activity?group_by=end_user'));
    expect(activity.find(({ end_user }) => end_user === 'ann')).toMatchObject({
      requests: 2,
      byok_usage: 2 * COST_USD,
    });
    expect(await endUsers(world)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ end_user: 'ann', requests: 2, byok_usage: 2 * COST_USD, remaining: null }),
        expect.objectContaining({ end_user: 'bob', requests: 1, byok_usage: COST_USD }),
      ]),
    );
    await expectSettled(world);
  });

  it('also where no API key is named, of which nobody is an end user then', async () => {
    const world = await startWorld({ end_user_limit: 0, end_user_required: true });
    const { id } = recordOf(await world.submit({ requests: [ofUser('a', 'ann'), ofUser('b', null)] }));
    await world.ended(id);
    expect(await outcomes(world, id)).toEqual({ a: 200, b: 200 });
    expect(rowsOf(await world.manage('GET', '/generations?end_user=ann'))).toHaveLength(1);
    expect(await endUsers(world)).toEqual([]);
    await expectSettled(world);
  });
});

describe('an API key that requires end users', () => {
  it.each([undefined, CLAUDE])(
    'refuses each request of a batch that names none, before anything is sent',
    async (model) => {
      const world = await startWorld({ end_user_required: true });
      const requests = [ofUser('a', 'ann'), ofUser('b', null), ofUser('c', ' ')];
      const refused = await world.send({ requests, ...(model && { model }) });
      expect(refusalOf(refused)).toEqual([
        400,
        'invalid_request',
        'requests[1].body.safety_identifier required',
        'requests[2].body.safety_identifier required',
      ]);
      expect(world.google.requests).toEqual([]);
      expect((await world.send({ requests: [ofUser('a', 'ann')] })).status).toBe(201);
    },
  );
});

describe('the limit of end users in a batch', () => {
  it('holds for each of them by itself: a request that it does not admit fails, and is not sent', async () => {
    const world = await startWorld({ end_user_limit: 1.5 * COST_USD });
    const requests = [ofUser('a', 'ann'), ofUser('b', 'ann'), ofUser('c', 'bob'), ofUser('d', null)];
    const first = recordOf(await world.send({ requests }));
    expect(first.request_counts).toMatchObject({ total: 4 });
    expect(await world.ended(first.id)).toMatchObject({
      status: 'completed',
      request_counts: { total: 4, completed: 3, failed: 1 },
    });
    // What the first of hers reserves is more than she has left.
    expect(await outcomes(world, first.id)).toEqual({
      a: 200,
      b: { code: 429, message: expect.stringMatching(/^Requests in flight hold .*"ann"/) },
      c: 200,
      d: 200,
    });
    expect(await endUsers(world)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ end_user: 'ann', byok_usage: COST_USD, requests: 1 }),
      ]),
    );
    // She has something left, and overshoots it by one request at most.
    const second = recordOf(await world.send({ requests: [ofUser('a', 'ann'), ofUser('b', 'ann')] }));
    await world.ended(second.id);
    expect(await outcomes(world, second.id)).toMatchObject({ a: 200, b: { code: 429 } });
    const third = recordOf(await world.send({ requests: [ofUser('a', 'ann'), ofUser('c', 'bob')] }));
    await world.ended(third.id);
    expect(await outcomes(world, third.id)).toEqual({
      a: { code: 403, message: expect.stringMatching(/^End user limit exceeded: the end user "ann"/) },
      c: 200,
    });
    const staged = [...world.google.storage.buckets.values()]
      .flatMap(({ objects }) => [...objects])
      .filter(([name]) => name.endsWith('input.jsonl'))
      .map(([, content]) => String(content).trimEnd().split('\n').length);
    expect(staged.sort()).toEqual([1, 1, 3]);
    await expectSettled(world);
  });

  it('refuses a batch of which no request is left, and sends nothing', async () => {
    const world = await startWorld({ end_user_limit: 0 });
    const refused = await world.send({ requests: [ofUser('a', 'ann'), ofUser('b', 'bob')] });
    expect(refusalOf(refused)).toEqual([403, 'end_user_limit_exceeded']);
    expect((bodyOf(refused).error as Row).metadata).toMatchObject({ name: 'ann', limit_usd: 0 });
    expect([world.google.requests, rowsOf(await world.manage('GET', '/batches'))]).toEqual([[], []]);
    await expectSettled(world);
  });

  it('is reserved until the batch ends, also where it is never submitted', async () => {
    const world = await startWorld({ end_user_limit: 1.5 * COST_USD });
    const requests = [ofUser('a', 'ann'), ofUser('b', 'bob')];
    world.google.injectError({ when: /POST .*batchPredictionJobs/, status: 403 });
    expect((await world.send({ requests })).status).toBeGreaterThanOrEqual(400);
    await expectSettled(world);
    const { id } = recordOf(await world.send({ requests }));
    const { query } = world.gateway.gateway.database;
    const held = await query.selectFrom('reservation').select(['end_user']).execute();
    expect(held.map(({ end_user }) => end_user).sort()).toEqual(['ann', 'bob']);
    expect(refusalOf(await world.send({ requests: [ofUser('a', 'ann')] }))).toEqual([429, 'limit_reserved']);
    await world.ended(id);
    await expectSettled(world);
    expect((await world.send({ requests: [ofUser('a', 'ann')] })).status).toBe(201);
  });

  it('is exact where many batches come at once', async () => {
    const world = await startWorld({ end_user_limit: 0.5 * COST_USD });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => world.send({ requests: [ofUser('a', 'ann'), ofUser('b', 'ann')] })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(429)]);
    for (const answer of answers.filter(({ status }) => status === 201)) {
      await world.ended(recordOf(answer).id);
    }
    expect(await endUsers(world)).toMatchObject([{ end_user: 'ann', requests: 1, byok_usage: COST_USD }]);
    await expectSettled(world);
  });

  it('of more than 1,000 of them is refused', async () => {
    const world = await startWorld({ end_user_limit: 1 });
    const users = (count: number) =>
      Array.from({ length: count }, (_, index) => ofUser(`r${index}`, `user ${index}`));
    const { id } = recordOf(await world.send({ requests: users(1_000) }));
    expect(refusalOf(await world.send({ requests: users(1_001) }))).toEqual([
      400,
      'invalid_request',
      'requests[1000].body.safety_identifier end_users',
    ]);
    await world.ended(id);
    await expectSettled(world);
  });
});
