import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openDuringTest } from '../../support/database.js';
import { caller, recordOf } from '../../support/rest.js';
import {
  expectClean,
  expectRecorded,
  firstServing,
  LIMIT_USD,
  MODELS,
  recordsOf,
  reservations,
  stormCatalog,
} from '../money/reserved.js';
import { type ServingProcess, serveFrom } from '../serving.js';
import { type Storm, storm, type Whole } from './storm.js';

/** `npm run crash-test` runs more. */
const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 3);
const REQUESTS = 500;
const CONCURRENCY = 20;
const ROUND_TIMEOUT_MS = 60_000;

async function stormOf(
  serving: ServingProcess,
  apiKey: string,
  afterAnswer: (count: number) => void,
): Promise<Storm> {
  const all = await storm(serving.rest, apiKey, {
    requests: REQUESTS,
    concurrency: CONCURRENCY,
    models: MODELS,
    afterAnswer,
  });
  return all;
}

describe('kill -9 at any moment', () => {
  it(
    `records every answer exactly once and leaves nothing reserved: ${ROUNDS} rounds`,
    async () => {
      const { dataDir, databaseUrl, serving: first, apiKey, hash, managementKey } = await firstServing();
      const rules = { end_user_limit: LIMIT_USD };
      recordOf(await caller(first, managementKey)('PATCH', `/keys/${hash}`, rules));
      const database = await openDuringTest(databaseUrl);
      const wholes: Whole[] = [];
      let serving = first;
      for (let round = 0; round < ROUNDS; round++) {
        const moment = 1 + Math.floor(Math.random() * (REQUESTS - 2 * CONCURRENCY));
        let killed: Promise<void> | undefined;
        const { whole, refused } = await stormOf(serving, apiKey, (count) => {
          if (count >= moment) killed ??= sleep(Math.random() * 20).then(() => serving.kill());
        });
        expect(refused).toEqual([]);
        await killed;
        wholes.push(...whole);
        await expectClean(dataDir, databaseUrl);
        serving = await serveFrom(dataDir, { catalog: stormCatalog(), databaseUrl });
        expect(await reservations(database)).toEqual([]);
        await expectClean(dataDir, databaseUrl);
        await expectRecorded(database, wholes);
        const next = { model: 'test/m1', messages: [{ role: 'user', content: 'Hello' }] };
        expect((await caller(serving, apiKey)('POST', '/chat/completions', next)).status).toBe(200);
      }
      const { usage, byok_usage, limit_remaining } = recordOf(
        await caller(serving, managementKey)('GET', `/keys/${hash}`),
      );
      expect(Number(limit_remaining)).toBeCloseTo(LIMIT_USD - Number(usage) - Number(byok_usage), 9);
      await serving.kill();
    },
    ROUND_TIMEOUT_MS * (1 + ROUNDS),
  );
});

describe('SIGTERM under load', () => {
  it(
    'ends the process without losing the record of any request that has begun',
    async () => {
      const { dataDir, databaseUrl, serving, apiKey } = await firstServing();
      const database = await openDuringTest(databaseUrl);
      let stopped: Promise<number | null> | undefined;
      const { whole, begun, refused } = await stormOf(serving, apiKey, (count) => {
        if (count >= 100) stopped ??= serving.stop();
      });
      expect(refused.filter((text) => !/^503 .*"reason":"shutting_down"/.test(text))).toEqual([]);
      expect(await stopped).toBe(0);
      await expectRecorded(database, whole);
      const records = await recordsOf(database);
      expect(begun.filter((id) => !records.has(id))).toEqual([]);
      expect(await reservations(database)).toEqual([]);
      await expectClean(dataDir, databaseUrl);
    },
    ROUND_TIMEOUT_MS,
  );
});
