import { describe, expect, test } from 'vitest';
import { type AzureCredential, azureEntryFor } from '../../src/byok/kinds/azure.js';
import { parseCredential } from '../../src/byok/kinds/credential.js';
import { DEPLOYMENT, RESOURCE } from './credentials.fixture.js';
import { OPEN, read, STRICT, violations } from './parse.fixture.js';

describe('Azure: an array of configuration objects', () => {
  test('both kinds of entry may be mixed, and resource_type defaults to deployment', () => {
    const { entries } = read('azure', [DEPLOYMENT, RESOURCE, { ...RESOURCE, resource_type: 'catalog' }]);
    expect(entries.map((entry) => entry.kind)).toEqual(['deployment', 'resource', 'resource']);
    expect(entries.flatMap((entry) => (entry.kind === 'resource' ? [entry.resourceType] : []))).toEqual([
      'deployment',
      'catalog',
    ]);
  });

  test('a per-deployment entry wins when its model_slug matches', () => {
    const credential: AzureCredential = read('azure', [RESOURCE, DEPLOYMENT]);
    const aliases = (name: string) => (name === 'openai/gpt-5.4' ? 'openai/gpt-5.4-2026' : name);
    expect(azureEntryFor(credential, 'openai/gpt-5.4-2026', aliases)?.kind).toBe('deployment');
    expect(azureEntryFor(credential, 'openai/gpt-5', aliases)?.kind).toBe('resource');
    expect(azureEntryFor(read('azure', [DEPLOYMENT]), 'openai/gpt-5', aliases)).toBeUndefined();
  });

  test.each<[string, unknown, string[]]>([
    ['not JSON', 'plain-key', ['key json']],
    ['broken JSON', '[{', ['key json']],
    ['an object where an array is wanted', RESOURCE, ['key type']],
    ['null', null, ['key type']],
    ['a text', '"text"', ['key type']],
    ['an empty array', [], ['key count']],
    ['too many entries', Array(101).fill({}), ['key count']],
    ['entries that are no objects', ['text', null, [], 1], [0, 1, 2, 3].map((i) => `key[${i}] type`)],
    ['an empty entry', [{}], ['key[0].api_key required', 'key[0].resource_name required']],
    ['an empty member', [{ ...RESOURCE, api_key: '' }], ['key[0].api_key required']],
    ['a null member', [{ ...RESOURCE, api_key: null }], ['key[0].api_key type']],
    [
      'members of the wrong type',
      [{ api_key: 1, resource_name: {} }],
      ['key[0].api_key type', 'key[0].resource_name type'],
    ],
    ['a key with a line break', [{ ...RESOURCE, api_key: 'a\nb' }], ['key[0].api_key characters']],
    ['a bad resource_name', [{ ...RESOURCE, resource_name: 'evil.com/' }], ['key[0].resource_name pattern']],
    ['an upper-case resource_name', [{ ...RESOURCE, resource_name: 'My' }], ['key[0].resource_name pattern']],
    ['a bad resource_type', [{ ...RESOURCE, resource_type: 'foundry' }], ['key[0].resource_type value']],
    ['a misspelt member', [{ ...RESOURCE, resource_typ: 'catalog' }], ['key[0] unknown_member']],
    ['a mixture within one entry', [{ ...RESOURCE, ...DEPLOYMENT }], ['key[0] unknown_member']],
    [
      'a per-deployment entry that lacks members',
      [RESOURCE, { model_slug: 'm' }],
      ['key[1].endpoint_url required', 'key[1].api_key required', 'key[1].model_id required'],
    ],
    [
      'violations in several entries',
      [
        { ...RESOURCE, api_key: 1 },
        { ...RESOURCE, resource_type: 1 },
      ],
      ['key[0].api_key type', 'key[1].resource_type type'],
    ],
  ])('%s is refused by name', (_, credential, expected) => {
    expect(violations('azure', credential)).toEqual(expected);
  });

  test('a misspelt member is answered with the nearest name, and never repeated', () => {
    const parsed = parseCredential(
      'azure',
      JSON.stringify([{ ...RESOURCE, resource_typ: 'catalog' }]),
      STRICT,
    );
    expect(parsed).toEqual({
      violations: [
        {
          field: 'key[0]',
          rule: 'unknown_member',
          message: 'member 3 is not known; did you mean resource_type?',
        },
      ],
    });
  });

  const PATH = '/openai/deployments/d/chat/completions?api-version=2024-10-21';

  test.each<[string, string | undefined]>([
    [`https://r.openai.azure.com${PATH}`, undefined],
    [`https://r.services.ai.azure.com${PATH}`, undefined],
    [`https://r.cognitiveservices.azure.com${PATH}`, undefined],
    [`https://r.eastus.inference.ai.azure.com${PATH}`, undefined],
    [`https://r.eastus.models.ai.azure.com${PATH}`, undefined],
    [`https://r.openai.azure.us${PATH}`, undefined],
    [`https://r.openai.azure.cn${PATH}`, undefined],
    ['not a URL', 'url'],
    [` https://r.openai.azure.com${PATH}`, 'url'],
    [`//r.openai.azure.com${PATH}`, 'url'],
    [`http://r.openai.azure.com${PATH}`, 'https'],
    ['file:///etc/passwd', 'https'],
    [`https://user:pass@r.openai.azure.com${PATH}`, 'userinfo'],
    [`https://r.openai.azure.com@evil.com${PATH}`, 'userinfo'],
    [`https://localhost${PATH}`, 'private_address'],
    [`https://127.0.0.1${PATH}`, 'private_address'],
    [`https://2130706433${PATH}`, 'private_address'],
    [`https://0x7f.1${PATH}`, 'private_address'],
    [`https://169.254.169.254${PATH}`, 'private_address'],
    [`https://[::1]${PATH}`, 'private_address'],
    [`https://[::ffff:10.0.0.1]${PATH}`, 'private_address'],
    [`https://metadata.google.internal${PATH}`, 'private_address'],
    [`https://printer.local${PATH}`, 'private_address'],
    [`https://evil.com${PATH}`, 'host'],
    [`https://openai.azure.com.evil.com${PATH}`, 'host'],
    [`https://evilopenai.azure.com${PATH}`, 'host'],
    ['https://r.openai.azure.com/openai/deployments/d/embeddings?api-version=1', undefined],
    ['https://r.openai.azure.com/openai/deployments/d?api-version=1', 'path'],
    ['https://r.openai.azure.com/openai/deployments/d/chat/completions', 'api_version'],
  ])('endpoint_url %s: %s', (endpoint_url, rule) => {
    const expected = rule === undefined ? [] : [`key[0].endpoint_url ${rule}`];
    expect(violations('azure', [{ ...DEPLOYMENT, endpoint_url }])).toEqual(expected);
  });

  test.each<[string, string | undefined]>([
    [`http://127.0.0.1:9999${PATH}`, undefined],
    [`https://gateway.corp${PATH}`, undefined],
    [`ftp://127.0.0.1${PATH}`, 'https'],
    [`http://user@127.0.0.1${PATH}`, 'userinfo'],
  ])('where private upstreams are allowed, endpoint_url %s: %s', (endpoint_url, rule) => {
    const expected = rule === undefined ? [] : [`key[0].endpoint_url ${rule}`];
    expect(violations('azure', [{ ...DEPLOYMENT, endpoint_url }], OPEN)).toEqual(expected);
  });
});
