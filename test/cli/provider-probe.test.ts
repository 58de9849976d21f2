import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { documentOf, emptyInstallation, inProcess } from '../support/byway.js';
import { demoModel } from '../support/catalog.js';
import { FAKE_API_KEY as ANTHROPIC_KEY, startFakeAnthropic } from '../support/fakes/fake-anthropic.js';
import { FAKE_API_KEY as OPENAI_KEY, startFakeOpenAi } from '../support/fakes/fake-openai.js';

/** What the probe prints of a provider whose only model is `vendor/m`. */
async function probed(adapter: string, baseUrl: string, key: string, ...more: string[]) {
  const env = await emptyInstallation();
  const file = join(mkdtempSync(join(tmpdir(), 'byway-probe-')), 'catalog.json');
  const supported_parameters = ['max_tokens', 'tools', 'tool_choice', 'structured_outputs'];
  const endpoint = { provider: adapter, upstream_model_id: 'claude-m' };
  const providers = [{ slug: adapter, name: 'Real', adapter, base_url: baseUrl }];
  const models = [demoModel('vendor/m', [endpoint], { supported_parameters })];
  writeFileSync(file, JSON.stringify({ providers, models }));
  expect((await inProcess(['catalog', 'import', file], env)).code).toBe(0);
  return inProcess(['provider', 'probe', adapter, '--key-from-stdin', ...more], env, key);
}

interface Document {
  readonly calls: readonly { readonly call: string; readonly result: string; readonly found: string }[];
}

test.each([
  ['openai', OPENAI_KEY, startFakeOpenAi],
  ['anthropic', ANTHROPIC_KEY, startFakeAnthropic],
])('a probe of %s makes its calls, and shows no credential', async (adapter, key, start) => {
  const fake = await start();
  const ended = await probed(adapter, fake.baseUrl, key, '--json');
  const { calls } = documentOf(ended) as unknown as Document;
  const by = (result: string) => calls.filter((one) => one.result === result).map(({ call }) => call);
  expect(calls).toHaveLength(12);
  expect(by('agrees')).toEqual(
    expect.arrayContaining(['in one piece', 'streamed', 'roles system and developer', 'tools', 'cancelled']),
  );
  expect(by('skipped')).toEqual(['image', 'reasoning']);
  expect(`${ended.stdout}${ended.stderr}`).not.toContain(key);
});

test('a provider that refuses the credential fails every call, with what it says of it', async () => {
  const fake = await startFakeOpenAi();
  const ended = await probed('openai', fake.baseUrl, 'sk-wrong-0123456789abcdef');
  expect(ended.code).toBe(1);
  expect(ended.stdout).toMatch(/in one piece +failed +401 +\d+ ms +auth: Incorrect API key provided/);
  expect(ended.stdout).not.toContain('sk-wrong-0123456789abcdef');
});

test('a provider that is not there is named with the nearest, and one without a credential is told so', async () => {
  const env = await emptyInstallation();
  await inProcess(['catalog', 'import', 'src/catalog/data/default-catalog.json'], env);
  expect((await inProcess(['provider', 'probe', 'opena'], env)).stderr).toContain('did you mean openai?');
  expect((await inProcess(['provider', 'probe', 'openai'], env)).stderr).toContain('no shared credential');
});
