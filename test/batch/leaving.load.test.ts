/**
 * Clients that go away while a batch is submitted, or its results are read: nothing half written stays, nothing is held for
 * them, and what the batch is charged does not depend on them.
 */
import http from 'node:http';
import http2 from 'node:http2';
import { expect, it, vi } from 'vitest';
import { type Call, VERSIONS, type Version } from '../support/clients/calls.js';
import { getCall } from '../support/clients/streams.js';
import { recordOf, rowsOf } from '../support/rest.js';
import { type BatchWorld, GEMINI, request, startBatchWorld } from './world.js';

const WAIT = { timeout: 10_000, interval: 10 };
/** How long what was held for a client may stay. */
const RELEASE = { timeout: 2_000, interval: 10 };
const NEVER = new Promise<never>(() => undefined);

const CASES = (Object.keys(VERSIONS) as Version[]).flatMap((version) =>
  (['cancel', 'lose'] as const).map((way) => ({ version, way })),
);

const JSON_TYPE = { 'content-type': 'application/json' };

function submission(requests: readonly object[]): Call {
  const body = Buffer.from(JSON.stringify({ model: GEMINI, requests }));
  return { path: '/api/v1/batches', headers: JSON_TYPE, body };
}

const originOf = ({ gateway }: BatchWorld) => new URL(gateway.url);

const hasCall = ({ google }: BatchWorld, call: RegExp) =>
  google.requests.some(({ method, path }) => call.test(`${method} ${path}`));

/** What is left of submissions: batches, reservations, jobs, staged objects. */
async function leftOf({ gateway, google, manage }: BatchWorld) {
  const { query } = gateway.gateway.database;
  return {
    batches: rowsOf(await manage('GET', '/batches')).length,
    rows: (await query.selectFrom('batch_rows').selectAll().execute()).length,
    reservations: (await query.selectFrom('reservation').selectAll().execute()).length,
    jobs: google.jobs.all.length,
    objects: [...google.storage.buckets.values()].reduce((sum, { objects }) => sum + objects.size, 0),
  };
}

const NOTHING = { batches: 0, rows: 0, reservations: 0, jobs: 0, objects: 0 };

async function startStored(options: Parameters<typeof startBatchWorld>[0] = {}): Promise<BatchWorld> {
  const world = await startBatchWorld(options);
  await world.store();
  return world;
}

it.each(
  CASES.flatMap((one) =>
    [
      ['its bucket is looked for', /^GET \/storage\/v1\/b(?:\?|\/[^/]+$)/],
      ['its bucket is made', /^POST \/storage\/v1\/b\?/],
      ['its requests are written', /^POST \/upload\//],
    ].map(([moment, call]) => ({ ...one, moment: String(moment), call: call as RegExp })),
  ),
)('a batch whose client leaves over $version ($way) while $moment leaves nothing', async (one) => {
  const world = await startStored();
  world.google.injectError({ when: one.call, until: NEVER });
  const sent = VERSIONS[one.version](
    originOf(world),
    submission([request('a')]),
    world.gateway.managementKey,
  );
  await vi.waitFor(() => expect(hasCall(world, one.call)).toBe(true), WAIT);
  sent[one.way]();
  await vi.waitFor(async () => expect(await leftOf(world)).toEqual(NOTHING), RELEASE);
  expect(world.google.leftBehind()).toBe(1);
  sent.lose();
});

it.each(CASES)(
  'a batch whose client leaves over $version ($way) while its job is made completes, and is charged once',
  async ({ version, way }) => {
    const world = await startStored();
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    const job = /^POST .*batchPredictionJobs$/;
    world.google.injectError({ when: job, until });
    const sent = VERSIONS[version](originOf(world), submission([request('a')]), world.gateway.managementKey);
    await vi.waitFor(() => expect(hasCall(world, job)).toBe(true), WAIT);
    sent[way]();
    release();
    const [batch] = rowsOf(await world.manage('GET', '/batches'));
    expect(await world.ended(batch?.id)).toMatchObject({ status: 'completed' });
    expect(world.google.jobs.all).toHaveLength(1);
    expect(rowsOf(await world.manage('GET', '/generations'))).toMatchObject([{ status: 'ok' }]);
    expect(await leftOf(world)).toMatchObject({ batches: 1, reservations: 0 });
    sent.lose();
  },
);

const MIB = 1024 * 1024;

/** As much as makes a body one of those that share memory. */
const HALF_BYTES = 6 * MIB;

/** Sends half of a body over the version, and goes away. */
async function leaveHalfWay({ gateway }: BatchWorld, version: Version): Promise<void> {
  const half = Buffer.alloc(HALF_BYTES, ' ');
  const headers = { ...JSON_TYPE, authorization: `Bearer ${gateway.managementKey}` };
  const length = { 'content-length': String(2 * HALF_BYTES) };
  if (version === 'HTTP/1.1') {
    const sent = http.request(`${gateway.rest}/batches`, {
      method: 'POST',
      headers: { ...headers, ...length },
      agent: false,
    });
    sent.on('error', () => undefined);
    await new Promise((resolve) => sent.write(half, resolve));
    sent.destroy();
    return;
  }
  const session = http2.connect(gateway.url);
  session.on('error', () => undefined);
  const sent = session.request({ ...headers, ...length, ':method': 'POST', ':path': '/api/v1/batches' });
  sent.on('error', () => undefined);
  await new Promise((resolve) => sent.write(half, resolve));
  sent.close(http2.constants.NGHTTP2_CANCEL);
  await new Promise((resolve) => sent.once('close', resolve));
  session.close();
}

it.each(Object.keys(VERSIONS) as Version[])(
  'uploads that are left half way over %s write nothing, and give their memory back',
  async (version) => {
    const world = await startStored();
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(Array.from({ length: 8 }, () => leaveHalfWay(world, version)));
    }
    expect(await leftOf(world)).toEqual(NOTHING);
    expect(world.google.requests).toEqual([]);
    const whole = Array.from({ length: 6 }, (_, row) => request(`row ${row}`, 'x'.repeat(MIB)));
    const { id } = recordOf(await world.submit({ requests: whole }));
    expect(await world.ended(id)).toMatchObject({ request_counts: { completed: 6 } });
  },
  60_000,
);

/** Of each answer: together more than sockets hold. */
const ANSWER_CHARACTERS = 1_000_000;
const ANSWERS = 30;

it.each(CASES)(
  'results whose client leaves over $version ($way) are read no further, and are whole for the next one',
  async ({ version, way }) => {
    const world = await startStored();
    world.google.jobs.plan = { looks: 1, words: ['x'.repeat(ANSWER_CHARACTERS)] };
    const requests = Array.from({ length: ANSWERS }, (_, row) => request(`row ${row}`));
    const { id } = recordOf(await world.submit({ requests }));
    await world.ended(id);
    const spent = recordOf(await world.manage('GET', `/batches/${id}`));
    const before = world.google.leftBehind();
    const call = getCall(`/api/v1/batches/${id}/results`);
    const sent = VERSIONS[version](originOf(world), call, world.gateway.managementKey);
    await sent.begun;
    sent[way]();
    await vi.waitFor(() => expect(world.google.leftBehind()).toBe(before + 1), RELEASE);
    sent.lose();
    const rows = await world.results(id);
    expect(new Set(rows.map(({ custom_id }) => custom_id)).size).toBe(ANSWERS);
    expect(recordOf(await world.manage('GET', `/batches/${id}`))).toEqual(spent);
    expect(rowsOf(await world.manage('GET', '/generations?limit=100'))).toHaveLength(ANSWERS);
    const { query } = world.gateway.gateway.database;
    expect(await query.selectFrom('reservation').selectAll().execute()).toEqual([]);
  },
  60_000,
);
