import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { totalsViolations } from '../../src/store/ledger/totals.js';
import { chargeViolations } from '../../src/store/maintenance/invariants.js';
import { type ServingProcess, serveFrom, temporaryDataDir } from '../endpoint/serving.js';
import { openDuringTest, temporaryDatabaseUrl, usualKind } from '../support/database.js';
import {
  type FakeGoogle,
  type InjectedError,
  startFakeGoogle,
} from '../support/fakes/fake-google-storage.js';
import { type Call, caller, type Row, recordOf, rowsOf } from '../support/rest.js';
import { batchCatalog, endedBatch, GEMINI, request, startBatchWorld } from './world.js';

const TIMEOUT_MS = 60_000;
const BODY = { model: GEMINI, requests: [request('a'), request('b')] };

interface Recovery {
  readonly google: FakeGoogle;
  readonly manage: Call;
  readonly first: ServingProcess;
  /** Serves the same database from another process. */
  again(env?: Env): Promise<Call>;
}

type Env = Readonly<Record<string, string>>;

async function start(databaseUrl?: string, env: Env = {}): Promise<Recovery> {
  const google = await startFakeGoogle();
  onTestFinished(() => google.stop());
  const dataDir = temporaryDataDir();
  const catalog = batchCatalog(google.origin);
  const options = { catalog, env, ...(databaseUrl !== undefined && { databaseUrl }) };
  const first = await serveFrom(dataDir, options);
  const { managementKey } = await first.keys;
  const manage = caller(first, managementKey);
  recordOf(await manage('POST', '/byok', { provider: 'google-vertex', key: google.serviceAccount() }));
  return {
    google,
    manage,
    first,
    again: async (later = env) => {
      const next = { ...options, databaseUrl: first.databaseUrl, env: later };
      return caller(await serveFrom(dataDir, next), managementKey);
    },
  };
}

/** Kills the process while the provider delays a call, which it completes afterwards. */
async function killedAt(recovery: Recovery, when: RegExp, fault: Partial<InjectedError> = {}): Promise<void> {
  const { google, manage, first } = recovery;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  google.injectError({ when, until: released, ...fault });
  const answer = manage('POST', '/batches', BODY).catch(() => undefined);
  while (!google.requests.some(({ method, path }) => when.test(`${method} ${path}`))) await sleep(5);
  await first.kill();
  release();
  await answer;
}

/** Expects that the next process completes the batch with one job and charges every request once. */
async function expectContinued(recovery: Recovery, manage: Call): Promise<void> {
  expect(await onlyBatch(manage)).toMatchObject({
    status: 'completed',
    request_counts: { total: 2, completed: 2, failed: 0 },
  });
  expect(recovery.google.jobs.all).toHaveLength(1);
  expect(rowsOf(await manage('GET', '/generations'))).toHaveLength(2);
}

async function onlyBatch(manage: Call): Promise<Row> {
  const [batch] = rowsOf(await manage('GET', '/batches'));
  if (batch === undefined) throw new Error('there is no batch');
  return endedBatch(manage, batch.id);
}

describe('a process that is killed while it works on a batch', () => {
  it.each([
    ['and the provider had made the job', {}],
    ['and the provider had not made the job', { reset: 'before' } as const],
  ])(
    'between staging and the job, %s: the next one continues, with one job',
    async (_, fault) => {
      const recovery = await start();
      await killedAt(recovery, /^POST .*batchPredictionJobs$/, fault);
      await expectContinued(recovery, await recovery.again());
    },
    TIMEOUT_MS,
  );

  it.runIf(usualKind() === 'postgres')(
    'between staging and the job, beside another on the same PostgreSQL: that one takes over, with one job',
    async () => {
      const recovery = await start(await temporaryDatabaseUrl('postgres'));
      const other = await recovery.again();
      await killedAt(recovery, /^POST .*batchPredictionJobs$/);
      await expectContinued(recovery, other);
    },
    TIMEOUT_MS,
  );

  it(
    'while the provider’s service agents were still being created: the next one continues',
    async () => {
      const recovery = await start();
      recovery.google.jobs.isProvisioned = false;
      const { id } = recordOf(await recovery.manage('POST', '/batches', BODY));
      await recovery.first.kill();
      recovery.google.jobs.isProvisioned = true;
      expect(await endedBatch(await recovery.again(), id)).toMatchObject({ status: 'completed' });
      expect(recovery.google.jobs.all).toHaveLength(1);
    },
    TIMEOUT_MS,
  );

  it(
    'before staging was complete: the batch has failed, no job was created, and nothing stays reserved',
    async () => {
      const recovery = await start();
      await killedAt(recovery, /^POST \/upload\//);
      const manage = await recovery.again();
      expect(await onlyBatch(manage)).toMatchObject({
        status: 'failed',
        provider_job: null,
        error: expect.stringContaining('submit the batch again'),
      });
      expect(recovery.google.jobs.all).toEqual([]);
      const database = await openDuringTest(recovery.first.databaseUrl);
      expect(await database.query.selectFrom('reservation').selectAll().execute()).toEqual([]);
      expect(await totalsViolations(database)).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'while the job ran: its reservation stays, and the next one meters it',
    async () => {
      const recovery = await start();
      recovery.google.jobs.plan = { looks: Number.POSITIVE_INFINITY };
      const { id } = recordOf(await recovery.manage('POST', '/batches', BODY));
      await recovery.first.kill();
      const manage = await recovery.again();
      const database = await openDuringTest(recovery.first.databaseUrl);
      const reservations = () => database.query.selectFrom('reservation').selectAll().execute();
      expect(await reservations()).toHaveLength(1);
      recovery.google.jobs.plan = {};
      expect(await endedBatch(manage, id)).toMatchObject({ status: 'completed' });
      expect(await reservations()).toEqual([]);
      expect(await totalsViolations(database)).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

it.each([
  ['off', 'on', 'unbilled_byok_cost'],
  ['on', 'off', 'byok_cost'],
])(
  'a batch that was admitted with BYWAY_BILLING=%s and is metered by a process with %s goes by the first',
  async (billing, later, kind) => {
    const recovery = await start(undefined, { BYWAY_BILLING: billing });
    recovery.google.jobs.plan = { looks: Number.POSITIVE_INFINITY };
    const { id } = recordOf(await recovery.manage('POST', '/batches', BODY));
    await recovery.first.stop();
    const manage = await recovery.again({ BYWAY_BILLING: later });
    recovery.google.jobs.plan = {};
    expect(await endedBatch(manage, id)).toMatchObject({ status: 'completed' });
    const database = await openDuringTest(recovery.first.databaseUrl);
    const entries = await database.query.selectFrom('ledger_entry').selectAll().execute();
    const charges = entries.filter(({ generation_id }) => generation_id !== null);
    expect(charges.map((entry) => entry.kind)).toEqual([kind, kind]);
    expect(await database.query.selectFrom('reservation').selectAll().execute()).toEqual([]);
    expect(await totalsViolations(database)).toEqual([]);
    expect(await chargeViolations(database)).toEqual([]);
  },
  TIMEOUT_MS,
);

it('a batch that the previous version submitted is metered and read', async () => {
  const world = await startBatchWorld();
  await world.store();
  world.google.jobs.plan = { looks: Number.POSITIVE_INFINITY };
  const { id } = recordOf(await world.submit({ requests: [request('one'), request('two')] }));
  await world.gateway.gateway.database.transact([], (tx) =>
    tx.updateTable('batch_rows').set({ rows_json: '[["one",3,0],["two",3,0]]' }).execute(),
  );
  world.google.jobs.plan = {};
  expect(await world.ended(id)).toMatchObject({ status: 'completed', request_counts: { completed: 2 } });
  const names = (await world.results(id)).map(({ custom_id }) => custom_id);
  expect(new Set(names)).toEqual(new Set(['one', 'two']));
});
