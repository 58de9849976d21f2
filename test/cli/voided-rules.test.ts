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

test('catalog import, doctor and db check name the rules that a renamed model leaves without effect', async () => {
  const env = { ...(await emptyInstallation()), PORT: '0' };
  const catalogOf = (id: string) => {
    const file = join(emptyDataDir(), `../${systemIds.uuid()}.json`);
    writeFileSync(file, JSON.stringify({ providers: [demoProvider('a')], models: [demoModel(id, ['a'])] }));
    return file;
  };
  await inProcess(['catalog', 'import', catalogOf('test/old')], env);
  const made = documentOf(await inProcess(['account', 'create', '--name', 'A', '--json'], env));
  const accountId = String(made.account_id);
  const database = await openDatabase(readConfig(env).databaseUrl);
  const { guardrails: store } = createStores(database, { clock: systemClock, ids: systemIds });
  const known = { providers: new Set(['a']), regions: new Set<string>() };
  const rules = { ...emptyGuardrail({ id: '', accountId, workspaceId: '' }, 0), name: 'G' };
  const { id } = await createGuardrail(
    { store, clock: systemClock, ids: systemIds, knownNames: async () => known },
    accountId,
    { ...rules, workspaceId: null, ignoredModels: ['test/old', 'test/*', 'never/was'] },
  );
  await database.close();

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
