/** Rules that an import leaves without effect: docs/catalog.md#renamed-models, docs/routing.md#warnings. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyGuardrail } from '../../src/accounts/guardrails/guardrail.js';
import { createGuardrail } from '../../src/accounts/guardrails/guardrails.js';
import { systemClock } from '../../src/base/clock.js';
import { systemIds } from '../../src/base/ids.js';
import { readConfig } from '../../src/config/config.js';
import { openDatabase } from '../../src/store/open.js';
import { createStores } from '../../src/store/stores.js';
import { documentOf, emptyDataDir, emptyInstallation, inProcess } from '../support/byway.js';
import { demoModel, demoProvider } from '../support/catalog.js';
import { startLocalServer } from '../support/fakes/local-servers.js';

/** A guardrail of a new account. */
async function guardrailIgnoring(env: Awaited<ReturnType<typeof emptyInstallation>>, models: string[]) {
  const made = documentOf(await inProcess(['account', 'create', '--name', 'A', '--json'], env));
  const accountId = String(made.account_id);
  const database = await openDatabase(readConfig(env).databaseUrl);
  const { guardrails: store } = createStores(database, { clock: systemClock, ids: systemIds });
  const known = { providers: new Set(['a']), regions: new Set<string>() };
  const rules = { ...emptyGuardrail({ id: '', accountId, workspaceId: '' }, 0), name: 'G' };
  const { id } = await createGuardrail(
    { store, clock: systemClock, ids: systemIds, knownNames: async () => known },
    accountId,
    { ...rules, workspaceId: null, ignoredModels: models },
  );
  await database.close();
  return { accountId, id };
}

test('catalog import, doctor and db check name the rules that a renamed model leaves without effect', async () => {
  const env = { ...(await emptyInstallation()), PORT: '0' };
  const catalogOf = (id: string) => {
    const file = join(emptyDataDir(), `../${systemIds.uuid()}.json`);
    writeFileSync(file, JSON.stringify({ providers: [demoProvider('a')], models: [demoModel(id, ['a'])] }));
    return file;
  };
  await inProcess(['catalog', 'import', catalogOf('test/old')], env);
  const { accountId, id } = await guardrailIgnoring(env, ['test/old', 'test/*', 'never/was']);

  const imported = documentOf(await inProcess(['catalog', 'import', catalogOf('test/new'), '--json'], env));
  const record = { account_id: accountId, record: `guardrail ${id}`, rule: 'unmatched' };
  expect(imported.voided).toEqual([
    { ...record, field: 'ignored_models[0]', message: expect.stringContaining('no model of the catalogue') },
  ]);
  const text = (await inProcess(['catalog', 'import', catalogOf('test/newer')], env)).stdout;
  expect(text).not.toContain('ignored_models');

  const doctor = documentOf(await inProcess(['doctor', '--json'], env)) as unknown as {
    checks: { name: string; status: string; details: string[] }[];
  };
  const catalogue = doctor.checks.find(({ name }) => name === 'catalogue');
  expect(catalogue?.status).toBe('warn');
  expect(catalogue?.details.slice(1)).toEqual(
    ['ignored_models[0]', 'ignored_models[2]'].map((field) =>
      expect.stringContaining(`account ${accountId}, guardrail ${id}: ${field} no model`),
    ),
  );
  const check = documentOf(await inProcess(['db', 'check', '--json'], env)) as unknown as typeof doctor & {
    ok: boolean;
  };
  expect(check.ok).toBe(true);
  expect(check.checks.find(({ name }) => name === 'rules')).toMatchObject({ status: 'warn' });
});

test('provider add and provider remove name the rules that models which go leave without effect', async () => {
  const env = await emptyInstallation();
  const server = await startLocalServer('ollama');
  const add = ['provider', 'add', 'mine', '--url', server.url, '--no-key'];
  await inProcess(add, env);
  const { accountId, id } = await guardrailIgnoring(env, ['mine/llama3.2:1b', 'mine/*']);
  const again = documentOf(await inProcess([...add, '--json'], env));
  expect(again.voided).toBeUndefined();
  const removed = documentOf(await inProcess(['provider', 'remove', 'mine', '--json'], env));
  const record = { account_id: accountId, record: `guardrail ${id}`, rule: 'unmatched' };
  expect(removed.voided).toEqual(
    [0, 1].map((at) => expect.objectContaining({ ...record, field: `ignored_models[${at}]` })),
  );
  await inProcess(add, env);
  const text = (await inProcess(['provider', 'remove', 'mine'], env)).stdout;
  expect(text).toContain(`warning: account ${accountId}, guardrail ${id}: ignored_models[0] no model`);
});
