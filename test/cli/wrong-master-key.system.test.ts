import { once } from 'node:events';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { readMasterKey } from '../../src/byok/vault/master-key.js';
import type { Database } from '../../src/store/database/database.js';
import { buildByway, byway, documentOf, emptyDataDir, inProcess, spawnByway } from '../support/byway.js';
import { DATABASE_KINDS, emptyDatabaseUrl, openDuringTest } from '../support/database.js';
import { bodyOf, caller, type Row, recordOf } from '../support/rest.js';

beforeAll(buildByway, 180_000);

const WAIT = { timeout: 30_000, interval: 50 };
const [FIRST, SECOND, WRONG] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte).toString('base64'));
const CREDENTIAL = 'demo-key-canary-0123456789';

describe.each(DATABASE_KINDS)('stored credentials that cannot be opened, on %s', (kind) => {
  test('a start with a wrong master key refuses in one line, with exit code 1, and changes nothing', async () => {
    const installation = await withCredentials(kind, 2);
    const [, newest = ''] = installation.ids;
    const wrong = { ...installation.env, BYWAY_MASTER_KEY: WRONG ?? '' };
    const refusal =
      `BYWAY_MASTER_KEY: does not open the credential that was stored last (BYOK key ${newest}), ` +
      `which master key ${idOf(FIRST)} has sealed; give the right key, here or in BYWAY_MASTER_KEY_PREVIOUS; ` +
      'if it is lost, --accept-unreadable';
    expect(await byway(['serve'], wrong)).toEqual({ code: 1, stdout: '', stderr: `byway: ${refusal}\n` });
    const doctor = documentOf(await inProcess(['doctor', '--json'], wrong));
    expect(doctor.ok).toBe(false);
    expect(checkOf(doctor)).toMatchObject({
      status: 'fail',
      details: [refusal, ...installation.ids.toSorted().map((id) => `BYOK key ${id}: unknown_master_key`)],
    });
    // Nor is anything sealed with it, which would make it look right.
    const sealing = await byway(['provider', 'set-key', 'openai'], wrong, 'sk-abcdefghijklmnop');
    expect(sealing).toEqual({ code: 1, stdout: '', stderr: `byway: ${refusal}\n` });
    const server = await serving(installation.env);
    expect(await server.chat()).toMatchObject({ usage: { is_byok: true } });
  }, 120_000);

  test('a key that opens the newest credential starts; those that it cannot open are logged and named, never shown', async () => {
    const installation = await withCredentials(kind, 1);
    const both = {
      ...installation.env,
      BYWAY_MASTER_KEY: SECOND ?? '',
      BYWAY_MASTER_KEY_PREVIOUS: FIRST ?? '',
    };
    const server = await serving(both);
    const newer = await server.addKey({ is_fallback: true });
    await server.stop();
    const second = { ...installation.env, BYWAY_MASTER_KEY: SECOND ?? '' };
    const [older = ''] = installation.ids;
    const later = await serving(second);
    await vi.waitFor(() => expect(later.unreadable()).toHaveLength(1), WAIT);
    expect(later.unreadable()).toMatchObject([
      { byok_key_id: older, reason: 'unknown_master_key', level: 40 },
    ]);
    expect(await later.chat()).toMatchObject({ usage: { is_byok: false } });
    expect(await later.explain()).toMatchObject({ byok_key_id: older, reason: 'key_unusable' });
    await later.stop();
    const doctor = documentOf(await inProcess(['doctor', '--json'], second));
    expect(checkOf(doctor)).toMatchObject({
      status: 'warn',
      details: [`BYOK key ${older}: unknown_master_key`],
    });
    expect(doctor.ok).toBe(true);
    expect(later.stdout() + later.stderr() + JSON.stringify(doctor)).not.toContain('canary');
    // The first key alone does not open the newest credential.
    const refused = await byway(['serve'], installation.env);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`(BYOK key ${newer})`) });
  }, 120_000);

  test('a damaged one stops no start while another opens, and shared capacity does not replace a required key', async () => {
    const installation = await withCredentials(kind, 1);
    const before = await serving(installation.env);
    const required = await before.addKey({ is_required: true });
    await before.stop();
    await damage(installation.url, [required]);
    const server = await serving(installation.env);
    await vi.waitFor(() => expect(server.unreadable()).toHaveLength(1), WAIT);
    expect(server.unreadable()).toMatchObject([{ byok_key_id: required, reason: 'damaged' }]);
    expect(await server.chat()).toMatchObject({ usage: { is_byok: true } });
    await server.disable(installation.ids[0] ?? '');
    expect(await server.chat()).toMatchObject({
      error: { code: 404, metadata: { reasons: { key_unusable: 1, always_use: 1 } } },
    });
    await server.stop();

    await damage(installation.url, installation.ids);
    const refused = await byway(['serve'], installation.env);
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^byway: BYWAY_MASTER_KEY: opens none of the 2 credentials that were stored last; .*\n$/,
      ),
    });
  }, 120_000);

  test('whoever has lost the key says so, and replaces what is lost', async () => {
    const installation = await withCredentials(kind, 1);
    const env = { ...installation.env, BYWAY_MASTER_KEY: SECOND ?? '' };
    const server = await serving(env, '--accept-unreadable');
    await vi.waitFor(() => expect(server.unreadable()).toHaveLength(1), WAIT);
    await server.replace(installation.ids[0] ?? '');
    expect(await server.chat()).toMatchObject({ usage: { is_byok: true } });
    await server.stop();
    const later = await serving(env);
    expect(await later.chat()).toMatchObject({ usage: { is_byok: true } });
  }, 120_000);

  test('the credentials of shared capacity count like those of accounts', async () => {
    const url = await emptyDatabaseUrl(kind);
    const env = environmentOf(url, FIRST);
    await (await serving(env)).stop();
    expect(await byway(['provider', 'set-key', 'openai'], env, 'sk-canary-abcdefghijkl')).toMatchObject({
      code: 0,
    });
    const wrong = { ...env, BYWAY_MASTER_KEY: WRONG ?? '' };
    expect(await byway(['serve'], wrong)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('(shared credential of openai)'),
    });
    const replacing = ['provider', 'set-key', 'openai', '--accept-unreadable'];
    expect(await byway(replacing, wrong, 'sk-canary-abcdefghijkl')).toMatchObject({ code: 0 });
    await (await serving(wrong)).stop();
  }, 120_000);
});

const API = { managementKey: /management key +(\S+)/, apiKey: /API key +(\S+)/ };

function environmentOf(url: string, masterKey = '') {
  return {
    BYWAY_DATA_DIR: emptyDataDir(),
    BYWAY_DATABASE_URL: url,
    BYWAY_MASTER_KEY: masterKey,
    HOST: '127.0.0.1',
    PORT: '0',
  };
}

let keys: Readonly<Record<keyof typeof API, string>>;

/** An installation whose account has BYOK keys at the demo provider, sealed under the first master key. */
async function withCredentials(kind: (typeof DATABASE_KINDS)[number], count: number) {
  const url = await emptyDatabaseUrl(kind);
  const env = environmentOf(url, FIRST);
  const server = await serving(env, '--print-keys');
  const found = (pattern: RegExp) => pattern.exec(server.stdout())?.[1] ?? '';
  keys = { managementKey: found(API.managementKey), apiKey: found(API.apiKey) };
  const ids: string[] = [];
  for (let one = 0; one < count; one++) ids.push(await server.addKey({}));
  await server.stop();
  return { url, env, ids };
}

async function serving(env: Readonly<Record<string, string>>, ...options: string[]) {
  const server = spawnByway(['serve', ...options], env);
  const lines = (): Row[] =>
    server
      .stdout()
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line));
  const port = await vi.waitFor(() => {
    const ready = lines().find(({ msg }) => String(msg).startsWith('Byway is ready at '));
    if (ready === undefined) throw new Error(`not ready: ${server.stdout()}${server.stderr()}`);
    return new URL(String(ready.url)).port;
  }, WAIT);
  const rest = `http://127.0.0.1:${port}/api/v1`;
  const manage = (...call: Parameters<ReturnType<typeof caller>>) =>
    caller({ rest }, keys.managementKey)(...call);
  const use = (...call: Parameters<ReturnType<typeof caller>>) => caller({ rest }, keys.apiKey)(...call);
  return {
    ...server,
    unreadable: () =>
      lines().filter(({ msg }) => String(msg).startsWith('a stored credential cannot be opened')),
    async addKey(more: object) {
      const answer = await manage('POST', '/byok', { provider: 'demo', key: CREDENTIAL, ...more });
      return String(recordOf(answer).id);
    },
    disable: async (id: string) => recordOf(await manage('PATCH', `/byok/${id}`, { disabled: true })),
    replace: async (id: string) => recordOf(await manage('PATCH', `/byok/${id}`, { key: CREDENTIAL })),
    chat: async () =>
      bodyOf(
        await use('POST', '/chat/completions', {
          model: 'demo/echo',
          messages: [{ role: 'user', content: 'Hello' }],
        }),
      ),
    async explain() {
      const { excluded } = recordOf(await use('POST', '/routing/explain', { model: 'demo/echo' }));
      return (excluded as Row[]).find(({ byok_key_id }) => byok_key_id !== null);
    },
    async stop() {
      server.process.kill('SIGTERM');
      await once(server.process, 'exit');
    },
  };
}

async function damage(url: string, ids: readonly string[]): Promise<void> {
  const database: Database = await openDuringTest(url);
  await database.transact(['byok'], (tx) =>
    tx
      .updateTable('byok_key')
      .set({ ciphertext: Buffer.from('damaged') })
      .where('id', 'in', ids)
      .execute(),
  );
}

function checkOf({ checks }: { readonly checks: readonly Row[] }): Row | undefined {
  return checks.find(({ name }) => name === 'credentials');
}

function idOf(masterKey = ''): string {
  return readMasterKey('', masterKey).id;
}
