import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLAUDE, GEMINI, request, startBatchWorld } from '../batch/world.js';
import { FakeJobs } from '../support/fakes/fake-google/jobs.js';
import { FakeStorage } from '../support/fakes/fake-google/storage.js';
import type { FakeGoogle } from '../support/fakes/fake-google-storage.js';
import { PROJECT_ID } from '../support/fakes/fake-vertex/account.js';
import { startPeer } from '../support/peer-process.js';
import { type Row, recordOf } from '../support/rest.js';

/** The executable of https://github.com/fsouza/fake-gcs-server, which `npm run gcs` installs. */
const { FAKE_GCS_SERVER } = process.env;

/** A storage that this project has not written: what `fake-google-storage` takes for granted, another must take. */
describe.runIf(FAKE_GCS_SERVER !== undefined)('batches over another implementation of Cloud Storage', () => {
  let storage: string;
  const ends: (() => void)[] = [];

  beforeAll(async () => {
    const args = (port: number) => [
      ...['-scheme', 'http', '-host', '127.0.0.1', '-port', String(port), '-backend', 'memory'],
      ...['-public-host', `127.0.0.1:${port}`, '-log-level', 'error'],
    ];
    const peer = { command: FAKE_GCS_SERVER ?? '', args, readyPath: '/storage/v1/b', startMs: 20_000 };
    storage = await startPeer(peer, (end) => void ends.push(end));
  });
  afterAll(() => ends.forEach((end) => void end()));

  const read = async (path: string) => {
    const answer = await fetch(`${storage}${path}`);
    const text = await answer.text();
    expect([answer.status, text]).toEqual([200, expect.anything()]);
    return text;
  };
  const objectPath = (bucket: string, object: string) =>
    `/storage/v1/b/${bucket}/o/${encodeURIComponent(object)}?alt=media`;
  const namesIn = async (bucket: string): Promise<string[]> => {
    const { items = [] } = JSON.parse(await read(`/storage/v1/b/${bucket}/o`)) as { items?: Row[] };
    return items.map(({ name }) => String(name)).toSorted();
  };

  /** Runs the job that was created last as Vertex AI does, from the storage and to it. */
  async function runJob({ jobs }: FakeGoogle): Promise<void> {
    const job = jobs.all.at(-1);
    if (job === undefined) throw new Error('there is no job');
    const { displayName, model, input, output } = job;
    const local = new FakeStorage(PROJECT_ID);
    const { objects } = local.add(input.bucket);
    objects.set(input.object, Buffer.from(await read(objectPath(input.bucket, input.object))));
    const worker = new FakeJobs(local);
    worker.plan = { looks: 1 };
    const created = worker.create(PROJECT_ID, 'global', {
      displayName,
      model,
      inputConfig: { gcsSource: { uris: [`gs://${input.bucket}/${input.object}`] } },
      outputConfig: { gcsDestination: { outputUriPrefix: `gs://${output.bucket}/${output.object}` } },
    });
    worker.get(PROJECT_ID, (created as { readonly name: string }).name);
    for (const [name, content] of objects) {
      const url = `${storage}/upload/storage/v1/b/${output.bucket}/o?uploadType=media&name=${encodeURIComponent(name)}`;
      expect((await fetch(url, { method: 'POST', body: new Uint8Array(content) })).status).toBe(200);
    }
    const { state, outputDirectory, successful, failed } = worker.all[0] ?? job;
    Object.assign(job, { state, outputDirectory, successful, failed });
  }

  it.each([GEMINI, CLAUDE])(
    'of %s: bucket, requests and results are what it takes and gives, twice',
    async (model) => {
      const world = await startBatchWorld({ provider: { storage_base_url: storage } });
      world.google.jobs.plan = { looks: Infinity };
      await world.store({ region: 'europe-west4' });
      const names = ['first', 'second/2', 'Dritte 👋🏽 "?"'];
      const requests = names.map((name) => request(name, `Hello ${name}\n«${'ü'.repeat(5000)}»`));
      for (let round = 0; round < 2; round += 1) {
        const { id, input_uri } = recordOf(await world.submit({ model, requests }));
        const [, bucket = '', object = ''] = /^gs:\/\/([^/]+)\/(.+)$/.exec(String(input_uri)) ?? [];
        expect(await namesIn(bucket)).toContain(object);
        const lines = (await read(objectPath(bucket, object))).trimEnd().split('\n');
        expect(lines.map((line) => JSON.parse(line).request)).toHaveLength(names.length);
        await runJob(world.google);
        expect(await world.ended(id)).toMatchObject({
          status: 'completed',
          request_counts: { total: 3, completed: 3, failed: 0 },
        });
        const rows = await world.results(id);
        expect(rows.map(({ custom_id }) => custom_id).toSorted()).toEqual(names.toSorted());
        for (const row of rows) expect(row).toMatchObject({ response: { status_code: 200 }, error: null });
        const buckets = JSON.parse(await read(`/storage/v1/b?project=${PROJECT_ID}&prefix=${bucket}`));
        expect(buckets.items).toMatchObject([{ name: bucket }]);
      }
    },
  );
});
