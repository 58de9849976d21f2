import { describe, expect, it } from 'vitest';
import { maxCostAt } from '../../src/ledger/price.js';
import { completionTokensOf, maxUsageOf, requestSize } from '../../src/routing/estimate/request-size.js';
import { endpoint } from './contexts.js';

const TEXT = { type: 'text', text: 'What does it say?' };
const FILES = [
  [
    'a document',
    { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
  ],
  ['a document behind a link', { type: 'file', file: { file_data: 'https://example.com/a.pdf' } }],
  ['a video', { type: 'video_url', video_url: { url: 'data:video/mp4;base64,AAAA' } }],
] as const;

const sizeOf = (...parts: object[]) =>
  requestSize({ messages: [{ role: 'user', content: [TEXT, ...parts] }], max_tokens: 10 });
const pricing = (prices: object) => ({
  prices: { prompt: '0.000001', completion: '0', ...prices },
  discount: 0,
  overrides: [],
});

describe('reservations for files and videos, whose size in bytes does not bound their tokens', () => {
  it.each(FILES)('%s fills the endpoint’s context, or 2 million tokens where that is unknown', (_, part) => {
    const size = sizeOf(TEXT, part);
    expect(maxUsageOf(size, { contextLength: 200_000 }, 10).promptTokens).toBe(200_000);
    expect(maxUsageOf(size, { contextLength: null }, 10).promptTokens).toBe(2_000_000);
  });

  it.each(FILES)('%s may be charged as images or as audio, whichever costs more', (_, part) => {
    const maxUsage = maxUsageOf(sizeOf(part), { contextLength: 100_000 }, 0);
    expect(maxCostAt(pricing({}), maxUsage, 0)).toBe(100_000_000n);
    expect(maxCostAt(pricing({ image_token: '0.000003' }), maxUsage, 0)).toBe(300_000_000n);
    expect(maxCostAt(pricing({ audio: '0.000005' }), maxUsage, 0)).toBe(500_000_000n);
  });

  it('several count no more than one, and text beyond the context still counts', () => {
    const parts = FILES.map(([, part]) => part);
    expect(maxUsageOf(sizeOf(...parts), { contextLength: 200_000 }, 10).promptTokens).toBe(200_000);
    const long = { type: 'text', text: 'x'.repeat(5_000) };
    expect(maxUsageOf(sizeOf(long, ...parts), { contextLength: 1_000 }, 10).promptTokens).toBeGreaterThan(
      5_000,
    );
  });

  it('a prompt without files does not depend on the context', () => {
    const size = sizeOf({ type: 'image_url', image_url: { url: 'https://example.com/a.png' } });
    expect(maxUsageOf(size, { contextLength: 200_000 }, 10)).toMatchObject({
      promptTokens: size.promptTokens,
      completionTokens: 10,
      images: 1,
      hasFiles: false,
    });
    expect(size.promptTokens).toBeLessThan(11_000);
  });
});

describe('the size of a request', () => {
  const size = (body: object) => requestSize({ messages: [{ role: 'user', content: 'hi' }], ...body });
  const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } };

  it('counts the names of members too, as many tokens as they have bytes', () => {
    const toolWith = (name: string) => ({
      type: 'function',
      function: { name: 'f', parameters: { type: 'object', properties: { [name]: {} } } },
    });
    const tokens = (name: string) => size({ tools: [toolWith(name)] }).promptTokens;
    expect(tokens('x'.repeat(1001)) - tokens('x')).toBe(1000);
    expect(tokens('ü') - tokens('u')).toBe(1);
    expect(size({ tools: [['x'.repeat(100)]] }).promptTokens).toBeLessThan(200);
  });

  it('takes the larger of the two members for completion tokens, which a provider may ignore', () => {
    expect(size({}).maxTokens).toBeNull();
    expect(size({ max_tokens: 'many' }).maxTokens).toBeNull();
    expect(size({ max_tokens: 5 }).maxTokens).toBe(5);
    expect(size({ max_tokens: 5, max_completion_tokens: 7 }).maxTokens).toBe(7);
    expect(size({ max_tokens: 7, max_completion_tokens: 5 }).maxTokens).toBe(7);
  });

  it.each([
    [undefined, 1],
    ['3', 1],
    [0, 1],
    [-1, 1],
    [3, 3],
    [2.5, 3],
    [1e9, 1000],
  ])('reads n: %j as %d answers, with four images each', (n, answers) => {
    expect(size({ n })).toMatchObject({ answers, outputImages: 4 * answers });
  });

  it('has audio when the prompt contains or the request wants some', () => {
    expect(size({}).hasAudio).toBe(false);
    expect(size({ audio: { voice: 'alloy', format: 'wav' } }).hasAudio).toBe(true);
    expect(sizeOf(audio).hasAudio).toBe(true);
    expect(sizeOf(audio).hasFiles).toBe(false);
  });

  it('reserves ten searches where it allows web search', () => {
    expect(size({}).webSearches).toBe(0);
    expect(size({ web_search_options: {} }).webSearches).toBe(10);
  });

  it('reads messages of any form without failing', () => {
    const messages = [null, 7, 'x', { content: 7 }, { content: [null, 7, {}] }];
    expect(requestSize({ messages })).toMatchObject({ images: 0, hasAudio: false, hasFiles: false });
    expect(requestSize({ messages: 7 })).toMatchObject({ images: 0, hasAudio: false, hasFiles: false });
  });

  it.each([
    [{ max_tokens: 10 }, null, 10],
    [{ max_tokens: 10 }, 7, 7],
    [{ max_tokens: 7 }, 10, 7],
    [{ max_tokens: 10, n: 3 }, 7, 21],
    [{}, null, 4096],
    [{}, 5000, 4096],
    [{}, 7, 7],
  ])(
    '%j at an endpoint that gives %d takes at most %d completion tokens',
    (body, maxCompletionTokens, tokens) => {
      expect(completionTokensOf(size(body), endpoint('a', { maxCompletionTokens }))).toBe(tokens);
    },
  );
});
