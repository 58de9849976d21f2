import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { documentOf, emptyDataDir, emptyInstallation, inProcess } from '../support/byway.js';
import { usualKind } from '../support/database.js';

test('before the first start everything is fine, and stays as it is', async () => {
  const dataDir = emptyDataDir();
  const ended = await inProcess(['doctor'], { BYWAY_DATA_DIR: dataDir, PORT: '0' });
  const text = ended.stdout
    .replaceAll(dataDir, '/data')
    .replace(process.version, 'v0.0.0')
    // A folder with a longer name breaks this line.
    .replace(/by the first\n +start\n/, 'by the first start\n');
  expect({ ...ended, stdout: text }).toMatchInlineSnapshot(`
    {
      "code": 0,
      "stderr": "",
      "stdout": "    check           found
    ok  node            v0.0.0
    ok  settings        PORT=0
                        BYWAY_DATA_DIR=/data
    ok  configuration   every value can be used
    ok  hosts           any; none stands for a region
    ok  data directory  /data is made by the first start
    ok  master key      /data/master.key is made by the first start
    ok  database        is made by the first start
    ok  credentials     none is stored yet
    ok  catalogue       the first start imports one
    ok  port            0: the system chooses a free one
    ",
    }
  `);
  expect(existsSync(dataDir)).toBe(false);
});

test('after it the doctor counts what there is', async () => {
  const env = { ...(await emptyInstallation()), PORT: '0' };
  await inProcess(['catalog', 'import', 'src/catalog/data/default-catalog.json'], env);
  const { checks } = documentOf(await inProcess(['doctor', '--json'], env));
  expect(checks).toContainEqual({
    name: 'catalogue',
    status: 'ok',
    details: [expect.stringMatching(/^\d+ providers, \d{3} models, \d{3} endpoints$/)],
  });
  expect(checks).toContainEqual({
    name: 'master key',
    status: usualKind() === 'sqlite' ? 'ok' : 'warn',
    details: expect.arrayContaining([expect.stringMatching(/master\.key, identifier [0-9a-f]{16}$/)]),
  });
});

test('region hosts without BYWAY_HOSTS are a warning, and with it their list', async () => {
  const check = async (env: Readonly<Record<string, string>>) => {
    const ended = await inProcess(['doctor', '--json'], {
      BYWAY_DATA_DIR: emptyDataDir(),
      PORT: '0',
      BYWAY_REGION_HOSTS: 'eu.example.com=eu',
      ...env,
    });
    return documentOf(ended).checks.find(({ name }: { name: string }) => name === 'hosts');
  };
  expect(await check({})).toEqual({
    name: 'hosts',
    status: 'warn',
    details: [expect.stringMatching(/^BYWAY_REGION_HOSTS is set and BYWAY_HOSTS is not: .* BYWAY_HOSTS$/)],
  });
  expect(await check({ BYWAY_HOSTS: 'ai.example.com' })).toEqual({
    name: 'hosts',
    status: 'ok',
    details: ['ai.example.com, eu.example.com'],
  });
});

test('every failure has its line, and no secret is shown', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await new Promise((resolve) => taken.once('listening', resolve));
  const address = taken.address();
  const port = typeof address === 'object' && address !== null ? String(address.port) : '';
  const secret = Buffer.from('not a master key').toString('base64');
  const ended = await inProcess(['doctor', '--json'], {
    BYWAY_DATA_DIR: '/dev/null/data',
    HOST: '127.0.0.1',
    PORT: port,
    BYWAY_MASTER_KEY: secret,
    BYWAY_MASTER_KY: secret,
    BYWAY_CATALOG: '/no/such/file',
  });
  expect(ended.code).toBe(1);
  const { ok, checks } = documentOf(ended);
  expect(ok).toBe(false);
  const found = Object.fromEntries(
    checks.map((check: { name: string; status: string; details: string[] }) => [check.name, check]),
  );
  expect(found).toMatchObject({
    settings: {
      status: 'warn',
      details: [
        'BYWAY_MASTER_KY is unknown; did you mean BYWAY_MASTER_KEY?',
        'HOST=127.0.0.1',
        `PORT=${port}`,
        'BYWAY_CATALOG=/no/such/file',
        'BYWAY_DATA_DIR=/dev/null/data',
        'BYWAY_MASTER_KEY is set',
      ],
    },
    'data directory': { status: 'fail' },
    'master key': { status: 'fail', details: [expect.stringMatching(/^BYWAY_MASTER_KEY: must be 32 bytes/)] },
    catalogue: { status: 'fail' },
    port: { status: 'warn' },
  });
  expect(ended.stdout).not.toContain(secret);
});

test('an unusable value ends the checks with its line', async () => {
  const ended = await inProcess(['doctor'], { BYWAY_DATA_DIR: emptyDataDir(), PORT: '99999' });
  expect(ended.code).toBe(1);
  expect(ended.stdout).toMatch(/^fail {2}configuration {2}PORT must be an integer from 0 to 65535$/m);
});
