import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openDuringTest } from '../../support/database.js';
import { type Cluster, makeCluster, newestPrograms } from '../../support/postgres/postgres-cluster.js';
import { caller, send } from '../../support/rest.js';
import {
  expectClean,
  expectRecorded,
  firstServing,
  MODELS,
  reservations,
  stormCatalog,
} from '../money/reserved.js';
import { type ServingProcess, serveFrom } from '../serving.js';
import { storm } from './storm.js';

/** Duration of the outage; `OUTAGE_SECONDS` overrides it. */
const OUTAGE_MS = Number(process.env.OUTAGE_SECONDS ?? 3) * 1_000;
const PATIENCE = { timeout: 30_000, interval: 100 };

const programs = newestPrograms();

/** A server of its own: stopping that of the test run would stop every other test. */
async function ownCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'byway-outage-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const cluster = await makeCluster(programs ?? '', folder, {});
  onTestFinished(() => cluster.stop());
  await cluster.start();
  return cluster;
}

if (programs === undefined)
  process.stderr.write('No PostgreSQL is installed: it is not stopped under load.\n');

describe.runIf(programs !== undefined)('PostgreSQL is stopped under load and started again', () => {
  it.each(['SIGINT', 'SIGQUIT'] as const)(
    'by %s: no answer is lost or doubled, nothing stays reserved, and no process needs a restart',
    async (signal) => {
      const cluster = await ownCluster();
      const { dataDir, databaseUrl, serving, apiKey } = await firstServing(cluster.url);
      const processes = [serving, await serveFrom(dataDir, { databaseUrl, catalog: stormCatalog() })];
      let isOver = false;
      const wholes = processes.map((process) => stormUntil(process, apiKey, () => isOver));
      await sleep(1_000);
      await cluster.stop(signal);
      await sleep(OUTAGE_MS);
      await cluster.start();
      for (const process of processes) {
        await vi.waitFor(async () => expect((await chat(process, apiKey)).status).toBe(200), PATIENCE);
      }
      await sleep(500);
      isOver = true;
      const whole = (await Promise.all(wholes)).flat();
      expect(whole.length).toBeGreaterThan(20);
      const database = await openDuringTest(databaseUrl);
      await vi.waitFor(async () => expect(await reservations(database)).toEqual([]), PATIENCE);
      await expectRecorded(database, whole);
      await expectClean(dataDir, databaseUrl);
      for (const process of processes) {
        expect((await send(process.rest.replace('/api/v1', '/readyz'), 'GET')).status).toBe(200);
      }
    },
    60_000 + 2 * OUTAGE_MS,
  );
});

/** Storms, one after the other, until `isOver`; returns the complete answers. */
async function stormUntil(process: ServingProcess, apiKey: string, isOver: () => boolean) {
  const whole = [];
  while (!isOver()) {
    const round = await storm(process.rest, apiKey, { requests: 20, concurrency: 5, models: MODELS });
    const texts = round.refused.filter((text) => !text.includes('database_unavailable'));
    expect(texts).toEqual([]);
    whole.push(...round.whole);
  }
  return whole;
}

function chat(process: ServingProcess, apiKey: string) {
  const body = { model: 'test/m1', messages: [{ role: 'user', content: 'Hello' }] };
  return caller(process, apiKey)('POST', '/chat/completions', body);
}
