/**
 * Whatever a host reports that honours what it is sent, the charge is within what is reserved. What such a host may do at
 * most is said here once more, from the members themselves.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Endpoint, Format } from '../../src/catalog/types.js';
import { chargeablePrice } from '../../src/ledger/pricing/possible-usage.js';
import { listPrice, type Metered } from '../../src/ledger/pricing/price.js';
import { completionTokensOf, maxCostOf, type Served } from '../../src/routing/estimate/max-usage.js';
import { requestSize } from '../../src/routing/estimate/request-size.js';
import { instants, pricings } from '../ledger/arbitraries.js';
import { endpoint, provider } from './contexts.js';

/** Members of a request, and what they let a host do. */
interface Ask {
  readonly body: object;
  /** The most tokens of one answer in one turn; null = what the endpoint gives. */
  readonly tokens?: number;
  readonly answers?: number;
  readonly searches?: number;
  /** Turns after the first, each over a prompt that may fill the context. */
  readonly turns?: number;
  readonly fillsContext?: boolean;
  readonly hasAudio?: boolean;
  readonly images?: number;
  /** For how long it asks Claude to write to a cache. */
  readonly cacheFor?: '5m' | '1h';
}

const counts = fc.integer({ min: 1, max: 8 });
const lengths = fc.integer({ min: 1, max: 5_000 });
const user = (...content: object[]) => ({ messages: [{ role: 'user', content }] });

const LENGTH: fc.Arbitrary<Ask> = fc.oneof(
  fc.constant({ body: {} }),
  lengths.map((tokens) => ({ body: { max_tokens: tokens }, tokens })),
  lengths.map((tokens) => ({ body: { max_completion_tokens: tokens }, tokens })),
  fc.tuple(lengths, lengths).map(([max_tokens, own]) => ({
    body: { max_tokens, generation_config: { max_output_tokens: own } },
    tokens: Math.max(max_tokens, own),
  })),
  fc.tuple(lengths, lengths).map(([max_tokens, own]) => ({
    body: { max_tokens, additionalModelRequestFields: { inferenceConfig: { maxTokens: own } } },
    tokens: Math.max(max_tokens, own),
  })),
  fc.tuple(lengths, lengths).map(([max_tokens, budget_tokens]) => ({
    body: { max_tokens, thinking: { type: 'enabled', budget_tokens } },
    tokens: budget_tokens < max_tokens ? max_tokens : max_tokens + budget_tokens,
  })),
);

const ANSWERS: fc.Arbitrary<Ask> = fc.oneof(
  fc.constant({ body: {} }),
  counts.map((n) => ({ body: { n }, answers: n })),
  counts.map((best_of) => ({ body: { best_of }, answers: best_of })),
  counts.map((candidateCount) => ({
    body: { n: 1, generationConfig: { candidateCount } },
    answers: candidateCount,
  })),
);

const WORK: fc.Arbitrary<Ask> = fc.oneof(
  fc.constant({ body: {} }),
  counts.map((max_uses) => ({
    body: { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses }] },
    ...{ searches: max_uses, turns: max_uses },
  })),
  fc.tuple(counts, counts).map(([search, fetch]) => ({
    body: {
      tools: [
        { type: 'web_search_20250305', name: 'web_search', max_uses: search },
        { type: 'web_fetch_20250910', name: 'web_fetch', max_uses: fetch },
      ],
    },
    ...{ searches: search, turns: search + fetch },
  })),
  fc.constant({ body: { web_search_options: {} }, searches: 10, turns: 10 }),
  fc.constant({ body: { tools: [{ google_search: {} }] }, searches: 10, turns: 1 }),
);

const PROMPT: fc.Arbitrary<Ask> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }).map((text) => ({ body: user({ type: 'text', text }) })),
  fc.constant({ body: user({ type: 'file', file: { file_data: 'x' } }), fillsContext: true }),
  fc.constant({ body: user({ type: 'video', video: ['https://example.com/v'] }), fillsContext: true }),
  fc.constant({ body: { ...user(), cached_content: 'c' }, fillsContext: true }),
  counts.map((images) => ({
    body: user(...Array<object>(images).fill({ type: 'image_url', image_url: { url: 'https://a/b.png' } })),
    images,
  })),
  fc.constant({
    body: { ...user({ type: 'text', text: 'Say it' }), modalities: ['audio'], audio: {} },
    hasAudio: true,
  }),
);

/** Claude writes where it is asked to: https://platform.claude.com/docs/en/build-with-claude/prompt-caching, 2026-11-26. */
const MARKS: fc.Arbitrary<Ask> = fc.oneof(
  fc.constant({ body: {} }),
  fc.constantFrom('5m' as const, '1h' as const).map((ttl) => ({
    body: { cache_control: { type: 'ephemeral', ttl } },
    cacheFor: ttl,
  })),
);

const asks = fc
  .tuple(PROMPT, LENGTH, ANSWERS, WORK, MARKS)
  .map((all): Ask => Object.assign({}, ...all, { body: Object.assign({}, ...all.map(({ body }) => body)) }));

const served: fc.Arbitrary<Served> = fc
  .record({
    pricing: pricings,
    // Requests for more are not planned there.
    maxCompletionTokens: fc.option(fc.integer({ min: 10_000, max: 20_000 })),
    contextLength: fc.integer({ min: 8_000, max: 20_000 }),
    isClaude: fc.boolean(),
  })
  .map(({ isClaude, ...members }) => {
    const formats: Format[] = isClaude ? ['messages'] : ['chat'];
    const upstreamModelId = isClaude ? 'claude-sonnet-4-6' : 'gpt-4o';
    return {
      endpoint: endpoint('a', { ...members, formats, upstreamModelId }),
      provider: provider('a', { adapter: isClaude ? 'anthropic' : 'openai' }),
      modelReasoning: null,
    };
  });

/** Shares of the most, for each count. */
const shares = fc.array(fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })), {
  minLength: 15,
  maxLength: 15,
});

/** What an honest host reports that uses these shares of what it may. */
function reported(
  ask: Ask,
  { contextLength, maxCompletionTokens, upstreamModelId }: Endpoint,
  taken: readonly number[],
): Metered {
  const part = (index: number, whole: number) => Math.floor(whole * (taken[index] ?? 0));
  const context = contextLength ?? 0;
  const { answers = 1, searches = 0, turns = 0, images = 0, hasAudio = false, fillsContext = false } = ask;
  const isClaude = upstreamModelId.startsWith('claude');
  // No host reads or writes more than its context.
  const given = Math.min(ask.tokens ?? maxCompletionTokens ?? context, context);
  const rounds = answers * (1 + turns);
  const first = fillsContext ? context : Buffer.byteLength(JSON.stringify(textOf(ask.body)));
  const promptTokens = part(0, Math.min(first + images * 10_000, context) + answers * turns * context);
  const completionTokens = part(1, given * rounds);
  const cachedTokens = part(2, promptTokens);
  const cacheWriteTokens = isClaude && ask.cacheFor === undefined ? 0 : part(3, promptTokens);
  const bringsMedia = fillsContext || turns > 0;
  return {
    ...{ promptTokens, completionTokens, cachedTokens, cacheWriteTokens, images },
    cacheWrite1hTokens: isClaude && ask.cacheFor !== '1h' ? 0 : part(4, cacheWriteTokens),
    audioTokens: hasAudio || bringsMedia ? part(5, promptTokens) : 0,
    cachedAudioTokens: 0,
    imageTokens: images > 0 || bringsMedia ? part(6, promptTokens) : 0,
    reasoningTokens: part(7, completionTokens),
    completionAudioTokens: hasAudio ? part(8, completionTokens) : 0,
    outputImages: part(9, 10 * answers),
    webSearches: part(10, searches * answers),
    imageOutputTokens: part(12, completionTokens),
    mediumSearches: part(13, searches * answers),
    highSearches: part(14, searches * answers),
    searchUnits: 0,
  };
}

function textOf(body: object): unknown {
  return (
    (body as { messages?: readonly { content: readonly { text?: string }[] }[] }).messages?.[0]?.content[0]
      ?.text ?? ''
  );
}

it('the charge is never above what was reserved, whatever an honest host reports', () => {
  fc.assert(
    fc.property(asks, served, shares, instants, (ask, target, taken, at) => {
      const isLooping = target.endpoint.formats.includes('messages');
      // Hosts of chats search once, before they answer.
      const turns = 'web_search_options' in ask.body && !isLooping ? 1 : (ask.turns ?? 0);
      const metered = reported({ ...ask, turns }, target.endpoint, taken);
      const size = requestSize({ ...ask.body });
      const { totalNanoUsd } = chargeablePrice(listPrice(target.endpoint.pricing, metered, at));
      expect(maxCostOf(size, target, at)).toBeGreaterThanOrEqual(totalNanoUsd);
      expect(completionTokensOf(size, target)).toBeGreaterThanOrEqual(metered.completionTokens);
    }),
    { numRuns: 3_000 },
  );
});
