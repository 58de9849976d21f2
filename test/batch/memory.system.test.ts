import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { bodyOf, submit, TRANSPORTS } from '../bench/batch-bodies.js';
import { startFakeGoogle } from '../support/fakes/fake-google-storage.js';
import { caller, recordOf, refusalOf } from '../support/rest.js';
import { startServerProcess } from '../support/server-process.js';
import { batchCatalog, endedBatch, GEMINI, request, startBatchWorld } from './world.js';

const MIB = 1024 * 1024;
const REQUESTS = 1500;
const ANSWER_CHARACTERS = 60_000;

/** MB of the old generation; the messages of all these requests at once would take several times that. */
const HEAP_MIB = 96;

/** The maximum of a batch. */
const MAX_REQUESTS = 50_000;

/** Characters per request, so that the body counts as a large one over every transport. */
const CHARACTERS = 60;

it.each(TRANSPORTS)(
  'a batch of fifty thousand requests is staged within a small heap, over %s',
  async (transport) => {
    const { google, server, origin } = await startProcess({
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
    });
    const body = bodyOf(transport, CHARACTERS, MAX_REQUESTS);
    await submit(transport, origin, server.managementKey, body);
    const [staged] = [...google.storage.buckets.values()].flatMap(({ objects }) => [...objects.values()]);
    expect(staged?.toString().trimEnd().split('\n')).toHaveLength(body.count);
  },
  120_000,
);

it('a violation late in a large body is reported with its field, and nothing is staged', async () => {
  const world = await startBatchWorld();
  await world.store();
  const requests = Array.from({ length: 3000 }, (_, row) => request(`row ${row}`, 'word '.repeat(400)));
  const invalid = [
    ...requests,
    request('row 7'),
    request('x', 'x', { top_p: 'high' }),
    { custom_id: 'y', bodies: {} },
  ];
  const broken = await world.submit({ requests: invalid });
  expect(refusalOf(broken)).toEqual([
    400,
    'invalid_request',
    'requests[3001].body.top_p type',
    'requests[3002].bodies unknown',
  ]);
  const twice = await world.submit({ requests: invalid.slice(0, 3001) });
  expect(refusalOf(twice)).toEqual([400, 'invalid_request', 'requests[3000].custom_id unique']);
  expect(world.google.requests).toEqual([]);
});

it('a result of some 90 MB is metered and read in a fraction of that memory', async () => {
  const { google, server, origin, manage } = await startProcess();
  google.jobs.plan = { words: ['y'.repeat(ANSWER_CHARACTERS)] };
  const requests = Array.from({ length: REQUESTS }, (_, row) => request(`row ${row}`, 'word '.repeat(400)));
  const { id } = recordOf(await manage('POST', '/batches', { model: GEMINI, requests }));
  server.forgetPeak();
  const before = server.peakBytes();
  await endedBatch(manage, id);
  const headers = { authorization: `Bearer ${server.managementKey}` };
  const answer = await fetch(`${origin}/api/v1/batches/${id}/results`, { headers });
  let bytes = 0;
  for await (const piece of answer.body ?? []) bytes += piece.length;
  expect(bytes).toBeGreaterThan(REQUESTS * ANSWER_CHARACTERS);
  expect(server.peakBytes() - before).toBeLessThan(60 * MIB);
}, 60_000);

/** A gateway in a process of its own, with a key for the fake Google; it ends with the test. */
async function startProcess(env: Readonly<Record<string, string>> = {}) {
  const google = await startFakeGoogle();
  const folder = mkdtempSync(join(tmpdir(), 'byway-test-'));
  const catalogFile = join(folder, 'catalog.json');
  writeFileSync(catalogFile, JSON.stringify(batchCatalog(google.origin)));
  const server = await startServerProcess({
    BYWAY_CATALOG: catalogFile,
    BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1',
    BYWAY_ADMIN_RATE_PER_MINUTE: '0',
    ...env,
  });
  onTestFinished(async () => {
    await server.stop();
    await google.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const origin = `http://127.0.0.1:${server.port}`;
  const manage = caller({ rest: `${origin}/api/v1` }, server.managementKey);
  recordOf(await manage('POST', '/byok', { provider: 'google-vertex', key: google.serviceAccount() }));
  return { google, server, origin, manage };
}
