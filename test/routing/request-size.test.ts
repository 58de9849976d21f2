import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../src/catalog/types.js';
import { maxCostAt } from '../../src/ledger/pricing/price.js';
import { completionTokensOf, maxUsageOf, type Served } from '../../src/routing/estimate/max-usage.js';
import { type RequestSize, requestSize } from '../../src/routing/estimate/request-size.js';
import { endpoint, provider } from './contexts.js';

/** The endpoint with these members, of a model that does not reason. */
const at = (members: Partial<Endpoint>): Served => ({
  endpoint: endpoint('a', members),
  provider: provider('a'),
  modelReasoning: null,
});
const usageAt = (size: RequestSize, members: Partial<Endpoint>, completionTokens = 10) =>
  maxUsageOf(size, at(members), completionTokens);

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
    expect(usageAt(size, { contextLength: 200_000 }).promptTokens).toBe(200_000);
    expect(usageAt(size, { contextLength: null }).promptTokens).toBe(2_000_000);
  });

  it.each(FILES)('%s may be charged as images or as audio, whichever costs more', (_, part) => {
    const maxUsage = usageAt(sizeOf(part), { contextLength: 100_000 }, 0);
    expect(maxCostAt(pricing({}), maxUsage, 0)).toBe(100_000_000n);
    expect(maxCostAt(pricing({ image_token: '0.000003' }), maxUsage, 0)).toBe(300_000_000n);
    expect(maxCostAt(pricing({ audio: '0.000005' }), maxUsage, 0)).toBe(500_000_000n);
  });

  it('several count no more than one, and nothing counts beyond the context', () => {
    const parts = FILES.map(([, part]) => part);
    expect(usageAt(sizeOf(...parts), { contextLength: 200_000 }).promptTokens).toBe(200_000);
    const long = { type: 'text', text: 'x'.repeat(5_000) };
    expect(usageAt(sizeOf(long, ...parts), { contextLength: 1_000 }).promptTokens).toBe(1_000);
  });

  it('a prompt without files does not depend on the context', () => {
    const size = sizeOf({ type: 'image_url', image_url: { url: 'https://example.com/a.png' } });
    expect(usageAt(size, { contextLength: 200_000 })).toMatchObject({
      promptTokens: size.promptTokens,
      completionTokens: 10,
      images: 1,
      hasFiles: false,
    });
    expect(size.promptTokens).toBeLessThan(17_000);
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

  it('counts numbers as many tokens as they have digits, which no tokenizer exceeds', () => {
    const tokens = (value: unknown) =>
      size({ tools: [{ type: 'function', function: { name: 'f', parameters: { enum: [value] } } }] })
        .promptTokens;
    const number = -1.234567890123e-300;
    expect(tokens(number)).toBeGreaterThanOrEqual(tokens(String(number)));
    expect(tokens(number) - tokens(1)).toBe(String(number).length - 1);
  });

  it('counts what definitions of tools have in JSON, in which many hosts show them to the model', () => {
    const tokens = (description: string) =>
      size({ tools: [{ type: 'function', function: { name: 'f', description } }] }).promptTokens;
    for (const text of ['\u0001'.repeat(1000), '"\\'.repeat(1000), '\n\t'.repeat(1000), 'ü'.repeat(1000)]) {
      expect(tokens(text) - tokens('')).toBe(Buffer.byteLength(JSON.stringify(text)) - 2);
    }
  });

  it.each(['fileid://file-1', ' fileid://file-1,fileid://file-2'])(
    '%j in a message may fill the context',
    (words) => {
      for (const content of [words, [{ type: 'text', text: words }]]) {
        const sized = requestSize({ messages: [{ role: 'system', content }] });
        expect(usageAt(sized, { contextLength: 200_000 }).promptTokens).toBe(200_000);
      }
      const asked = requestSize({ messages: [{ role: 'user', content: `What is ${words}?` }] });
      expect(asked.hasFiles).toBe(false);
    },
  );

  it.each([
    { type: 'audio_url', audio_url: { url: `data:audio/wav;base64,${'A'.repeat(1_000_000)}` } },
    { type: 'document_url', document_url: `data:application/pdf;base64,${'A'.repeat(1_000_000)}` },
  ])('counts media of $type by the context, not by the length of its data', (part) => {
    expect(usageAt(sizeOf(part), { contextLength: 200_000 }).promptTokens).toBe(200_000);
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
    [3, 3],
    [128, 128],
  ])('reads n: %j as %d answers, with ten images each', (n, answers) => {
    expect(size({ n }).answers).toBe(answers);
    expect(usageAt(size({ n }), {}).outputImages).toBe(10 * answers);
  });

  it('has audio when the prompt contains or the request wants some', () => {
    expect(size({}).hasAudio).toBe(false);
    expect(size({ audio: { voice: 'alloy', format: 'wav' } }).hasAudio).toBe(true);
    expect(sizeOf(audio).hasAudio).toBe(true);
    expect(sizeOf(audio).hasFiles).toBe(false);
  });

  it('reserves ten searches where it allows web search', () => {
    expect(usageAt(size({}), {}).webSearches).toBe(0);
    expect(usageAt(size({ web_search_options: {} }), {}).webSearches).toBe(10);
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
    [{ max_tokens: 10, n: 3, web_search_options: {} }, 7, 42],
    [{ max_tokens: 10, best_of: 3, tools: [{ type: 'url_context' }] }, 7, 42],
    [{}, 5000, 5000],
    [{}, null, 100_000],
    [{ stream: true }, 5000, 5000],
    [{ stream: true }, null, 4096],
    [{ stream: true, n: 3 }, null, 12_288],
    [{ stream: true, audio: {} }, null, 100_000],
  ] as [body: { stream?: boolean }, maxCompletionTokens: number | null, tokens: number][])(
    '%j at an endpoint that gives %d takes at most %d completion tokens',
    ({ stream, ...body }, maxCompletionTokens, tokens) => {
      const sized = requestSize(
        { messages: [{ role: 'user', content: 'hi' }], ...body },
        { isStreamed: stream === true },
      );
      expect(completionTokensOf(sized, at({ maxCompletionTokens }))).toBe(tokens);
    },
  );

  it('a stream whose model may think unseen reserves all that the context holds', () => {
    const sized = requestSize({ messages: [] }, { isStreamed: true });
    expect(completionTokensOf(sized, at({ supportedParameters: ['reasoning'] }))).toBe(100_000);
    expect(completionTokensOf(sized, at({ supportedParameters: ['reasoning'], contextLength: null }))).toBe(
      131_072,
    );
  });
});
