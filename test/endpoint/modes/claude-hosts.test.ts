/** Claude at Microsoft Foundry and Vertex AI, which decide by deployment or address what Anthropic is asked for. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchPlatforms, PLATFORMS, type Platform, type PlatformsGateway } from '../../support/platforms.js';
import { bodyOf, type Row, recordOf } from '../../support/rest.js';

const PRICES = { prompt: '0.000001', completion: '0.000002' };
const TENTHS: Readonly<Record<string, number>> = { 'speed:fast': 60, 'inference_geo:us': 11 };
const price_modes = [
  { speed: 'fast', multiplier: '6' },
  { inference_geo: 'us', multiplier: '1.1' },
];

const PATHS = ['/messages', '/chat/completions'] as const;
const WAYS = ['in one piece', 'streamed', 'cut'] as const;
const MODELS = ['opus', 'fable'] as const;

let shared: PlatformsGateway;
let own: PlatformsGateway;

beforeAll(async () => {
  const models = MODELS.map((name) => ({
    name,
    upstreamId: ({ slug, family }: Platform) =>
      `${family.replace('claude-3-haiku', name === 'opus' ? 'claude-opus-4-8' : 'claude-fable-5-2')}${slug}-${name}`,
    overrides: () => ({ pricing: PRICES, context_length: 1_000_000 }),
    endpoint: () => ({ price_modes }),
  }));
  shared = await launchPlatforms(models, 'shared');
  own = await launchPlatforms(models, 'byok');
});

afterAll(async () => {
  await shared.stop();
  await own.stop();
});

function platformOf(slug: string): Platform {
  const platform = PLATFORMS.find((one) => one.slug === slug);
  if (platform === undefined) throw new Error(`no platform ${slug}`);
  return platform;
}

interface Asked {
  readonly slug: string;
  readonly model?: (typeof MODELS)[number];
  readonly path: (typeof PATHS)[number];
  readonly way?: (typeof WAYS)[number];
  readonly asks: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the host counts and tells. */
  readonly usage?: object;
}

async function ask(
  gateway: PlatformsGateway,
  { slug, model = 'opus', path, way = 'in one piece', asks, headers = {}, usage = {} }: Asked,
) {
  const platform = platformOf(slug);
  const words = Array.from({ length: 200 }, (_, index) => ` word${index}`);
  gateway.plan(platform, model, { usage, ...(way === 'cut' && { words, cutAfterBytes: 1_500 }) });
  const { requests } = gateway.fakes[platform.fake];
  const before = requests.length;
  const answer = await gateway.use(
    'POST',
    path,
    {
      model: `${slug}/${model}`,
      max_tokens: 4_000,
      messages: [{ role: 'user', content: 'Hello there' }],
      stream: way !== 'in one piece',
      ...asks,
    },
    headers,
  );
  const sent = requests.slice(before).at(-1);
  return { answer, sent, isSent: requests.length > before };
}

async function recorded(gateway: PlatformsGateway, one: Asked) {
  const { answer, sent } = await ask(gateway, one);
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
  const record = recordOf(await gateway.use('GET', `/generation?id=${answer.headers['x-generation-id']}`));
  if (one.way === 'cut') expect(record.finish_reason).toBe('error');
  return { sent: (sent?.body ?? {}) as Row, headers: (sent?.headers ?? {}) as Row, record };
}

function expectBilled(record: Row, mode: string | null): void {
  const { tokens_prompt, tokens_completion, usage, upstream_inference_cost } = record;
  expect(record).toMatchObject({ price_mode: mode, unpriced: [] });
  expect(Number(tokens_completion)).toBeGreaterThan(0);
  expect(Math.round(Number(upstream_inference_cost ?? usage) * 1e9)).toBe(
    ((Number(tokens_prompt) * 1_000 + Number(tokens_completion) * 2_000) *
      (mode === null ? 10 : (TENTHS[mode] ?? 0))) /
      10,
  );
}

const CAPACITIES = [
  { capacity: 'shared capacity', gateway: () => shared },
  { capacity: 'a key of the account', gateway: () => own },
];

describe.each(CAPACITIES)('over $capacity', ({ gateway }) => {
  describe.each(PATHS)('%s', (path) => {
    describe.each(['foundry-claude', 'vertex-claude', 'bedrock-key'])('of %s', (slug) => {
      // In a chat `fast` is a tier where a host has tiers.
      const ways = slug === 'bedrock-key' && path === '/chat/completions' ? [] : WAYS;

      it.each(ways)('is sent without a speed that it has not, %s, and billed at the base', async (way) => {
        const { sent, headers, record } = await recorded(gateway(), {
          ...{ slug, path, way, asks: { speed: 'fast' } },
          ...(path === '/messages' && { headers: { 'anthropic-beta': 'fast-mode-2026-02-01' } }),
        });
        expect(sent).not.toHaveProperty('speed');
        if (slug === 'vertex-claude') expect(String(headers['anthropic-beta'])).not.toContain('fast-mode');
        expect(record.omitted).toContain('speed');
        expectBilled(record, null);
      });

      it.skipIf(ways.length === 0)('answers nobody who requires a speed that it has not', async () => {
        const asks = { speed: 'fast', provider: { require_parameters: true } };
        const { answer, isSent } = await ask(gateway(), { slug, path, asks });
        expect([answer.status, isSent]).toEqual([expect.toSatisfy((status) => status >= 400), false]);
      });

      it('is asked for no place, which its deployment or address decides: nobody is served anywhere else', async () => {
        for (const model of MODELS) {
          for (const inference_geo of ['us', 'EU']) {
            const { answer, isSent } = await ask(gateway(), { slug, model, path, asks: { inference_geo } });
            expect([answer.status, isSent]).toEqual([400, false]);
            expect((bodyOf(answer).error as Row).message).toContain('inference_geo');
          }
        }
        const { record } = await recorded(gateway(), { slug, path, asks: { inference_geo: 'global' } });
        expectBilled(record, null);
      });
    });

    it.each(WAYS)('of Foundry is billed %s as it says, whatever was left out', async (way) => {
      const one = { slug: 'foundry-claude', path, way, asks: { speed: 'fast' } };
      expectBilled((await recorded(gateway(), { ...one, usage: { speed: 'fast' } })).record, 'speed:fast');
      // A deployment of the type US Data Zone Standard.
      const place = await recorded(gateway(), { ...one, usage: { inference_geo: 'us' } });
      expectBilled(place.record, 'inference_geo:us');
    });

    it.each(WAYS)('of Vertex AI asks for the speed of a model that has one, %s', async (way) => {
      const one = { slug: 'vertex-claude', model: 'fable', path, way, asks: { speed: 'fast' } } as const;
      const named = { 'anthropic-beta': 'fast-mode-2026-02-01,interleaved-thinking-2025-05-14' };
      for (const headers of [{}, ...(path === '/messages' ? [named] : [])]) {
        const { sent, headers: got, record } = await recorded(gateway(), { ...one, headers });
        expect(sent).toMatchObject({ speed: 'fast' });
        expect(String(got['anthropic-beta'])).not.toContain('fast-mode');
        expectBilled(record, null);
        expect(record).toMatchObject({ speed: 'standard', omitted: [] });
      }
      const given = await recorded(gateway(), { ...one, usage: { speed: 'fast' } });
      expectBilled(given.record, 'speed:fast');
    });

    it.each(['foundry-claude', 'vertex-claude'])(
      'of %s says `priority` of capacity that was paid before',
      async (slug) => {
        const asks = { service_tier: 'priority' };
        const { sent, record } = await recorded(gateway(), {
          ...{ slug, path, asks, usage: { service_tier: 'priority' } },
        });
        expectBilled(record, null);
        expect(record.service_tier).toBe('priority');
        if (slug === 'vertex-claude') {
          expect(sent).not.toHaveProperty('service_tier');
          expect(record.omitted).toContain('service_tier');
        }
      },
    );
  });

  it.each(['openai', 'azure-catalog', 'vertex-gemini', 'vertex-open'])(
    'a chat is not sent to %s, which knows no places, where it asks for one',
    async (slug) => {
      const asks = { inference_geo: 'us' };
      const { answer, isSent } = await ask(gateway(), { slug, path: '/chat/completions', asks });
      expect([answer.status, isSent]).toEqual([400, false]);
      expect((bodyOf(answer).error as Row).message).toContain('inference_geo');
    },
  );
});
