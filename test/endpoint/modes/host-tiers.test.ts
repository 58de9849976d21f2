/** Tiers at hosts that copy OpenAI's chats, each played by the judge of what it takes: asked, given, and what is billed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoModel } from '../../support/catalog.js';
import { type FakeHostName, startFakeHost } from '../../support/fakes/fake-openai/hosts.js';
import type { FakeProvider } from '../../support/fakes/fake-openai/server.js';
import { launchGateway } from '../../support/gateway.js';
import { type Call, caller, type Row, recordOf } from '../../support/rest.js';

interface Case {
  readonly host: FakeHostName;
  /** The host's name of a model. */
  readonly model: string;
  readonly asks: object;
  /** The tier that the host is asked for. */
  readonly tier: string;
  /** The host's words for the base: what answers say, and what is sent for `auto` over shared capacity. */
  readonly base: string;
  readonly baseSent: string | undefined;
}

const CASES: readonly Case[] = [
  {
    host: 'groq',
    model: 'openai/gpt-oss-120b',
    asks: { service_tier: 'flex' },
    tier: 'flex',
    base: 'on_demand',
    baseSent: 'on_demand',
  },
  {
    host: 'groq',
    model: 'openai/gpt-oss-120b',
    asks: { service_tier: 'priority' },
    tier: 'performance',
    base: 'on_demand',
    baseSent: 'on_demand',
  },
  {
    host: 'groq',
    model: 'openai/gpt-oss-120b',
    asks: { speed: 'fast' },
    tier: 'performance',
    base: 'on_demand',
    baseSent: 'on_demand',
  },
  {
    host: 'xai',
    model: 'grok-4.3',
    asks: { service_tier: 'priority' },
    tier: 'priority',
    base: 'default',
    baseSent: 'default',
  },
  {
    host: 'xai',
    model: 'grok-4.3',
    asks: { speed: 'fast' },
    tier: 'priority',
    base: 'default',
    baseSent: 'default',
  },
  {
    host: 'fireworks',
    model: 'accounts/fireworks/models/gpt-oss-120b',
    asks: { service_tier: 'priority' },
    tier: 'priority',
    base: 'default',
    baseSent: undefined,
  },
  {
    host: 'google-ai-studio',
    model: 'gemini-2.5-flash',
    asks: { service_tier: 'flex' },
    tier: 'flex',
    base: 'standard',
    baseSent: 'standard',
  },
  {
    host: 'google-ai-studio',
    model: 'gemini-2.5-flash',
    asks: { service_tier: 'PRIORITY' },
    tier: 'priority',
    base: 'standard',
    baseSent: 'standard',
  },
  {
    host: 'cerebras',
    model: 'gpt-oss-120b',
    asks: { service_tier: 'flex' },
    tier: 'flex',
    base: 'default',
    baseSent: 'default',
  },
  {
    host: 'cerebras',
    model: 'gpt-oss-120b',
    asks: { speed: 'fast' },
    tier: 'priority',
    base: 'default',
    baseSent: 'default',
  },
  {
    host: 'openrouter',
    model: 'openai/gpt-5.4',
    asks: { service_tier: 'flex' },
    tier: 'flex',
    base: 'default',
    baseSent: 'default',
  },
  {
    host: 'unknown',
    model: 'some-model',
    asks: { service_tier: 'priority' },
    tier: 'priority',
    base: 'default',
    baseSent: 'auto',
  },
];

const HOSTS = [...new Map(CASES.map((one) => [one.host, one])).values()];

/** USD per token, whole numbers of nano-USD also by the multipliers. */
const PRICES = { prompt: '0.000001', completion: '0.000002' };
const TENTHS: Readonly<Record<string, number>> = { flex: 5, priority: 20, performance: 30 };
const MODES = Object.entries(TENTHS).map(([service_tier, tenths]) => ({
  service_tier,
  multiplier: String(tenths / 10),
}));

const WAYS = ['in one piece', 'streamed', 'cut'] as const;

describe('tiers of hosts that copy chats', () => {
  const fakes = new Map<FakeHostName, FakeProvider>();
  const ends: (() => Promise<void>)[] = [];
  let gateway: Awaited<ReturnType<typeof launchGateway>>;
  let use: Call;

  beforeAll(async () => {
    for (const { host } of HOSTS) fakes.set(host, await startFakeHost(host, (end) => void ends.push(end)));
    gateway = await launchGateway({
      env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1', BYWAY_ADMIN_RATE_PER_MINUTE: '0' },
      catalog: {
        providers: HOSTS.map(({ host }) => ({
          slug: host,
          name: host,
          adapter: 'openai',
          base_url: fakes.get(host)?.baseUrl,
          credential: 'none',
        })),
        models: HOSTS.map(({ host, model }) =>
          demoModel(`${host}/m`, [{ provider: host, upstream_model_id: model, price_modes: MODES }], {
            pricing: PRICES,
            context_length: 1_000_000,
          }),
        ),
      },
    });
    use = caller(gateway, gateway.apiKey);
  });

  afterAll(async () => {
    await gateway.stop();
    await Promise.all(ends.map((end) => end()));
  });

  /** Asks the host, and reads what it was sent and what is recorded. */
  async function serve(
    { host, model }: Case,
    asks: object,
    told: string | undefined,
    way: (typeof WAYS)[number],
  ) {
    const fake = fakes.get(host);
    const words = Array.from({ length: 200 }, (_, index) => ` word${index}`);
    fake?.plan(model, {
      members: { service_tier: told },
      ...(way === 'cut' && { words, cutAfterBytes: 1_500 }),
    });
    const answer = await use('POST', '/chat/completions', {
      model: `${host}/m`,
      max_tokens: 4_000,
      messages: [{ role: 'user', content: 'Hello there' }],
      stream: way !== 'in one piece',
      ...asks,
    });
    expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
    const id = answer.headers['x-generation-id'];
    const record = recordOf(await use('GET', `/generation?id=${id}`));
    if (way === 'cut') expect(record.finish_reason).toBe('error');
    return { sent: (fake?.requests.at(-1)?.body ?? {}) as Row, record };
  }

  function expectBilled(record: Row, tier: string | null): void {
    const tenths = tier === null ? 10 : (TENTHS[tier] ?? 0);
    const { tokens_prompt, tokens_completion, usage } = record;
    expect(record).toMatchObject({
      price_mode: tier === null ? null : `service_tier:${tier}`,
      unpriced: [],
      is_byok: false,
    });
    expect(Number(tokens_completion)).toBeGreaterThan(0);
    expect(Math.round(Number(usage) * 1e9)).toBe(
      ((Number(tokens_prompt) * 1_000 + Number(tokens_completion) * 2_000) * tenths) / 10,
    );
  }

  describe.each(WAYS)('an answer %s', (way) => {
    it.each(CASES)('of $host that is asked for as $asks and given so is billed as $tier', async (one) => {
      const { sent, record } = await serve(one, one.asks, one.tier, way);
      expect(sent).toMatchObject({ service_tier: one.tier });
      expect(sent).not.toHaveProperty('speed');
      expectBilled(record, one.tier);
      expect(record.service_tier).toBe(one.tier);
    });

    it.each(CASES)(
      'of $host that is asked for as $asks, of which nothing is told, is billed as sent',
      async (one) => {
        const { record } = await serve(one, one.asks, undefined, way);
        expectBilled(record, one.tier);
      },
    );

    it.each(CASES)('of $host that is asked for as $asks and not given is billed at the base', async (one) => {
      const { record } = await serve(one, one.asks, one.base, way);
      expectBilled(record, null);
      expect(record.service_tier).toBe(one.base);
    });

    it.each(CASES)(
      'of $host that is given as $tier and that nobody asked for is billed as that',
      async (one) => {
        const { sent, record } = await serve(one, {}, one.tier, way);
        expect(sent).not.toHaveProperty('service_tier');
        expectBilled(record, one.tier);
      },
    );

    it.each(HOSTS)('of $host in no tier is billed at the base', async (one) => {
      const { record } = await serve(one, {}, undefined, way);
      expectBilled(record, null);
    });

    it.each(HOSTS)('of $host that may choose is asked for the base over shared capacity', async (one) => {
      const { sent, record } = await serve(one, { service_tier: 'auto' }, one.base, way);
      expect(sent.service_tier).toBe(one.baseSent);
      expectBilled(record, null);
    });
  });
});
