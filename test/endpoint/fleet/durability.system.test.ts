import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openDuringTest } from '../../support/database.js';
import { startGateway } from '../../support/gateway.js';
import { type Answer, bodyOf, caller, type Row, recordOf, refusalOf } from '../../support/rest.js';
import { serveFrom, temporaryDataDir } from '../serving.js';

const CHAT = { model: 'test/m1', messages: [{ role: 'user', content: 'Hello' }] };
const TIMEOUT_MS = 60_000;

/** Repeats the work until it fails, which it does once the process is gone. */
async function untilGone(work: (round: number) => Promise<void>): Promise<void> {
  for (let round = 0; ; round++) {
    try {
      await work(round);
    } catch (error) {
      if (isGone(error)) return;
      throw error;
    }
  }
}

function isGone(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(String(code));
}

describe('whatever was answered with success survives kill -9', () => {
  it(
    'keys, BYOK keys, their changes and deletions, and generations',
    async () => {
      const dataDir = temporaryDataDir();
      const first = await serveFrom(dataDir);
      const { apiKey, managementKey } = await first.keys;
      const manage = caller(first, managementKey);
      const use = caller(first, apiKey);
      const created: Row[] = [];
      const byok: Row[] = [];
      const deleted: string[] = [];
      const generations: string[] = [];
      const counters = await Promise.all(
        Array.from({ length: 8 }, async () => {
          const { hash } = recordOf(await manage('POST', '/keys', { name: '0' }));
          return { hash, requested: 0, acknowledged: 0 };
        }),
      );
      const workers = [
        untilGone(
          async () => void created.push(recordOf(await manage('POST', '/keys', { name: 'n', limit: 5 }))),
        ),
        untilGone(async () => {
          const body = { provider: 'a', key: 'demo-echo-0123456789', allowed_models: ['test/m1'] };
          byok.push(recordOf(await manage('POST', '/byok', body)));
        }),
        ...counters.map((counter) =>
          untilGone(async (round) => {
            counter.requested = round + 1;
            const answer = await manage('PATCH', `/keys/${counter.hash}`, { name: `${counter.requested}` });
            counter.acknowledged = Number(recordOf(answer).name);
          }),
        ),
        untilGone(async () => {
          const { hash } = recordOf(await manage('POST', '/keys', { name: 'short-lived' }));
          const answer = await manage('DELETE', `/keys/${hash}`);
          if (answer.status === 200) deleted.push(String(hash));
        }),
        untilGone(async (round) => {
          const answer = await use('POST', '/chat/completions', { ...CHAT, stream: round % 2 === 0 });
          if (isWhole(answer)) generations.push(String(answer.headers['x-generation-id']));
        }),
      ];
      const updated = () => Math.min(...counters.map(({ acknowledged }) => acknowledged));
      while (Math.min(created.length, byok.length, updated(), deleted.length, generations.length) < 10) {
        await sleep(5);
      }
      await first.kill();
      await Promise.all(workers);

      const second = await startGateway({
        env: { BYWAY_DATA_DIR: dataDir, BYWAY_DATABASE_URL: first.databaseUrl },
      });
      const again = caller(second, managementKey);
      for (const row of created)
        expect(bodyOf(await again('GET', `/keys/${row.hash}`))).toEqual({ data: row });
      for (const row of byok) expect(bodyOf(await again('GET', `/byok/${row.id}`))).toEqual({ data: row });
      for (const hash of deleted) expect((await again('GET', `/keys/${hash}`)).status).toBe(404);
      for (const id of generations) expect((await again('GET', `/generation?id=${id}`)).status).toBe(200);
      for (const { hash, acknowledged, requested } of counters) {
        const name = Number(recordOf(await again('GET', `/keys/${hash}`)).name);
        expect([acknowledged, requested]).toContain(name);
      }
      expect((await caller(second, apiKey)('POST', '/chat/completions', CHAT)).status).toBe(200);
    },
    TIMEOUT_MS,
  );
});

/** A streamed answer that was cut off does not count. */
function isWhole({ status, headers, text }: Answer): boolean {
  const isStream = String(headers['content-type']).startsWith('text/event-stream');
  return status === 200 && (!isStream || text.includes('data: [DONE]'));
}

describe('a change made by another process on the same database takes effect within a second', () => {
  it(
    'a key that is disabled, enabled or deleted there, and a BYOK key that is changed there',
    async () => {
      const dataDir = temporaryDataDir();
      const here = await serveFrom(dataDir);
      const { managementKey } = await here.keys;
      const env = { BYWAY_DATA_DIR: dataDir, BYWAY_DATABASE_URL: here.databaseUrl };
      // On SQLite it could give no credits: that takes the process that serves.
      const there = await startGateway({ env, credits: 0n });
      const [manageHere, manageThere] = [caller(here, managementKey), caller(there, managementKey)];
      const { data, key } = bodyOf(await manageHere('POST', '/keys', { name: 'n' }));
      const { hash } = data as { hash: string };
      const use = caller(here, String(key));
      const within = async () => sleep(1000);
      expect((await use('GET', '/key')).status).toBe(200);

      await manageThere('PATCH', `/keys/${hash}`, { disabled: true });
      await within();
      expect(refusalOf(await use('GET', '/key'))).toEqual([401, 'api_key_disabled']);

      await manageThere('PATCH', `/keys/${hash}`, { disabled: false });
      const { id } = recordOf(
        await manageThere('POST', '/byok', { provider: 'a', key: 'demo-echo-0123456789' }),
      );
      await within();
      expect(bodyOf(await use('POST', '/chat/completions', CHAT)).usage).toMatchObject({ is_byok: true });

      await manageThere('PATCH', `/byok/${id}`, { disabled: true });
      await within();
      expect(bodyOf(await use('POST', '/chat/completions', CHAT)).usage).toMatchObject({ is_byok: false });

      await manageThere('DELETE', `/keys/${hash}`);
      await within();
      expect(refusalOf(await use('GET', '/key'))).toEqual([401, 'invalid_api_key']);
    },
    TIMEOUT_MS,
  );

  it('a management key that is revoked in the database', async () => {
    const here = await startGateway();
    const manage = caller(here, here.managementKey);
    expect((await manage('GET', '/keys')).status).toBe(200);
    const database = await openDuringTest(here.databaseUrl);
    await database.transact(['identity'], async (tx) => {
      await tx.updateTable('management_key').set({ revoked_at: Date.now() }).execute();
    });
    await sleep(1000);
    expect(refusalOf(await manage('GET', '/keys'))).toEqual([401, 'invalid_api_key']);
  });
});
