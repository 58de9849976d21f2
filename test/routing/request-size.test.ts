import { describe, expect, it } from 'vitest';
import { maxCostAt } from '../../src/ledger/price.js';
import { maxUsageOf, requestSize } from '../../src/routing/estimate/request-size.js';

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
