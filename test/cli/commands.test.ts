import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import {
  buildByway,
  byway,
  documentOf,
  type Ended,
  emptyInstallation,
  inProcess,
  spawnByway,
  withoutRandomness,
} from '../support/byway.js';
import { testCatalog } from '../support/catalog.js';
import { usualKind } from '../support/database.js';

beforeAll(buildByway, 180_000);

test('every command prints one JSON document with --json', async () => {
  const env = { ...(await emptyInstallation()), PORT: '0' };
  const golden: string[] = [];
  const run = async (...args: string[]) => note(await inProcess([...args, '--json'], env), args);
  const note = (ended: Ended, [name = '', verb = '']: readonly string[]) => {
    expect(ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Error') });
    golden.push(`${name} ${verb.startsWith('-') ? '' : verb}: ${withoutRandomness(ended.stdout).trimEnd()}`);
    return documentOf(ended);
  };

  note(await byway(['db', 'migrate', '--json'], env), ['db', 'migrate']);
  const file = join(dirname(env.BYWAY_DATA_DIR), 'catalog.json');
  writeFileSync(file, JSON.stringify(testCatalog()));
  const importing = byway(['catalog', 'import', file], env);
  const created = await run('account', 'create', '--name', 'Acme', '--credits', '0.000000001');
  await importing;
  const account: string = created.account_id;
  const wanted = ['--name', 'K', '--user', 'user_ada', '--limit', '0.5'];
  const key = await run('key', 'create', '--account', account, ...wanted);
  const poor = await run('account', 'create', '--name', 'Poor', '--credits', '0');
  await run('account', 'credit', account, '2.000000002');
  expect(golden.splice(0).sort()).toMatchInlineSnapshot(`
    [
      "account create: {"account_id":"<uuid>","workspace_id":"<uuid>","owner_user_id":"<user>","management_key":"<mgmt secret>"}",
      "account create: {"account_id":"<uuid>","workspace_id":"<uuid>","owner_user_id":"<user>","management_key":"<mgmt secret>"}",
      "account credit: {"account_id":"<uuid>","added":2.000000002,"total_credits":2.000000003}",
      "db migrate: {"applied":["0001-first-light","0002-control-plane","0003-money","0004-batches","0005-rate-buckets","0006-principals","0007-usage","0008-grown-books","0009-walls","0010-in-the-field","0011-modes","0012-attribution","0013-answer-cache"]}",
      "key create: {"hash":"<hash>","key":"<v1 secret>"}",
    ]
  `);
  await run('account', 'list');
  await run('key', 'list', '--account', account);
  await run('key', 'disable', key.hash);
  const disabled = await inProcess(['key', 'list', '--account', account], env);
  expect(disabled.stdout).toMatch(new RegExp(`^${key.hash}  bw-v1-\\S+ +disabled  user_ada  K$`, 'm'));
  expect(documentOf(await inProcess(['key', 'list', '--account', poor.account_id, '--json'], env))).toEqual({
    data: [],
    total_count: 0,
  });
  expect(golden.splice(0)).toMatchInlineSnapshot(`
    [
      "account list: {"data":[{"account_id":"<uuid>","name":"Acme","plan":"pay_as_you_go","owner_user_id":"<user>","created_at":"<instant>"},{"account_id":"<uuid>","name":"Poor","plan":"pay_as_you_go","owner_user_id":"<user>","created_at":"<instant>"}],"total_count":2}",
      "key list: {"data":[{"hash":"<hash>","name":"K","label":"<v1 label>","disabled":false,"limit":0.5,"limit_remaining":0.5,"limit_reset":null,"include_byok_in_limit":false,"usage":0,"usage_daily":0,"usage_weekly":0,"usage_monthly":0,"byok_usage":0,"byok_usage_daily":0,"byok_usage_weekly":0,"byok_usage_monthly":0,"created_at":"<instant>","updated_at":"<instant>","expires_at":null,"creator_user_id":"user_ada","workspace_id":"<uuid>","external_user":null,"end_user_limit":null,"end_user_limit_reset":null,"end_user_required":false,"cache_ttl":null}],"total_count":1}",
      "key disable: {"hash":"<hash>","disabled":true}",
    ]
  `);
  const operator = await run('operator-key', 'create');
  await run('operator-key', 'create', '--name', 'Prometheus');
  await run('operator-key', 'revoke', operator.hash);
  await run('operator-key', 'list');
  expect(golden.splice(0)).toMatchInlineSnapshot(`
    [
      "operator-key create: {"hash":"<hash>","operator_key":"<op secret>"}",
      "operator-key create: {"hash":"<hash>","operator_key":"<op secret>"}",
      "operator-key revoke: {"hash":"<hash>","revoked":true}",
      "operator-key list: {"data":[{"hash":"<hash>","label":"<op label>","name":"Prometheus","created_at":"<instant>"}],"total_count":1}",
    ]
  `);
  const made = await run('management-key', 'create', '--account', account, '--name', 'Second');
  await run('management-key', 'list', '--account', account);
  await run('management-key', 'revoke', made.hash, '--account', account);
  const shared = ['provider', 'set-key', 'a'];
  note(await byway([...shared, '--json'], env, 'sk-abcdefghijklmnopqrst\n'), shared);
  expect(golden.splice(0)).toMatchInlineSnapshot(`
    [
      "management-key create: {"hash":"<hash>","management_key":"<mgmt secret>"}",
      "management-key list: {"data":[{"hash":"<hash>","label":"<mgmt label>","name":"First management key","created_at":"<instant>"},{"hash":"<hash>","label":"<mgmt label>","name":"Second","created_at":"<instant>"}],"total_count":2}",
      "management-key revoke: {"hash":"<hash>","revoked":true}",
      "provider set-key: {"provider":"a","label":"sk-...rst"}",
    ]
  `);

  const exported = await inProcess(['catalog', 'export', '--json'], env);
  writeFileSync(file, exported.stdout);
  await run('catalog', 'import', file);
  expect((await byway(['catalog', 'export'], env)).stdout).toBe(exported.stdout);
  expect(golden.splice(0)).toMatchInlineSnapshot(`
    [
      "catalog import: {"format":"native","providers":4,"models":3,"endpoints":5,"retired":[],"skipped":{},"warnings":[]}",
    ]
  `);

  const route = await run('explain', '--model', 'test/m2', '--provider', '{"order": ["zz"]}');
  expect(route.api_key_hash).toBe(key.hash);
  expect(golden.splice(0)).toMatchInlineSnapshot(`
    [
      "explain : {"data":{"attempts":[{"position":0,"provider":"a","provider_name":"Provider a","model":"test/m2","endpoint":"a/test/m2","region":null,"is_byok":false,"byok_key_id":null,"byok_label":null,"section":"shared","price":{"prompt":"0.000001","completion":"0.000002"},"health":{"state":"ok","until":null},"lane":"native","standing":{"state":"ok","until":null},"price_mode":null}],"excluded":[],"unknown_providers":["zz"],"excluded_counts":{},"refused":{"reason":"api_key_disabled","message":"API key is disabled"},"unrelated_keys":0},"api_key_hash":"<hash>"}",
    ]
  `);
  const rotated = documentOf(await inProcess(['vault', 'rotate', '--json'], env));
  expect(rotated).toEqual({
    master_key_id: expect.stringMatching(/^[0-9a-f]{16}$/),
    rewrapped_count: 1,
    unreadable: [],
  });
  const stats = documentOf(await inProcess(['db', 'stats', '--json'], env));
  expect(stats.tables).toContainEqual({
    table: 'api_key',
    rows: expect.any(Number),
    bytes: expect.any(Number),
    oldest: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    rows_a_day: expect.any(Number),
    bytes_a_day: expect.any(Number),
  });
  expect((await inProcess(['db', 'stats'], env)).stdout).toMatch(
    / MB in all; growth is that of the last 7 days\n$/,
  );
  const check = await run('db', 'check');
  const doctor = await run('doctor');
  expect(check).toMatchObject({ ok: true, checks: Array(11).fill({ status: 'ok' }) });
  expect(doctor).toMatchObject({ ok: true, checks: { length: 10 } });
  // A file of this machine is enough for one process, and worth a warning where there may be several.
  const worthy = doctor.checks.filter(({ status }: { status: string }) => status !== 'ok');
  expect(worthy).toMatchObject(usualKind() === 'sqlite' ? [] : [{ name: 'master key', status: 'warn' }]);
}, 120_000);

test('help and version are for people, and go to stdout', async () => {
  const [help, version] = await Promise.all([
    byway(['key', 'create', '--help'], {}),
    byway(['--version'], {}),
  ]);
  expect(help).toMatchObject({ code: 0, stderr: '' });
  expect(help.stdout).toMatch(/--limit <usd> +what it may spend in all/);
  expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});

test('help explains any command by its words', async () => {
  const help = await inProcess(['help', 'key', 'create'], {});
  expect(help).toEqual({ ...(await inProcess(['key', 'create', '--help'], {})), code: 0 });
  expect(help.stdout).toMatch(/^Usage: byway key create \[options\]/);
  expect((await inProcess(['help'], {})).stdout).toMatch(/^ {2}help \[command\.\.\.\] +explain a command$/m);
  expect(await inProcess(['help', 'key', 'crate'], {})).toEqual({
    code: 1,
    stdout: '',
    stderr: "byway: unknown command 'key crate'\n",
  });
});

test('a reader that has seen enough is no failure', async () => {
  const env = await emptyInstallation();
  const child = spawnByway(['doctor'], env);
  child.process.stdout?.destroy();
  const code = await new Promise((resolve) => child.process.once('close', resolve));
  expect({ code, stderr: child.stderr() }).toEqual({ code: 0, stderr: '' });
});
