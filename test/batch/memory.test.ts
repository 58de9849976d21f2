import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startFakeGoogle } from '../support/fake-google-storage.js';
import { caller, recordOf } from '../support/rest.js';
import { startServerProcess } from '../support/server-process.js';
import { batchCatalog, endedBatch, GEMINI, request } from './world.js';

const MIB = 1024 * 1024;
const REQUESTS = 1500;
const ANSWER_CHARACTERS = 60_000;

it('a result of some 90 MB is metered and read in a fraction of that memory', async () => {
  const google = await startFakeGoogle();
  const folder = mkdtempSync(join(tmpdir(), 'byway-test-'));
  const catalogFile = join(folder, 'catalog.json');
  writeFileSync(catalogFile, JSON.stringify(batchCatalog(google.origin)));
  const server = await startServerProcess({
    ...{ BYWAY_CATALOG: catalogFile, BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1', BYWAY_ADMIN_RATE_PER_MINUTE: '0' },
  });
  onTestFinished(async () => {
    await server.stop();
    await google.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const rest = `http://127.0.0.1:${server.port}/api/v1`;
  const manage = caller({ rest }, server.managementKey);
  recordOf(await manage('POST', '/byok', { provider: 'google-vertex', key: google.serviceAccount() }));
  google.jobs.plan = { words: ['y'.repeat(ANSWER_CHARACTERS)] };
  const requests = Array.from({ length: REQUESTS }, (_, row) => request(`row ${row}`, 'word '.repeat(400)));
  const { id } = recordOf(await manage('POST', '/batches', { model: GEMINI, requests }));
  server.forgetPeak();
  const before = server.peakBytes();
  await endedBatch(manage, id);
  const headers = { authorization: `Bearer ${server.managementKey}` };
  const answer = await fetch(`${rest}/batches/${id}/results`, { headers });
  let bytes = 0;
  for await (const piece of answer.body ?? []) bytes += piece.length;
  expect(bytes).toBeGreaterThan(REQUESTS * ANSWER_CHARACTERS);
  expect(server.peakBytes() - before).toBeLessThan(60 * MIB);
}, 60_000);
