import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseCredential } from '../../src/byok/kinds/credential.js';
import { KEY_SHAPES, TELLING_PREFIXES } from '../../src/byok/warnings/key-shapes.js';
import { keyWarnings } from '../../src/byok/warnings/key-warnings.js';
import { DEFAULT_CATALOG_FILE } from '../../src/catalog/default.js';
import type { AdapterName } from '../../src/catalog/types.js';

const RULES = { allowPrivateUpstreams: false };
const { providers }: { providers: readonly { slug: string; adapter: AdapterName }[] } = JSON.parse(
  readFileSync(DEFAULT_CATALOG_FILE, 'utf8'),
);
const ADAPTERS = new Map(providers.map(({ slug, adapter }) => [slug, adapter]));

/** Rules by field. */
function warned(provider: string, text: string): string[] {
  const adapter = ADAPTERS.get(provider);
  if (adapter === undefined) throw new Error(`no provider ${provider}`);
  const parsed = parseCredential(adapter, text, RULES);
  if (!('ok' in parsed)) throw new Error(`${text}: ${JSON.stringify(parsed.violations)}`);
  return keyWarnings(provider, parsed.ok).map(({ field, rule }) => `${field} ${rule}`);
}

const LONG = 'a1B2c3D4e5'.repeat(10);

/** Keys as they are issued, with random middles. */
const GENUINE: readonly (readonly [provider: string, key: string])[] = [
  ...Object.entries(KEY_SHAPES).flatMap(([slug, { prefixes }]) =>
    prefixes.map((prefix) => [slug, `${prefix}${LONG}`] as const),
  ),
  ['openai', `sk-proj-${LONG}`],
  ['openai', `sk-svcacct-${LONG}`],
  ['openai', `sk-${LONG.slice(0, 48)}`],
  ['anthropic', `sk-ant-api03-${LONG.slice(0, 93)}AA`],
  ['groq', `gsk_${LONG.slice(0, 52)}`],
  ['amazon-bedrock', `ABSK${LONG}`],
  ['amazon-bedrock', `bedrock-api-key-${LONG}`],
  [
    'amazon-bedrock',
    JSON.stringify({
      accessKeyId: 'AKIAIOSFODNN7A1B2C3D',
      secretAccessKey: LONG.slice(0, 40),
      region: 'eu-central-1',
    }),
  ],
  ['azure', azure('0123456789abcdef0123456789abcdef')],
  ['mistral', 'a1B2c3D4e5a1B2c3D4e5a1B2c3D4e5a1'],
  // Of a provider whose keys have no known shape any word may be one.
  ['mistral', 'ollama'],
];

function azure(apiKey: string): string {
  return JSON.stringify([{ resource_name: 'mine', resource_type: 'deployment', api_key: apiKey }]);
}

const MISTYPED: readonly (readonly [provider: string, key: string, warning: string])[] = [
  ['openai', '$OPENAI_API_KEY', 'key placeholder'],
  ['openai', '\u0024{OPENAI_API_KEY}', 'key placeholder'],
  ['openai', '%OPENAI_API_KEY%', 'key placeholder'],
  ['openai', '$(OPENAI_API_KEY)', 'key placeholder'],
  ['openai', 'OPENAI_API_KEY', 'key placeholder'],
  ['openai', "'$OPENAI_API_KEY'", 'key placeholder'],
  ['openai', `OPENAI_API_KEY=sk-${LONG}`, 'key placeholder'],
  ['openai', 'process.env.OPENAI_API_KEY', 'key placeholder'],
  ['openai', 'os.environ["OPENAI_API_KEY"]', 'key placeholder'],
  ['openai', 'YOUR_KEY', 'key placeholder'],
  ['openai', 'YOUR_API_KEY', 'key placeholder'],
  ['openai', 'your-api-key', 'key placeholder'],
  ['openai', '<your-key>', 'key placeholder'],
  ['openai', '<OPENAI_API_KEY>', 'key placeholder'],
  ['openai', 'my_secret_key', 'key placeholder'],
  ['openai', 'sk-your-key-here', 'key placeholder'],
  ['openai', 'sk-...', 'key placeholder'],
  ['openai', 'sk-xxxxxxxxxxxxxxxx', 'key placeholder'],
  ['openai', 'sk-proj-****************', 'key placeholder'],
  ['openai', 'changeme', 'key placeholder'],
  ['anthropic', 'dummy', 'key placeholder'],
  ['mistral', '$MISTRAL_API_KEY', 'key placeholder'],
  ['azure', azure('YOUR_KEY'), 'key[0].api_key placeholder'],
  ['openai', `'sk-${LONG}'`, 'key quoted'],
  ['openai', `sk-${LONG}'`, 'key quoted'],
  ['openai', `\`sk-${LONG}\``, 'key quoted'],
  ['openai', `Bearer:sk-${LONG}`, 'key scheme'],
  ['openai', `sk-ant-api03-${LONG}`, 'key other_provider'],
  ['openai', `sk-or-v1-${LONG}`, 'key other_provider'],
  ['openai', `gsk_${LONG}`, 'key other_provider'],
  ['openai', `bw-v1-${LONG}`, 'key other_provider'],
  ['mistral', `bw-mgmt-${LONG}`, 'key other_provider'],
  ['anthropic', `sk-proj-${LONG}`, 'key other_provider'],
  ['amazon-bedrock', `sk-ant-api03-${LONG}`, 'key other_provider'],
  ['deepseek', `sk-proj-${LONG}`, 'key other_provider'],
  ['google-ai-studio', `sk-${LONG}`, 'key prefix'],
  ['anthropic', `sk-${LONG}`, 'key prefix'],
  ['openai', 'key', 'key prefix'],
  ['openai', 'sk-short', 'key length'],
  ['openai', `sk-${LONG.slice(0, 20)}`, 'key length'],
  ['anthropic', `sk-ant-api03-${LONG.slice(0, 20)}`, 'key length'],
];

describe('warnings about a stored credential', () => {
  it.each(GENUINE)('a key of %s as it is issued has none (%s)', (provider, key) => {
    expect(warned(provider, key)).toEqual([]);
  });

  it.each(MISTYPED)('at %s, %s is warned of: %s', (provider, key, warning) => {
    expect(warned(provider, key)).toEqual([warning]);
  });

  it('the provider demo takes any key', () => {
    expect(warned('demo', 'YOUR_KEY')).toEqual([]);
  });

  it('name each entry of a list', () => {
    const entry = (api_key: string) => ({ resource_name: 'mine', resource_type: 'deployment', api_key });
    const key = JSON.stringify([entry('0123456789abcdef0123456789abcdef'), entry('$AZURE_KEY')]);
    expect(warned('azure', key)).toEqual(['key[1].api_key placeholder']);
  });

  it('have no part of the secret, and say what to do in one sentence', () => {
    for (const [provider, text] of MISTYPED) {
      const adapter = ADAPTERS.get(provider) ?? 'openai';
      const parsed = parseCredential(adapter, text, RULES);
      for (const { message } of 'ok' in parsed ? keyWarnings(provider, parsed.ok) : []) {
        expect(message).not.toContain('a1B2c3D4');
        expect(message).toMatch(/^(?:looks|has|begins|keys) /);
        expect(message.length).toBeLessThan(160);
      }
    }
  });

  it('know only providers of the catalogue, and longer beginnings before those that they begin with', () => {
    for (const slug of Object.keys(KEY_SHAPES)) expect(ADAPTERS.has(slug), slug).toBe(true);
    const prefixes = TELLING_PREFIXES.map(([prefix]) => prefix);
    expect(new Set(prefixes).size).toBe(prefixes.length);
  });
});
