import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { turnsUnasked } from '../../../src/formats/host-work.js';
import { nanoUsd, usd } from '../../support/exact-usd.js';
import { type HostsGateway, launchHosts } from '../../support/hosts/gateway.js';
import { HOSTS, type Host } from '../../support/hosts/table.js';
import { recordOf } from '../../support/rest.js';
import { answersInPieces, dayAt, type LivedDay, liveDay, MAX_TOKENS, type Scene } from './agent.js';
import { DAY, IMAGE_BASE64, PDF_BASE64, type Turn, type TurnUsage, withoutMedia } from './day.js';
import { countedBy } from './replies.js';

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
function scripted(host: Host, stream: boolean): readonly Scene[] {
  const seen = { ...SEEN, cut: answersInPieces(host, stream) ? BROKEN_STREAM : BROKEN_ANSWER };
  return dayAt(host).flatMap((turn): Scene[] => {
    const { trouble, thoughts = null, text = null, calls = [] } = turn;
    const scene = { thoughts, text, calls, end: calls.length > 0 ? 'tool_calls' : 'stop' };
    return trouble === undefined ? [scene] : [{ trouble, ...seen[trouble] }, scene];
  });
}

describe.each([
  ['in one piece', false],
  ['streamed', true],
] as const)('a day of an agent, %s', (_, stream) => {
  let gateway: HostsGateway;
  let days: ReadonlyMap<string, LivedDay>;

  beforeAll(async () => {
    const reasoning = { mandatory: false, supports_max_tokens: false };
    const models = { pricing: PRICES, context_length: 200_000, reasoning };
    // More clients leave at once than an API key has places for.
    gateway = await launchHosts(models, 'shared', { BYWAY_ON_DISCONNECT: 'cancel' });
    const lived = await Promise.all(
      HOSTS.map(async (host) => [host.name, await liveDay(gateway, host, stream)] as const),
    );
    days = new Map(lived);
  }, 240_000);
  afterAll(() => gateway?.stop());

  const livedAt = ({ name }: Host): LivedDay => {
    const day = days.get(name);
    if (day === undefined) throw new Error(`no day at ${name}`);
    return day;
  };

  it('has forty turns', () => {
    expect(DAY).toHaveLength(40);
  });

  it.each(HOSTS)('reads the same at $name as in the script, but for ids', (host) => {
    expect(livedAt(host).transcript).toEqual(scripted(host, stream));
  });

  it.each(HOSTS)('sends $name nothing that it refuses', (host) => {
    expect(gateway.requests(host).length).toBeGreaterThanOrEqual(40);
    expect(gateway.requests(host).flatMap(({ refused }) => refused ?? [])).toEqual([]);
  });

  it.each(HOSTS)('is told before anything is sent what of its media $name has no place for', (host) => {
    const turns = DAY.filter((turn) => withoutMedia(turn, host.lacks) !== undefined);
    const param = expect.stringMatching(/^messages\[\d+\]\.content\[\d\]/);
    const told = { status: 400, reason: 'invalid_request', param };
    expect(livedAt(host).untaken).toEqual(turns.map(() => told));
  });

  it.each(HOSTS)('costs at $name what its tokens cost, turn by turn', async (host) => {
    for (const { id, usage, told } of livedAt(host).answered) {
      const counted = countedBy(host, usage);
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

  it.each(HOSTS)('costs at $name for a stream that broke off what came of it', async (host) => {
    const { broken } = livedAt(host);
    expect(broken).toHaveLength(answersInPieces(host, stream) ? DAY.filter(isBreaking).length : 0);
    for (const { id, usage, trouble } of broken) {
      const record = recordOf(await gateway.use('GET', `/generation?id=${id}`));
      const prompt = Number(record.tokens_prompt);
      const completion = Number(record.tokens_completion);
      expect(completion).toBeGreaterThan(0);
      if (trouble === 'cut') expect(completion).toBeLessThan(usage.completion);
      // How long the client stayed counts, up to what was reserved: with a turn more where a model searches by itself.
      else expect(completion).toBeLessThanOrEqual(MAX_TOKENS * (1 + turnsUnasked(host.model)));
      // Messages count the prompt before the answer, the others only at the end.
      const isCountedBefore = host.format === 'messages';
      if (isCountedBefore) expect(prompt).toBe(usage.prompt);
      const counted = isCountedBefore ? usage : { ...usage, cached: 0, written: 0 };
      expect(record.native_tokens_cached).toBe(counted.cached);
      expect(record.usage).toBe(usd(costOf({ ...counted, prompt, completion })));
    }
  });

  it('costs in all the sum of these, and nothing for what was refused', async () => {
    const answered = HOSTS.flatMap((host) =>
      livedAt(host).answered.map(({ usage }) => costOf(countedBy(host, usage))),
    );
    const ids = HOSTS.flatMap((host) => livedAt(host).broken.map(({ id }) => id));
    const records = await Promise.all(ids.map((id) => gateway.use('GET', `/generation?id=${id}`)));
    const broken = records.map((record) => nanoUsd([[1, String(recordOf(record).usage)]]));
    const total = usd([...answered, ...broken].reduce((sum, one) => sum + one, 0n));
    expect(recordOf(await gateway.manage('GET', '/credits'))).toMatchObject({ total_usage: total });
    expect(recordOf(await gateway.use('GET', '/key'))).toMatchObject({ usage: total });
  });

  it.each(HOSTS)('takes images, documents, cache marks and thoughts along at $name', (host) => {
    const bodies = gateway.requests(host).map(({ body }) => JSON.stringify(body));
    const most = (text: string) => Math.max(...bodies.map((body) => body.split(text).length - 1));
    expect({
      images: most(IMAGE_BASE64),
      documents: most(PDF_BASE64),
      marks: most('cache_control') + most('cachePoint'),
      thoughts: most('ignature":"') + most('"reasoning_content":"') + most('"encrypted_content":"'),
    }).toEqual({
      images: host.lacks.includes('images') ? 0 : 3,
      documents: host.lacks.includes('files') ? 0 : 2,
      ...CARRIED[host.format],
      ...CARRIED_AT[host.name],
    });
  });
});

/** Google signs calls, Claude thoughts, OpenAI encrypts them. Until the context overflows, 20 and 15 were had. */
const CARRIED = {
  chat: { marks: 0, thoughts: 0 },
  messages: { marks: 1, thoughts: 20 },
  converse: { marks: 1, thoughts: 20 },
  gemini: { marks: 0, thoughts: 15 },
  responses: { marks: 0, thoughts: 20 },
} as const;

/** Those of calls and of what is said after them in the same turn; one call has none, and is answered without thinking. */
const WANTED_BACK = { thoughts: 15 };
/** Marks go to hosts that may pass them on, or that no document says to refuse them. */
const MARKED = { marks: 1 };
const NOTHING = { marks: 0, thoughts: 0 };

const CARRIED_AT: Readonly<Record<string, object>> = {
  'deepseek deepseek-chat': WANTED_BACK,
  'deepseek deepseek-flash': WANTED_BACK,
  'deepseek deepseek-v4-pro': WANTED_BACK,
  'moonshotai kimi-k2.6': WANTED_BACK,
  // Placeholders for signatures, which the fake has not given.
  'google-ai-studio gemini-3-pro-preview': { thoughts: 15 },
  'xai grok-4.3': MARKED,
  'z-ai glm-4.7': MARKED,
  'openrouter anthropic/claude-sonnet-4.5': MARKED,
  'unknown m': MARKED,
  'converse-llama': NOTHING,
  'converse-mistral': NOTHING,
  'converse-nova': { thoughts: 0 },
};

function isBreaking({ trouble }: Turn): boolean {
  return trouble === 'cut' || trouble === 'cancel';
}
