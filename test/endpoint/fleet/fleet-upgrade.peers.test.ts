import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { byway, documentOf } from '../../support/byway.js';
import { emptyDatabaseUrl, openDuringTest } from '../../support/database.js';
import { isPartitioned } from '../../support/partitions.js';
import { hasPostgres } from '../../support/postgres/postgres-access.js';
import { bodyOf, caller, type Row } from '../../support/rest.js';
import { buildCommit, buildNext, commitBefore } from '../../support/versions.js';
import { expectRecorded, firstServing, MODELS, reservations, stormCatalog } from '../money/reserved.js';
import { type ServingProcess, serveFrom, type Version } from '../serving.js';
import { type Storm, storm } from './storm.js';

const TIMEOUT_MS = 240_000;

const THIS: Version = {};

const before = await commitBefore();

describe.runIf(hasPostgres())('an update from one version to the next, process by process', () => {
  it(
    'to a version that adds a column to every table: no request fails, and the old version can start again',
    async () => {
      await update(THIS, { program: await buildNext() }, async (startOld) => {
        const again = await startOld();
        expect(await again.stop()).toBe(0);
      });
    },
    TIMEOUT_MS,
  );

  it.runIf(before !== undefined)(
    'from the last build whose schema is one migration behind: no request fails',
    async () => {
      await update({ program: await buildCommit(before ?? '') }, THIS, async () => undefined);
    },
    TIMEOUT_MS,
  );
});

/** Starts the new version beside the old one and stops the old one, under chats and administration. */
async function update(
  old: Version,
  next: Version,
  between: (startOld: () => Promise<ServingProcess>) => Promise<void>,
): Promise<void> {
  const first = await firstServing(await emptyDatabaseUrl('postgres'), old);
  const { dataDir, databaseUrl, apiKey, managementKey, hash } = first;
  const options = { databaseUrl, catalog: stormCatalog() };
  const load = (serving: ServingProcess) => keepBusy(serving, { apiKey, managementKey, hash });

  const onOld = load(first.serving);
  await onOld.hasDone(3);
  const serving = await serveFrom(dataDir, { ...options, version: next });
  const onNew = load(serving);
  await between(() => serveFrom(dataDir, { ...options, version: old }));
  await Promise.all([onOld.hasDone(3), onNew.hasDone(3)]);
  const storms = await onOld.end();
  expect(await first.serving.stop()).toBe(0);
  await onNew.hasDone(2);
  storms.push(...(await onNew.end()));

  expect(storms.flatMap(({ refused }) => refused)).toEqual([]);
  const database = await openDuringTest(databaseUrl);
  await expectRecorded(
    database,
    storms.flatMap(({ whole }) => whole),
  );
  await expect.poll(() => reservations(database), { timeout: 15_000 }).toEqual([]);
  expect(await isPartitioned(database)).toBe(true);
  const env = { BYWAY_DATA_DIR: dataDir, BYWAY_DATABASE_URL: databaseUrl };
  const { checks } = documentOf(await byway(['db', 'check', '--json'], env, '', next.program));
  expect(checks.filter(({ status }: Row) => status !== 'ok')).toEqual([]);
  expect(await serving.stop()).toBe(0);
}

/** Rounds of chats, changes and lists, one after the other, until it is stopped. */
function keepBusy(
  serving: ServingProcess,
  keys: { readonly apiKey: string; readonly managementKey: string; readonly hash: string },
) {
  const storms: Storm[] = [];
  let isEnding = false;
  const busy = (async () => {
    while (!isEnding) {
      const [stormed] = await Promise.all([
        storm(serving.rest, keys.apiKey, { requests: 30, concurrency: 6, models: MODELS }),
        administer(serving, keys.managementKey, keys.hash),
      ]);
      storms.push(stormed);
    }
  })();
  return {
    /** Waits for this many more rounds. */
    async hasDone(rounds: number): Promise<void> {
      const wanted = storms.length + rounds;
      while (storms.length < wanted) await Promise.race([busy, sleep(20)]);
    },
    async end(): Promise<Storm[]> {
      isEnding = true;
      await busy;
      return storms;
    },
  };
}

/** Typical administrative calls; any refusal fails the test. */
async function administer(serving: ServingProcess, managementKey: string, hash: string): Promise<void> {
  const manage = caller(serving, managementKey);
  const expectAnswerFrom = async (method: string, path: string, body?: object) => {
    const answer = await manage(method, path, body);
    expect([method, path, answer.status < 300 ? 'served' : answer.text]).toEqual([method, path, 'served']);
    return bodyOf(answer);
  };
  const created = await expectAnswerFrom('POST', '/keys', { name: 'Made during an update', limit: 1 });
  await expectAnswerFrom('PATCH', `/keys/${hash}`, { name: `Named at ${Date.now()}` });
  for (const list of ['/keys', '/generations', '/byok', '/workspaces', '/activity', '/credits', '/models']) {
    await expectAnswerFrom('GET', list);
  }
  await expectAnswerFrom('DELETE', `/keys/${(created.data as Row).hash}`);
}
