import { describe, expect, it } from 'vitest';
import { derivedBucketNames } from '../../src/batch/buckets.js';
import { totalsViolations } from '../../src/store/ledger/totals.js';
import { bodyOf, type Row, recordOf, refusalOf, rowsOf } from '../support/rest.js';
import { type BatchWorld, callsOf, startBatchWorld } from './world.js';

const CREATE = 'POST /storage/v1/b';
const [DERIVED, SPARE] = derivedBucketNames('fake-project', null);

function creations(world: BatchWorld): number {
  return callsOf(world).filter((call) => call === CREATE).length;
}

/** The buckets that received any object. */
function written({ google }: BatchWorld): string[] {
  return [...google.storage.buckets.values()]
    .filter(({ objects }) => objects.size > 0)
    .map(({ name }) => name);
}

describe('a bucket of the service', () => {
  it('is created with the first batch in each region, private, without soft delete, with a lifecycle of 30 days, and reused', async () => {
    const world = await startBatchWorld();
    const key = await world.store();
    const first = recordOf(await world.submit());
    await world.submit();
    expect(creations(world)).toBe(1);
    const other = await world.store({ region: 'us-central1' });
    await world.submit({ byok_key_id: other.id });
    await world.submit({ byok_key_id: other.id });
    await world.submit({ byok_key_id: key.id });
    expect(creations(world)).toBe(2);
    expect(first.input_uri).toMatch(new RegExp(`^gs://${DERIVED}/`));
    const bodies = [...world.google.storage.buckets.values()].map(({ body }) => body);
    expect(bodies).toEqual(
      [
        { name: DERIVED, location: 'US' },
        { name: derivedBucketNames('fake-project', 'us-central1')[0], location: 'US-CENTRAL1' },
      ].map((place) => ({
        ...place,
        storageClass: 'STANDARD',
        iamConfiguration: {
          uniformBucketLevelAccess: { enabled: true },
          publicAccessPrevention: 'enforced',
        },
        lifecycle: { rule: [{ action: { type: 'Delete' }, condition: { age: 30 } }] },
        softDeletePolicy: { retentionDurationSeconds: '0' },
      })),
    );
  });

  it('is created once by concurrent batches', async () => {
    const world = await startBatchWorld();
    await world.store();
    const answers = await Promise.all([world.submit(), world.submit(), world.submit()]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(written(world)).toEqual([DERIVED]);
  });

  it('is never one that another project created under the same name, even where it grants access', async () => {
    const world = await startBatchWorld();
    await world.store();
    world.google.storage.add(DERIVED, 'squatter', true);
    expect((await world.submit()).status).toBe(201);
    expect((await world.submit()).status).toBe(201);
    expect(written(world)).toEqual([SPARE]);
  });

  it('is refused when all candidate names are taken', async () => {
    const world = await startBatchWorld();
    await world.store();
    for (const name of derivedBucketNames('fake-project', null))
      world.google.storage.add(name, 'squatter', true);
    const answer = await world.submit();
    expect(refusalOf(answer)).toEqual([400, 'invalid_request', 'byok_key_id bucket_owner']);
    expect(answer.text).toContain(DERIVED);
    expect(written(world)).toEqual([]);
  });

  it.each([null, 'europe-west4', 'northamerica-northeast1', `a${'-b'.repeat(19)}`])(
    'has a name that storage accepts and that reveals nothing of the project, in the region %s',
    (region) => {
      for (const name of derivedBucketNames('example.com:secret-project', region)) {
        expect(name).toMatch(/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/);
        expect(name).not.toContain('secret');
      }
    },
  );
});

describe('a bucket that the credential names', () => {
  it.each(['my-own-bucket', 'gs://my-own-bucket', 'gs://my-own-bucket/'])('%s is used', async (bucket) => {
    const world = await startBatchWorld();
    world.google.storage.add('my-own-bucket-2');
    world.google.storage.add('my-own-bucket');
    await world.store({ bucket });
    const { input_uri, output_uri } = recordOf(await world.submit());
    expect([input_uri, output_uri]).toEqual([
      expect.stringMatching(/^gs:\/\/my-own-bucket\//),
      expect.stringMatching(/^gs:\/\/my-own-bucket\//),
    ]);
    expect(creations(world)).toBe(0);
  });

  it('is refused with an object path when the key is created', async () => {
    const { manage, google } = await startBatchWorld();
    const key = google.serviceAccount({ bucket: 'gs://my-own-bucket/folder' });
    const answer = await manage('POST', '/byok', { provider: 'google-vertex', key });
    expect(refusalOf(answer)).toEqual([400, 'invalid_request', 'key.bucket object_path']);
  });

  it.each([
    ['another project’s that lets us in', 'other-project'],
    ['nobody’s', null],
  ])('is refused at the first batch when it is %s', async (_, project) => {
    const world = await startBatchWorld();
    if (project !== null) world.google.storage.add('my-own-bucket', project, true);
    await world.store({ bucket: 'my-own-bucket' });
    const answer = await world.submit();
    expect(refusalOf(answer)).toEqual([400, 'invalid_request', 'byok_key_id bucket_owner']);
    expect(answer.text).toContain('my-own-bucket');
    expect(written(world)).toEqual([]);
    expect(creations(world)).toBe(0);
  });
});

/** Expects that the submission fails with this violation and leaves nothing of the batch. */
async function refusedFor(world: BatchWorld, permission: string): Promise<void> {
  const answer = await world.submit();
  expect([permission, refusalOf(answer)]).toEqual([
    permission,
    [400, 'invalid_request', 'byok_key_id permission'],
  ]);
  expect(bodyOf(answer).error as Row).toMatchObject({
    message: expect.stringContaining(permission),
    metadata: { missing_permission: permission },
  });
  expect(answer.text).not.toContain('gateway@');
  expect(rowsOf(await world.manage('GET', '/batches'))).toEqual([]);
  expect(await totalsViolations(world.gateway.gateway.database)).toEqual([]);
  const left = await world.gateway.gateway.database.query.selectFrom('reservation').selectAll().execute();
  expect(left).toEqual([]);
}

describe('a missing permission is named', () => {
  it.each([
    'storage.buckets.list',
    'storage.buckets.create',
    'storage.buckets.get',
    'storage.objects.create',
    'aiplatform.batchPredictionJobs.create',
  ])('%s, with a bucket of the service', async (permission) => {
    const world = await startBatchWorld();
    await world.store();
    world.google.storage.permissions.delete(permission);
    await refusedFor(world, permission);
    world.google.storage.permissions.add(permission);
    expect((await world.submit()).status).toBe(201);
  });

  it.each([
    'storage.buckets.list',
    'storage.buckets.get',
    'storage.objects.create',
    'aiplatform.batchPredictionJobs.create',
  ])('%s, with a bucket of the user', async (permission) => {
    const world = await startBatchWorld();
    world.google.storage.add('my-own-bucket');
    await world.store({ bucket: 'my-own-bucket' });
    world.google.storage.permissions.delete('storage.buckets.create');
    world.google.storage.permissions.delete(permission);
    await refusedFor(world, permission);
    world.google.storage.permissions.add(permission);
    expect((await world.submit()).status).toBe(201);
  });

  it.each(['storage.objects.list', 'storage.objects.get', 'aiplatform.batchPredictionJobs.get'])(
    '%s, in the record of a batch that can’t proceed without it',
    async (permission) => {
      const world = await startBatchWorld();
      await world.store();
      const { id } = recordOf(await world.submit());
      world.google.storage.permissions.delete(permission);
      for (;;) {
        const { status, error } = recordOf(await world.manage('GET', `/batches/${id}`));
        expect(['queued', 'running']).toContain(status);
        if (error === null) continue;
        expect(error).toContain(permission);
        break;
      }
      world.google.storage.permissions.add(permission);
      expect(await world.ended(id)).toMatchObject({ status: 'completed', error: null });
    },
  );

  it('storage.objects.delete, when staged requests have to be overwritten', async () => {
    const world = await startBatchWorld();
    await world.store();
    const bucket = world.google.storage.add(DERIVED);
    world.google.storage.permissions.delete('storage.objects.delete');
    // The first try arrives, and its answer is lost.
    world.google.injectError({ when: /^POST \/upload\//, reset: 'after' });
    await refusedFor(world, 'storage.objects.delete');
    expect(bucket.objects.size).toBe(1);
  });
});

describe('a permission is not reported as missing', () => {
  const message = 'It is disabled in the project.';
  const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'SERVICE_DISABLED' }];
  const errors = [{ message, domain: 'global', reason: 'accountDisabled' }];

  it.each([
    ['Vertex AI is not switched on', /^POST .*batchPredictionJobs$/, { code: 403, message, details }],
    ['the project’s billing is not', /^GET \/storage\/v1\/b\?/, { code: 403, message, errors }],
  ])('where %s', async (_, when, error) => {
    const world = await startBatchWorld();
    await world.store();
    world.google.injectError({ when, status: 403, body: { error } });
    const answer = await world.submit();
    expect(bodyOf(answer).error as Row).toMatchObject({ code: 400, message: `byok_key_id: ${message}` });
    expect(answer.text).not.toContain('missing_permission');
    expect(rowsOf(await world.manage('GET', '/batches'))).toEqual([]);
  });
});

describe('staging', () => {
  it('is retried after failures, and with a new token after a refused one', async () => {
    const world = await startBatchWorld();
    await world.store();
    await world.submit();
    world.google.expireTokens();
    world.google.injectError({ when: /^POST \/upload\//, status: 503 });
    world.google.injectError({ when: /^GET \/storage\/v1\/b\?/, reset: 'before' });
    const { id } = recordOf(await world.submit());
    expect(await world.ended(id)).toMatchObject({ status: 'completed' });
  });

  it('goes to storage_base_url where that is set', async () => {
    const elsewhere = await startBatchWorld();
    const world = await startBatchWorld({ provider: { storage_base_url: elsewhere.google.origin } });
    await world.store();
    expect((await world.submit()).status).not.toBe(201);
    const paths = (calls: string[]) => calls.filter((call) => call.includes('/storage/v1/'));
    expect(paths(callsOf(world))).toEqual([]);
    expect(paths(callsOf(elsewhere))).not.toEqual([]);
  });
});
