import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.js';
import { systemIds } from '../../../src/base/ids.js';
import { type RotationStore, rotateVault } from '../../../src/byok/vault/rotation.js';
import { compose } from '../../../src/compose/compose.js';
import { readConfig } from '../../../src/config/config.js';
import { createUpstream } from '../../../src/providers/index.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';

const KEY_COUNT = 250;

async function addKey({ rest, managementKey }: TestGateway, name: string): Promise<string> {
  const headers = { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ provider: 'a', key: `demo-ok-${name}-0123456789`, name, is_required: true });
  const answer = await fetch(`${rest}/byok`, { method: 'POST', headers, body });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { data: { id: string } }).data.id;
}

/** Whether a chat is served with a stored key; always-use keys exclude shared capacity for `test/m2`. */
async function isKeyUsable({ rest, apiKey }: TestGateway): Promise<boolean> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'test/m2', messages: [{ role: 'user', content: 'Hello' }] });
  const answer = await fetch(`${rest}/chat/completions`, { method: 'POST', headers, body });
  const { usage } = (await answer.json()) as { usage?: { is_byok: boolean } };
  return answer.status === 200 && usage?.is_byok === true;
}

function settingsOf({ dataDir }: TestGateway) {
  return {
    masterKey: undefined,
    masterKeyFile: undefined,
    masterKeyPrevious: undefined,
    dataDirectory: dataDir,
  };
}

/** A store that stops after `batches`, like a killed process. */
function breakingAfter(batches: number, store: RotationStore): RotationStore {
  let left = batches;
  return {
    withExclusiveLock: (work) => store.withExclusiveLock(work),
    async rewrapStale(...args) {
      if (left-- === 0) throw new Error('killed');
      return store.rewrapStale(...args);
    },
  };
}

describe('vault rotation', () => {
  it('runs under load: every request is served meanwhile, and every credential opens afterwards', async () => {
    const running = await startGateway();
    for (let n = 0; n < KEY_COUNT; n++) await addKey(running, `k${n}`);
    let rotating = true;
    const outcomes: boolean[] = [];
    const load = Array.from({ length: 4 }, async (_, n) => {
      while (rotating) outcomes.push(await isKeyUsable(running));
      await addKey(running, `during-${n}`);
    });
    const { masterKeyId, rewrappedCount, unreadable } = await rotateVault(
      running.gateway.stores.credentials,
      settingsOf(running),
    );
    rotating = false;
    await Promise.all(load);
    expect({ rewrappedCount, unreadable }).toEqual({ rewrappedCount: KEY_COUNT, unreadable: [] });
    expect(outcomes.length).toBeGreaterThan(0);
    expect(outcomes.filter((served) => !served)).toEqual([]);
    expect(await isKeyUsable(running)).toBe(true);
    const rows = await running.gateway.database.query
      .selectFrom('byok_key')
      .select('master_key_id')
      .execute();
    expect(rows.filter((row) => row.master_key_id === masterKeyId).length).toBeGreaterThanOrEqual(KEY_COUNT);
  }, 60_000);

  it('that was interrupted is finished by the next one, and then the old master key can be removed', async () => {
    const running = await startGateway();
    for (let n = 0; n < KEY_COUNT; n++) await addKey(running, `k${n}`);
    const { credentials } = running.gateway.stores;
    await expect(rotateVault(breakingAfter(3, credentials), settingsOf(running))).rejects.toThrow('killed');
    expect(await isKeyUsable(running)).toBe(true);
    const finished = await rotateVault(credentials, settingsOf(running));
    expect(finished).toMatchObject({ unreadable: [] });
    expect(finished.rewrappedCount).toBeGreaterThan(0);

    const file = join(running.dataDir, 'master.key');
    const [current] = readFileSync(file, 'utf8').trim().split('\n');
    writeFileSync(file, `${current}\n`);
    const after = await rotateVault(credentials, settingsOf(running));
    expect(after).toMatchObject({ rewrappedCount: KEY_COUNT, unreadable: [] });
    expect(await isKeyUsable(running)).toBe(true);
  }, 60_000);
});

describe('a master key file that is gone', () => {
  it('stops the start with one line while credentials are stored under it, and creates no new one', async () => {
    const running = await startGateway();
    await addKey(running, 'kept');
    const file = join(running.dataDir, 'master.key');
    const original = readFileSync(file);
    rmSync(file);
    const config = readConfig({
      BYWAY_DATA_DIR: running.dataDir,
      BYWAY_DATABASE_URL: running.databaseUrl,
    });
    const surroundings = {
      clock: systemClock,
      ids: systemIds,
      log: { error: () => {}, warn: () => {} },
      upstream: createUpstream({ clock: systemClock, allowPrivateUpstreams: false }),
    };
    await expect(compose(config, surroundings)).rejects.toThrow(
      /master\.key: is missing, but credentials are stored/,
    );
    expect(existsSync(file)).toBe(false);
    writeFileSync(file, original);
    await (await compose(config, surroundings)).close();
  });
});
