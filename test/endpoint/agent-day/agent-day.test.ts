import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nanoUsd, usd } from '../../support/exact-usd.js';
import { launchPlatforms, PLATFORMS, type PlatformsGateway } from '../../support/platforms.js';
import { recordOf } from '../../support/rest.js';
import { wireFormatOf } from '../platforms/wire-formats.js';
import { type LivedDay, liveDay, MODEL, type Scene } from './agent.js';
import { DAY, IMAGE_BASE64, PDF_BASE64, type Turn, type TurnUsage } from './day.js';
import { countedBy } from './replies.js';

/** One of each kind of provider. */
const SLUGS = ['openai', 'azure-catalog', 'anthropic', 'vertex-gemini', 'bedrock-signed'];
const KINDS = PLATFORMS.filter(({ slug }) => SLUGS.includes(slug));

/** USD of a token. */
const PRICES = {
  prompt: '0.0000031',
  completion: '0.0000157',
  input_cache_read: '0.00000037',
  input_cache_write: '0.0000039',
};

/** What a turn costs, in nano-USD. */
function costOf({ prompt, cached, written, completion }: TurnUsage): bigint {
  return nanoUsd([
    [prompt - cached - written, PRICES.prompt],
    [cached, PRICES.input_cache_read],
    [written, PRICES.input_cache_write],
    [completion, PRICES.completion],
  ]);
}

/** What a client sees of what goes wrong; the last chunk of a broken stream gives no reason. */
const SEEN = {
  'rate limit': { code: 429, reason: 'upstream_rate_limited' },
  overflow: { code: 400, reason: 'context_length_exceeded' },
  cancel: { code: null, reason: null },
};
const BROKEN_STREAM = { code: 502, reason: null };
const BROKEN_ANSWER = { code: 502, reason: 'upstream_failed' };

/** What the day is to look like, by its script. */
function scripted(stream: boolean): readonly Scene[] {
  const seen = { ...SEEN, cut: stream ? BROKEN_STREAM : BROKEN_ANSWER };
  return DAY.flatMap((turn): Scene[] => {
    const { trouble, thoughts = null, text = null, calls = [] } = turn;
    const scene = { thoughts, text, calls, end: calls.length > 0 ? 'tool_calls' : 'stop' };
    return trouble === undefined ? [scene] : [{ trouble, ...seen[trouble] }, scene];
  });
}

describe.each([
  ['in one piece', false],
  ['streamed', true],
] as const)('a day of an agent, %s', (_, stream) => {
  let gateway: PlatformsGateway;
  let days: ReadonlyMap<string, LivedDay>;

  beforeAll(async () => {
    const overrides = () => ({
      pricing: PRICES,
      context_length: 200_000,
      reasoning: { mandatory: false, supports_max_tokens: false },
    });
    const upstreamId = (platform: (typeof KINDS)[number]) => wireFormatOf(platform).model;
    gateway = await launchPlatforms([{ name: MODEL, upstreamId, overrides }], 'shared');
    const lived = await Promise.all(
      KINDS.map(async (platform) => [platform.slug, await liveDay(gateway, platform, stream)] as const),
    );
    days = new Map(lived);
  }, 120_000);
  afterAll(() => gateway?.stop());

  const dayAt = (slug: string): LivedDay => {
    const day = days.get(slug);
    if (day === undefined) throw new Error(`no day at ${slug}`);
    return day;
  };

  it('has forty turns', () => {
    expect(DAY).toHaveLength(40);
  });

  it.each(SLUGS)('reads the same at %s as in the script, but for ids', (slug) => {
    expect(dayAt(slug).transcript).toEqual(scripted(stream));
  });

  it.each(KINDS)('costs at $slug what its tokens cost, turn by turn', async (platform) => {
    for (const { id, usage, told } of dayAt(platform.slug).answered) {
      const counted = countedBy(platform, usage);
      const cost = usd(costOf(counted));
      expect(told).toMatchObject({
        prompt_tokens: counted.prompt,
        completion_tokens: counted.completion,
        prompt_tokens_details: { cached_tokens: counted.cached, cache_write_tokens: counted.written },
        cost,
      });
      expect(recordOf(await gateway.use('GET', `/generation?id=${id}`))).toMatchObject({ usage: cost });
    }
  });

  it.each(KINDS)('costs at $slug for a stream that broke off what came of it', async ({ slug, fake }) => {
    const { broken } = dayAt(slug);
    expect(broken).toHaveLength(stream ? DAY.filter(isBreaking).length : 0);
    for (const { id, usage } of broken) {
      const record = recordOf(await gateway.use('GET', `/generation?id=${id}`));
      const prompt = Number(record.tokens_prompt);
      const completion = Number(record.tokens_completion);
      expect(completion).toBeGreaterThan(0);
      expect(completion).toBeLessThan(usage.completion);
      // Anthropic counts the prompt before it answers, the others only at the end.
      if (fake === 'anthropic') expect(prompt).toBe(usage.prompt);
      const counted = { ...(fake === 'anthropic' ? usage : { ...usage, cached: 0, written: 0 }) };
      expect(record.native_tokens_cached).toBe(counted.cached);
      expect(record.usage).toBe(usd(costOf({ ...counted, prompt, completion })));
    }
  });

  it('costs in all the sum of these, and nothing for what was refused', async () => {
    const answered = KINDS.flatMap((platform) =>
      dayAt(platform.slug).answered.map(({ usage }) => costOf(countedBy(platform, usage))),
    );
    const ids = KINDS.flatMap(({ slug }) => dayAt(slug).broken.map(({ id }) => id));
    const records = await Promise.all(ids.map((id) => gateway.use('GET', `/generation?id=${id}`)));
    const broken = records.map((record) => nanoUsd([[1, String(recordOf(record).usage)]]));
    const total = usd([...answered, ...broken].reduce((sum, one) => sum + one, 0n));
    expect(recordOf(await gateway.manage('GET', '/credits'))).toMatchObject({ total_usage: total });
    expect(recordOf(await gateway.use('GET', '/key'))).toMatchObject({ usage: total });
  });

  it.each(KINDS)('takes images, documents, cache marks and thoughts along at $slug', (platform) => {
    const bodies = gateway.received(platform).map((body) => JSON.stringify(body));
    const most = (text: string) => Math.max(...bodies.map((body) => body.split(text).length - 1));
    expect({
      images: most(IMAGE_BASE64),
      documents: most(PDF_BASE64),
      marks: most('cache_control') + most('cachePoint'),
      thoughts: most('ignature":"'),
    }).toEqual({ images: 3, documents: 2, ...CARRIED[platform.fake] });
  });
});

/** Chats have no place for thoughts; Google signs calls, the others thoughts. Until the context overflows, 20 and 15 were had. */
const CARRIED = {
  openai: { marks: 0, thoughts: 0 },
  azure: { marks: 0, thoughts: 0 },
  anthropic: { marks: 1, thoughts: 20 },
  bedrock: { marks: 1, thoughts: 20 },
  vertex: { marks: 0, thoughts: 15 },
} as const;

function isBreaking({ trouble }: Turn): boolean {
  return trouble === 'cut' || trouble === 'cancel';
}
