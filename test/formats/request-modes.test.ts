import { describe, expect, it } from 'vitest';
import type { AdapterName, Endpoint, NativeFormat, PriceMode, Provider } from '../../src/catalog/types.js';
import { chatInHostWords, RequestModes, withoutAuto } from '../../src/formats/modes/request-modes.js';
import { servedMode } from '../../src/formats/modes/served-mode.js';
import { sharedAttempt } from '../support/chat.js';

interface Host {
  readonly slug: string;
  readonly adapter: AdapterName;
  readonly baseUrl?: string;
  readonly upstreamModelId?: string;
  readonly formats?: Endpoint['formats'];
}

/** Behind a proxy, so that its slug alone tells the host. */
function hostOf({
  slug,
  adapter,
  baseUrl = 'https://proxy.example/v1',
  upstreamModelId = 'm',
  formats = ['chat'],
}: Host): {
  endpoint: Endpoint;
  provider: Provider;
} {
  const { endpoint, provider } = sharedAttempt('echo');
  return {
    endpoint: { ...endpoint, upstreamModelId, formats },
    provider: { ...provider, slug, adapter, baseUrl },
  };
}

const HOSTS = {
  openai: { slug: 'openai', adapter: 'openai' },
  'openai by its address': { slug: 'mine', adapter: 'openai', baseUrl: 'https://API.openai.com/v1' },
  azure: { slug: 'my-azure', adapter: 'azure' },
  groq: { slug: 'groq', adapter: 'openai' },
  fireworks: { slug: 'fireworks', adapter: 'openai' },
  'google-ai-studio': { slug: 'google-ai-studio', adapter: 'openai' },
  openrouter: { slug: 'openrouter', adapter: 'openai' },
  deepseek: { slug: 'deepseek', adapter: 'openai' },
  perplexity: { slug: 'perplexity', adapter: 'openai' },
  unknown: { slug: 'mine', adapter: 'openai', baseUrl: 'https://llm.example/v1' },
  anthropic: { slug: 'anthropic', adapter: 'anthropic', formats: ['messages'] },
  bedrock: { slug: 'amazon-bedrock', adapter: 'amazon-bedrock' },
  gemini: { slug: 'google-vertex', adapter: 'google-vertex', upstreamModelId: 'gemini-3-pro' },
  'claude at vertex': { slug: 'google-vertex', adapter: 'google-vertex', upstreamModelId: 'claude-opus-4-8' },
} as const satisfies Record<string, Host>;
type HostName = keyof typeof HOSTS;

describe('the tier of a chat in the words of its host', () => {
  it.each<[host: HostName, asked: string, said: unknown, mode: object]>([
    ['openai', 'priority', 'priority', { service_tier: 'priority' }],
    ['openai', 'Flex', 'flex', { service_tier: 'flex' }],
    ['openai', 'ultrafast', 'ultrafast', { service_tier: 'ultrafast' }],
    ['openai', 'fast', 'priority', { service_tier: 'priority' }],
    ['openai', 'auto', 'auto', {}],
    ['openai', 'default', 'default', {}],
    ['openai', 'standard', 'default', {}],
    ['openai', 'standard_only', 'default', {}],
    ['openai', 'on_demand', 'default', {}],
    ['openai by its address', 'standard', 'default', {}],
    ['azure', 'priority', 'priority', { service_tier: 'priority' }],
    ['groq', 'default', 'on_demand', {}],
    ['groq', 'flex', 'flex', { service_tier: 'flex' }],
    ['groq', 'priority', 'performance', { service_tier: 'performance' }],
    ['fireworks', 'priority', 'priority', { service_tier: 'priority' }],
    ['fireworks', 'flex', undefined, {}],
    ['fireworks', 'default', undefined, {}],
    ['google-ai-studio', 'default', 'standard', {}],
    ['google-ai-studio', 'flex', 'flex', { service_tier: 'flex' }],
    ['openrouter', 'fast', 'fast', { service_tier: 'fast' }],
    ['deepseek', 'priority', undefined, {}],
    ['perplexity', 'flex', undefined, {}],
    ['unknown', 'Any_Word', 'Any_Word', { service_tier: 'any_word' }],
    ['unknown', 'auto', 'auto', {}],
    ['anthropic', 'priority', 'auto', {}],
    ['anthropic', 'default', 'standard_only', {}],
    ['anthropic', 'flex', undefined, {}],
    ['bedrock', 'priority', 'priority', { service_tier: 'priority' }],
    ['bedrock', 'standard', 'default', {}],
    ['bedrock', 'reserved', 'reserved', {}],
    ['bedrock', 'ultrafast', undefined, {}],
    ['gemini', 'flex', 'flex', { service_tier: 'flex' }],
    ['gemini', 'default', undefined, {}],
    ['claude at vertex', 'priority', undefined, {}],
  ])('at %s %s is %s', (name, service_tier, said, mode) => {
    const { endpoint, provider } = hostOf(HOSTS[name]);
    const { chat, leftOut } = chatInHostWords<Record<string, unknown>>({ service_tier }, endpoint, provider);
    expect(chat.service_tier).toBe(said);
    const isLost = said === undefined && !['default', 'standard', 'auto'].includes(service_tier);
    expect(leftOut).toEqual(isLost ? ['service_tier'] : []);
    const asked = new RequestModes({ service_tier }).at(endpoint, provider);
    expect(asked).toMatchObject({ leftOut });
    expect(asked.mode).toEqual(mode);
    expect(new RequestModes(chat).at(endpoint, provider).mode).toEqual(mode);
  });

  it.each<[host: HostName, said: object, leftOut: string[]]>([
    ['openai', { service_tier: 'priority' }, []],
    ['bedrock', { service_tier: 'priority' }, []],
    ['gemini', { service_tier: 'priority' }, []],
    ['anthropic', { speed: 'fast' }, []],
    ['unknown', { speed: 'fast' }, []],
    ['deepseek', {}, ['speed']],
  ])('at %s `speed: fast` is %j', (name, said, leftOut) => {
    const { endpoint, provider } = hostOf(HOSTS[name]);
    expect(chatInHostWords({ speed: 'fast' }, endpoint, provider)).toEqual({ chat: said, leftOut });
  });
});

describe('`auto` over shared capacity', () => {
  it.each<[host: HostName, format: 'chat' | NativeFormat, said: object]>([
    ['openai', 'chat', { service_tier: 'default' }],
    ['groq', 'chat', { service_tier: 'on_demand' }],
    ['anthropic', 'messages', { service_tier: 'standard_only', speed: 'standard', inference_geo: 'global' }],
    ['unknown', 'chat', { service_tier: 'auto' }],
    ['gemini', 'chat', {}],
  ])('is the word for the base at %s', (name, format, said) => {
    const { endpoint, provider } = hostOf(HOSTS[name]);
    const places = format === 'messages' ? { speed: 'AUTO', inference_geo: 'auto' } : {};
    expect(withoutAuto(format, { service_tier: 'auto', ...places }, endpoint, provider)).toEqual(said);
  });
});

describe('the mode of an answer', () => {
  const asked = (words: object) => ({ words });
  const at = (name: HostName, format: 'chat' | NativeFormat = 'chat') => ({ ...hostOf(HOSTS[name]), format });

  it('is what it says of each, and what was sent of which it says nothing', () => {
    expect(
      servedMode(
        { service_tier: 'DEFAULT' },
        asked({ service_tier: 'priority', inference_geo: 'us' }),
        at('unknown'),
      ),
    ).toEqual({ told: { service_tier: 'DEFAULT', inference_geo: 'us' }, mode: { inference_geo: 'us' } });
  });

  it.each([
    'default',
    'Standard',
    'standard_only',
    'AUTO',
    'ON_DEMAND',
    'PROVISIONED_THROUGHPUT',
    'reserved',
  ])('is the base where it says %s', (service_tier) => {
    const { mode } = servedMode({ service_tier }, asked({ service_tier: 'priority' }), at('openai'));
    expect(mode).toEqual({});
  });

  it.each([
    ['fast', 'priority'],
    ['priority', 'fast'],
  ])('%s is priced as %s where that alone has a price, asked for or told', (said, priced) => {
    const { endpoint, provider, format } = at('unknown');
    const entry = {
      words: { service_tier: priced },
      isBatch: false,
      minPromptTokens: null,
      multiplier: '2',
      prices: {},
    };
    const listing = (modes: PriceMode[]) => ({ ...endpoint, pricing: { ...endpoint.pricing, modes } });
    const told = { service_tier: said };
    const modeAt = (modes: PriceMode[]) => {
      const { mode } = new RequestModes(told).at(listing(modes), provider);
      expect(servedMode(told, asked({}), { endpoint: listing(modes), provider, format })).toEqual({
        told,
        mode,
      });
      return mode;
    };
    expect(modeAt([entry])).toEqual({ service_tier: priced });
    expect(modeAt([entry, { ...entry, words: told }])).toEqual(told);
    expect(modeAt([{ ...entry, isBatch: true }])).toEqual(told);
    expect(modeAt([])).toEqual(told);
  });

  it('is the base where Anthropic, or Claude at Vertex AI, says priority, which was paid before', () => {
    const given = { service_tier: 'priority' };
    expect(servedMode(given, asked({}), at('anthropic', 'messages')).mode).toEqual({});
    expect(servedMode(given, asked({}), at('claude at vertex', 'messages')).mode).toEqual({});
    expect(servedMode(given, asked({}), at('openai')).mode).toEqual(given);
    expect(servedMode(given, asked({}), at('bedrock', 'messages')).mode).toEqual(given);
  });
});
