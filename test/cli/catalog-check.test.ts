import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { documentOf, emptyInstallation, inProcess } from '../support/byway.js';
import { demoModel, demoProvider } from '../support/catalog.js';

async function checked(catalog: object) {
  const env = await emptyInstallation();
  const file = join(mkdtempSync(join(tmpdir(), 'byway-catalog-')), 'catalog.json');
  writeFileSync(file, JSON.stringify(catalog));
  expect((await inProcess(['catalog', 'import', file], env)).code).toBe(0);
  return inProcess(['catalog', 'check', '--json'], env);
}

test('F3: catalog check lists endpoints that nothing here can serve, and fails on one', async () => {
  const endpoint = { provider: 'a', upstream_model_id: 'm' };
  const ended = await checked({
    providers: [demoProvider('a')],
    models: [
      demoModel('test/m', [endpoint]),
      demoModel('test/r', [
        { ...endpoint, formats: ['responses'] },
        { ...endpoint, formats: [] },
      ]),
      demoModel('test/e', [{ ...endpoint, formats: ['messages'] }]),
    ],
  });
  expect([ended.code, documentOf(ended)]).toEqual([
    1,
    {
      ok: false,
      unservable: expect.arrayContaining([
        { endpoint: 'a/test/r', model: 'test/r', provider: 'a', formats: ['responses'] },
        { endpoint: 'a/test/e', model: 'test/e', provider: 'a', formats: ['messages'] },
      ]),
    },
  ]);
});

test('F3: of the packaged catalogue everything can be served', async () => {
  const env = await emptyInstallation();
  await inProcess(['catalog', 'import', 'src/catalog/data/default-catalog.json'], env);
  const ended = await inProcess(['catalog', 'check'], env);
  expect([ended.code, ended.stdout]).toEqual([0, 'every endpoint can be served\n']);
});

test('names beyond the usual parameters are taken, and warned of by import and check', async () => {
  const env = await emptyInstallation();
  const file = join(mkdtempSync(join(tmpdir(), 'byway-catalog-')), 'catalog.json');
  const supported_parameters = ['tools', 'code_execution_20250825', 'temperatur'];
  const models = [demoModel('test/m', ['a'], { supported_parameters })];
  writeFileSync(file, JSON.stringify({ providers: [demoProvider('a')], models }));
  const imported = await inProcess(['catalog', 'import', file, '--json'], env);
  const warnings = [
    expect.stringMatching(
      /^supported_parameters of 1 model name "code_execution_20250825", .* whatever it costs/,
    ),
    expect.stringMatching(/"temperatur", .*; if temperature is meant, spell it so$/),
  ];
  expect([imported.code, documentOf(imported)]).toEqual([0, expect.objectContaining({ warnings })]);
  const ended = await inProcess(['catalog', 'check', '--json'], env);
  expect([ended.code, documentOf(ended)]).toEqual([0, { ok: true, unservable: [], warnings }]);
  const told = await inProcess(['catalog', 'check'], env);
  expect(told.stdout.split('\n').filter((line) => line.startsWith('warning: '))).toHaveLength(2);
  const exported = await inProcess(['catalog', 'export'], env);
  expect(exported.stdout).toContain('code_execution_20250825');
});

test('--prices lists what endpoints pass on and have no price for, and fails for none; free ones are left out', async () => {
  const env = await emptyInstallation();
  const file = join(mkdtempSync(join(tmpdir(), 'byway-catalog-')), 'catalog.json');
  const architecture = { input_modalities: ['text', 'audio'], output_modalities: ['text', 'image', 'audio'] };
  const flat = { prompt: '0.000001', completion: '0.000001' };
  const models = [
    demoModel('test/media', ['a'], { architecture, pricing: flat }),
    demoModel('test/priced', ['a'], {
      architecture,
      pricing: { ...flat, audio: '0.000002', audio_output: '0.000002', image_output: '0.04' },
    }),
    demoModel('test/tokens', ['a'], {
      architecture,
      pricing: { ...flat, audio: '0.000002', audio_output: '0.000002', image_output_token: '0.00003' },
    }),
    demoModel('test/free', ['a'], { architecture, pricing: { prompt: '0', completion: '0' } }),
    demoModel('test/search', [{ provider: 'a', upstream_model_id: 'gpt-9-search-api' }], { pricing: flat }),
    demoModel('test/searched', [{ provider: 'a', upstream_model_id: 'sonar-pro' }], {
      pricing: { ...flat, web_search: '0.006' },
    }),
  ];
  writeFileSync(file, JSON.stringify({ providers: [demoProvider('a')], models }));
  await inProcess(['catalog', 'import', file], env);
  const ended = await inProcess(['catalog', 'check', '--prices', '--json'], env);
  expect([ended.code, documentOf(ended).unpriced]).toEqual([
    0,
    [
      { endpoint: 'a/test/media', missing: ['image_output', 'audio', 'audio_output'] },
      { endpoint: 'a/test/search', missing: ['web_search'] },
    ],
  ]);
});

const CLAUDE = { prompt: '0.000005', completion: '0.000025' };

/** An Opus at Bedrock whose price in Australia is 3.3 of the global one, with a note at the `noted` keys. */
async function checkedPrices(noted: readonly string[], flags: readonly string[]) {
  const env = await emptyInstallation();
  const file = join(mkdtempSync(join(tmpdir(), 'byway-catalog-')), 'catalog.json');
  const price_notes = Object.fromEntries(noted.map((key) => [key, 'as our contract says']));
  const at = (region: string, pricing: object, more: object = {}) => ({
    provider: 'amazon-bedrock',
    upstream_model_id: `${region}.anthropic.claude-opus-4-6-v1`,
    region,
    pricing,
    ...more,
  });
  const endpoints = [
    at('global', CLAUDE),
    at('us', { prompt: '0.0000055', completion: '0.0000275' }),
    at('au', { prompt: '0.0000165', completion: '0.0000825' }, { price_notes }),
  ];
  const providers = [{ slug: 'amazon-bedrock', name: 'Amazon Bedrock', adapter: 'amazon-bedrock' }];
  writeFileSync(
    file,
    JSON.stringify({ providers, models: [demoModel('anthropic/claude-opus-4.6', endpoints)] }),
  );
  expect((await inProcess(['catalog', 'import', file], env)).code).toBe(0);
  expect((await inProcess(['catalog', 'check'], env)).code).toBe(0);
  const exported = await inProcess(['catalog', 'export'], env);
  expect(exported.stdout.includes('as our contract says')).toBe(noted.length > 0);
  return inProcess(['catalog', 'check', '--prices', ...flags], env);
}

test('--prices lists each price that looks wrong with what is expected, and fails where a finding has no note', async () => {
  const ended = await checkedPrices(['prompt'], ['--json']);
  const finding = {
    model: 'anthropic/claude-opus-4.6',
    provider: 'amazon-bedrock',
    endpoint: 'amazon-bedrock/anthropic/claude-opus-4.6@au',
  };
  expect([ended.code, documentOf(ended)]).toEqual([
    1,
    {
      ok: false,
      unservable: [],
      prices: [
        {
          ...finding,
          key: 'prompt',
          expected: '0.0000055',
          found: '0.0000165',
          note: 'as our contract says',
        },
        { ...finding, key: 'completion', expected: '0.0000275', found: '0.0000825', note: null },
      ],
      unpriced: [],
    },
  ]);
});

test('--prices fails for nothing that has a note, and tells people both', async () => {
  const noted = await checkedPrices(['prompt', 'completion'], []);
  expect([noted.code, noted.stdout]).toEqual([
    0,
    `every endpoint can be served
noted: amazon-bedrock/anthropic/claude-opus-4.6@au: prompt is 0.0000165, expected 0.0000055: as our contract says
noted: amazon-bedrock/anthropic/claude-opus-4.6@au: completion is 0.0000825, expected 0.0000275: as our contract says
`,
  ]);
  const bare = await checkedPrices([], []);
  expect(bare.code).toBe(1);
  expect(bare.stdout).toContain(
    'wrong price? amazon-bedrock/anthropic/claude-opus-4.6@au: prompt is 0.0000165, expected 0.0000055\n',
  );
});

test('of the packaged catalogue every price that looks wrong has a note', async () => {
  const env = await emptyInstallation();
  await inProcess(['catalog', 'import', 'src/catalog/data/default-catalog.json'], env);
  const ended = await inProcess(['catalog', 'check', '--prices', '--json'], env);
  expect([ended.code, documentOf(ended).ok]).toEqual([0, true]);
});

test('of the packaged catalogue every Claude of its makers has a price for caches of an hour, and for searches where it searches', async () => {
  const env = await emptyInstallation();
  await inProcess(['catalog', 'import', 'src/catalog/data/default-catalog.json'], env);
  const { unpriced } = documentOf(await inProcess(['catalog', 'check', '--prices', '--json'], env));
  const claude = unpriced.filter(({ endpoint }: { endpoint: string }) =>
    /^(anthropic|azure|google-vertex)\/.*claude/.test(endpoint),
  );
  expect(claude).toEqual([]);
});

test('of the packaged catalogue everything has a price that its maker publishes for images and searches', async () => {
  const env = await emptyInstallation();
  await inProcess(['catalog', 'import', 'src/catalog/data/default-catalog.json'], env);
  const { unpriced } = documentOf(await inProcess(['catalog', 'check', '--prices', '--json'], env));
  const missing = (key: string) =>
    unpriced.flatMap((one: { endpoint: string; missing: string[] }) =>
      one.missing.includes(key) ? [one.endpoint] : [],
    );
  expect(missing('image_output')).toEqual([]);
  // What the latest Gemini is, is not published.
  expect(missing('web_search').toSorted()).toEqual(
    expect.arrayContaining(['google-vertex/google/gemini-flash-latest']),
  );
  expect(missing('web_search').filter((id: string) => !/^google-vertex\/.*-latest/.test(id))).toEqual([]);
});

test('a file of Windows, which begins with a byte order mark, is read', async () => {
  const env = await emptyInstallation();
  const file = join(mkdtempSync(join(tmpdir(), 'byway-catalog-')), 'catalog.json');
  const catalog = { providers: [demoProvider('a')], models: [demoModel('test/m', ['a'])] };
  writeFileSync(file, `\uFEFF${JSON.stringify(catalog)}`);
  expect(await inProcess(['catalog', 'import', file], env)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1 models'),
  });
});

test('an import says which stored keys and headers go to another host from now on', async () => {
  const env = { ...(await emptyInstallation()), BYWAY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') };
  const folder = mkdtempSync(join(tmpdir(), 'byway-catalog-'));
  const merge = async (slug: string, base_url: string, more: object = {}) => {
    const file = join(folder, 'catalog.json');
    const provider = { slug, name: slug, adapter: 'openai', base_url, ...more };
    writeFileSync(file, JSON.stringify({ providers: [provider], models: [] }));
    return inProcess(['catalog', 'import', file, '--merge'], env);
  };
  await merge('keyed', 'https://one.example/v1');
  await inProcess(['provider', 'set-key', 'keyed'], env, 'sk-0123456789abcdef0123456789');
  await merge('headed', 'https://one.example/v1', { headers: { 'X-Tenant': 'hunter2hunter2' } });
  await merge('bare', 'https://one.example/v1');
  expect((await merge('keyed', 'https://one.example/v2')).stdout).not.toContain('warning');
  expect((await merge('bare', 'https://two.example/v1')).stdout).not.toContain('warning');
  for (const slug of ['keyed', 'headed']) {
    expect((await merge(slug, 'https://two.example:8443/v1')).stdout).toContain(
      `warning: what is stored for ${slug} (key, headers) goes to https://two.example:8443 from now on\n`,
    );
  }
});
