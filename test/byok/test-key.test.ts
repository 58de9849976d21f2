import { describe, expect, it } from 'vitest';
import { CredentialCache } from '../../src/byok/cache/credential-cache.js';
import { type KeyTestDependencies, testKey } from '../../src/byok/trial/test-key.js';
import type { TestTarget } from '../../src/byok/trial/test-verdict.js';
import { createCatalog } from '../../src/catalog/assembled/catalog.js';
import { readChecked } from '../catalog/catalog.fixture.js';
import { demoModel } from '../support/catalog.js';
import { DEPLOYMENT, RESOURCE } from './credentials.fixture.js';
import { DEFAULT_WORKSPACE, FOREIGN, newKey, OWN, openDesk, RULES, UNKNOWN_ID } from './keys.fixture.js';

const price = (prompt: string, more: object = {}) => ({ pricing: { prompt, completion: '0' }, ...more });
const at = (provider: string, prompt: string, more: object = {}) => [
  { provider, upstream_model_id: 'x', ...price(prompt, more) },
];
const embeds = {
  architecture: {
    modality: 'text->embeddings',
    input_modalities: ['text'],
    output_modalities: ['embeddings'],
  },
};

const MODELS = [
  demoModel('m/dear', at('openai', '3')),
  demoModel('m/cheap', at('openai', '2')),
  demoModel('m/degraded', at('openai', '1', { status: 'degraded' })),
  demoModel('m/disabled', at('openai', '0.5', { status: 'disabled' })),
  demoModel('m/embeds', at('openai', '0.1'), embeds),
  demoModel('m/elsewhere', at('mistral', '0.01')),
  demoModel('m/degraded-alone', at('anthropic', '1', { status: 'degraded' })),
  demoModel('m/azure-cheap', at('azure', '1')),
  demoModel('openai/gpt-5.4', at('azure', '2')),
  { id: '~m/latest', name: 'Latest', created: 1, alias_target: { slug: 'm/dear' } },
];

const PROVIDERS = ['openai', 'mistral', 'anthropic', 'azure'].map((slug) => ({
  slug,
  name: slug.toUpperCase(),
  adapter: slug === 'mistral' ? 'openai' : slug,
}));

function catalogOf(providers: readonly object[] = PROVIDERS) {
  const slugs = new Set(providers.map((one) => (one as { slug: string }).slug));
  const models = MODELS.filter((model) => {
    const [endpoint] = (model as { endpoints?: { provider: string }[] }).endpoints ?? [];
    return endpoint !== undefined && slugs.has(endpoint.provider);
  });
  const file = JSON.stringify({ providers, models: providers === PROVIDERS ? MODELS : models });
  return createCatalog(readChecked(file), 1);
}

async function desk(providers?: readonly object[]) {
  const { keys, credentials, vault } = await openDesk();
  const cache = new CredentialCache({ source: credentials, vault, rules: RULES });
  const called: TestTarget[] = [];
  const catalog = catalogOf(providers);
  const parts: KeyTestDependencies = {
    source: credentials,
    credentials: cache,
    catalogs: { current: async () => catalog },
    call: async (target) => {
      called.push(target);
      return { status: 200, latencyMs: 1, failure: null };
    },
  };
  const test = (id: string, accountId = OWN) => testKey(parts, accountId, id, new AbortController().signal);
  const tested = async (members: Parameters<typeof newKey>[0]) => {
    const { id } = await keys.create(OWN, newKey(members));
    const result = await test(id);
    return { result, endpoint: called[0]?.endpoint.modelId };
  };
  return { keys, test, tested, called };
}

describe('the model that a key is tested with', () => {
  it.each<[string, Parameters<typeof newKey>[0], string | undefined]>([
    ['the cheapest that chats and is in use', {}, 'm/cheap'],
    [
      'of those that its model filter admits, by any of their names',
      { allowedModels: ['~m/latest'] },
      'm/dear',
    ],
    ['one that is degraded where there is no other', { provider: 'anthropic' }, 'm/degraded-alone'],
    ['whatever its other filters say', { allowedUserIds: [], disabled: true }, 'm/cheap'],
    [
      'any of the provider’s, for a resource',
      { provider: 'azure', key: json([DEPLOYMENT, RESOURCE]) },
      'm/azure-cheap',
    ],
    ['one that an entry is for', { provider: 'azure', key: json([DEPLOYMENT]) }, 'openai/gpt-5.4'],
    [
      'none that no entry is for',
      { provider: 'azure', key: json([{ ...DEPLOYMENT, model_slug: 'm/x' }]) },
      undefined,
    ],
    ['none that the filter leaves out', { allowedModels: [] }, undefined],
  ])('%s', async (_, members, expected) => {
    const { result, endpoint } = await (await desk()).tested(members);
    expect(endpoint).toBe(expected);
    expect(result.reason).toBe(expected === undefined ? 'no_endpoint' : 'ok');
  });

  function json(value: unknown): string {
    return JSON.stringify(value);
  }
});

describe('without a call', () => {
  it('a provider that has left the catalogue', async () => {
    const { tested, called } = await desk(PROVIDERS.slice(1));
    const { result } = await tested({});
    expect(result).toEqual({
      ok: false,
      status: null,
      reason: 'no_endpoint',
      detail: 'openai is no longer in the catalogue.',
      latencyMs: 0,
    });
    expect(called).toEqual([]);
  });

  it('a credential that no longer fits its kind', async () => {
    const asAzure = { slug: 'openai', name: 'O', adapter: 'azure' };
    const { tested, called } = await desk([asAzure, ...PROVIDERS.slice(1)]);
    expect((await tested({})).result).toMatchObject({ ok: false, reason: 'credential_unusable' });
    expect(called).toEqual([]);
  });

  it.each([
    ['malformed', OWN, 'x'],
    ['unknown', OWN, UNKNOWN_ID],
    ['another account’s', FOREIGN, undefined],
  ])('an id that is %s: 404', async (_, accountId, id) => {
    const { keys, test } = await desk();
    const created = await keys.create(OWN, newKey());
    expect(created.workspaceId).toBe(DEFAULT_WORKSPACE);
    await expect(test(id ?? created.id, accountId)).rejects.toMatchObject({ reason: 'not_found' });
  });
});
