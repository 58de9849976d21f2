/** Rules that the catalogue of a start leaves without effect: docs/catalog.md#renamed-models. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { buildByway, emptyInstallation, spawnByway } from '../support/byway.js';
import { demoModel, demoProvider } from '../support/catalog.js';
import { caller, recordOf } from '../support/rest.js';

beforeAll(buildByway, 180_000);

test('a start with BYWAY_CATALOG says which models are retired and which rules have no effect any more', async () => {
  const env = { ...(await emptyInstallation()), HOST: '127.0.0.1', PORT: '0' };
  const serve = async (id: string) => {
    const file = join(env.BYWAY_DATA_DIR, '..', `${id.replace('/', '-')}.json`);
    writeFileSync(file, JSON.stringify({ providers: [demoProvider('a')], models: [demoModel(id, ['a'])] }));
    const server = spawnByway(['serve', '--print-keys'], { ...env, BYWAY_CATALOG: file });
    await vi.waitFor(() => expect(server.stdout()).toContain('"msg":"Byway is ready'), { timeout: 30_000 });
    return server;
  };
  const stop = async ({ process }: Awaited<ReturnType<typeof serve>>) => {
    process.kill('SIGTERM');
    await once(process, 'exit');
  };
  const first = await serve('test/old');
  const [managementKey] = /bw-mgmt-[0-9a-f]{64}/.exec(first.stdout()) ?? [];
  const url = /Server listening at ([^"]+)/.exec(first.stdout())?.[1] ?? '';
  const manage = caller({ rest: `${url}/api/v1` }, managementKey);
  const { default_guardrail_id: id } = recordOf(await manage('GET', '/workspaces/default'));
  recordOf(await manage('PATCH', `/guardrails/${id}`, { ignored_models: ['test/old'] }));
  await stop(first);

  const second = await serve('test/new');
  const said = second.stdout();
  await stop(second);
  expect(said).toContain(
    '"count":1,"first":["test/old"],"msg":"models that BYWAY_CATALOG lacks are retired"',
  );
  expect(said).toMatch(
    new RegExp(
      `"level":40,.*BYWAY_CATALOG leaves a rule without effect: account .*, guardrail ${id}: ignored_models\\[0\\] no model`,
    ),
  );

  const third = await serve('test/new');
  expect(third.stdout()).not.toMatch(/BYWAY_CATALOG (?:lacks|leaves)/);
  await stop(third);
}, 120_000);
