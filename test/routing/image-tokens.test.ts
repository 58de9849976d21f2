import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { promptTokensAt } from '../../src/routing/estimate/max-usage.js';
import { requestSize } from '../../src/routing/estimate/request-size.js';
import { imageOf, imageUrl } from '../support/images.js';
import { endpoint } from './contexts.js';

/** What counts of an image where nothing is known of the model. */
const UNKNOWN = 16_384;

const at = (modelId: string, upstreamModelId = 'upstream') => endpoint('a', { modelId, upstreamModelId });
const asked = (part: object) => ({ messages: [{ role: 'user', content: [part] }] });
const chatPart = (url: string, detail?: string) => ({
  type: 'image_url',
  image_url: { url, ...(detail && { detail }) },
});

/** Tokens of the part at the model, beyond those of the same part at a model of which nothing is known. */
function counted(part: object, modelId: string, upstreamModelId?: string): number {
  const size = requestSize(asked(part));
  return (
    UNKNOWN + promptTokensAt(size, at(modelId, upstreamModelId)) - promptTokensAt(size, at('test/unknown'))
  );
}

/** An image of so many pixels, as documents or measurements of `docs/providers/images.md` count it. */
const DOCUMENTED: readonly (readonly [model: string, width: number, height: number, tokens: number])[] = [
  ['openai/gpt-4o', 1_024, 1_024, 765],
  ['openai/gpt-4o', 2_048, 4_096, 1_105],
  ['openai/gpt-4o-mini', 1_024, 1_024, 25_501],
  ['openai/gpt-4o-mini', 2_048, 4_096, 36_835],
  ['openai/gpt-4.1', 1_024, 1_024, 765],
  ['openai/gpt-4.1-mini', 1_024, 1_024, 1_659],
  ['openai/gpt-4.1-nano', 1_024, 1_024, 2_520],
  ['openai/o4-mini', 1_800, 2_400, 2_498],
  ['openai/o3', 1_024, 1_024, 675],
  ['openai/gpt-5', 1_024, 1_024, 630],
  ['openai/gpt-5-mini', 2_048, 768, 1_844],
  ['openai/gpt-5-mini', 1_280, 720, 1_104],
  ['openai/gpt-5.2', 1_600, 1_600, 1_834],
  ['openai/gpt-5.4', 1_600, 1_600, 3_008],
  ['anthropic/claude-sonnet-4.5', 200, 200, 54],
  ['anthropic/claude-sonnet-4.5', 1_000, 1_000, 1_334],
  ['anthropic/claude-sonnet-4.5', 1_092, 1_092, 1_590],
  ['anthropic/claude-opus-4.6', 2_576, 1_700, 1_561],
  ['anthropic/claude-opus-4.7', 2_576, 1_456, 4_784],
  ['google/gemini-2.5-flash', 384, 384, 258],
  ['google/gemini-2.5-flash', 960, 540, 6 * 258],
  ['google/gemini-3-flash-preview', 4_000, 3_000, 2_240],
  ['qwen/qwen2.5-vl-72b-instruct', 1_260, 1_680, 2_700],
  ['qwen/qwen3-vl-plus', 1_024, 1_024, 1_024],
  ['qwen/qwen-vl-max', 8_000, 8_000, 16_384],
  ['mistralai/pixtral-12b', 1_024, 1_024, 4_160],
  ['mistralai/mistral-small-2506', 1_540, 1_540, 3_080],
  ['meta-llama/llama-4-scout', 4_000, 3_000, 17 * 144],
  ['meta-llama/llama-3.2-11b-vision-instruct', 1_120, 1_120, 6_404],
  ['x-ai/grok-4.3', 4_000, 3_000, 1_792],
];

const squares = (width: number, height: number, side: number) =>
  Math.ceil(width / side) * Math.ceil(height / side);

/** As documents describe it step by step: what is made of an image before its squares are counted. */
const HOSTS: readonly (readonly [model: string, count: (width: number, height: number) => number])[] = [
  ['openai/gpt-4o', (width, height) => openAiTiles(width, height, true)],
  ['openai/gpt-4o', (width, height) => openAiTiles(width, height, false)],
  ['openai/gpt-4.1-mini', (width, height) => openAiPatches(width, height, 1_536) * 1.62],
  ['openai/gpt-5.2', (width, height) => openAiPatches(width, height, 1_536) * 1.2],
  ['openai/gpt-5.4', (width, height) => openAiPatches(width, height, 10_000) * 1.2],
  ['anthropic/claude-sonnet-4.5', (width, height) => claudeArea(width, height, 1_568, 1_600)],
  ['anthropic/claude-opus-4.7', (width, height) => claudeArea(width, height, 2_576, 4_784)],
  ['qwen/qwen2.5-vl-72b-instruct', (width, height) => qwenSquares(width, height, 28)],
  ['qwen/qwen3-vl-plus', (width, height) => qwenSquares(width, height, 32)],
  ['mistralai/pixtral-12b', (width, height) => mistralSquares(width, height, 16, 1_024)],
  ['mistralai/mistral-small-2506', (width, height) => mistralSquares(height, width, 28, 1_540)],
];

function openAiTiles(width: number, height: number, isEnlarged: boolean): number {
  const fit = Math.min(1, 2_048 / Math.max(width, height));
  const short = 768 / (Math.min(width, height) * fit);
  const scale =
    fit * (isEnlarged ? Math.min(short, 2_048 / (Math.max(width, height) * fit)) : Math.min(1, short));
  return (
    85 + 170 * squares(Math.max(1, Math.floor(width * scale)), Math.max(1, Math.floor(height * scale)), 512)
  );
}

function openAiPatches(width: number, height: number, most: number): number {
  if (squares(width, height, 32) <= most) return squares(width, height, 32);
  const shrink = Math.sqrt((most * 32 ** 2) / (width * height));
  const [across, down] = [(width * shrink) / 32, (height * shrink) / 32];
  return Math.max(1, Math.floor(across)) * Math.max(1, Math.floor(down));
}

function claudeArea(width: number, height: number, longest: number, most: number): number {
  const shrink = Math.min(1, longest / Math.max(width, height));
  return Math.min(most, (width * shrink * height * shrink) / 750);
}

function qwenSquares(width: number, height: number, side: number): number {
  const [least, most] = [256 * side ** 2, 16_384 * side ** 2];
  const area = Math.round(width / side) * Math.round(height / side) * side ** 2;
  const scale =
    area > most ? Math.sqrt(most / (width * height)) : area < least ? Math.sqrt(least / (width * height)) : 1;
  const rounded = area > most ? Math.floor : area < least ? Math.ceil : Math.round;
  return Math.max(1, rounded((width * scale) / side)) * Math.max(1, rounded((height * scale) / side)) + 2;
}

function mistralSquares(width: number, height: number, side: number, longest: number): number {
  const shrink = Math.max(1, width / longest, height / longest);
  const sideOf = (pixels: number) => Math.floor((Math.max(1, Math.round(pixels / shrink)) - 1) / side) + 1;
  return (sideOf(width) + 1) * sideOf(height);
}

/** What the table may count beyond a host: another formula of the same host, an image that is made smaller, a margin. */
const MAX_BEYOND: Readonly<Record<string, number>> = {
  'openai/gpt-5': 2.7,
  'openai/gpt-5-mini': 1.4,
  'openai/gpt-4.1': 1.4,
  'openai/gpt-5.2': 1.4,
  'qwen/qwen3-vl-plus': 1.4,
};

describe('an image counts as at most so many tokens', () => {
  it.each(DOCUMENTED)('%s: %d by %d pixels, of which a host makes %d', (model, width, height, tokens) => {
    for (const type of ['png', 'jpeg', 'webp'] as const) {
      const most = counted(chatPart(imageUrl(type, width, height)), model);
      // Hosts frame an image by a few tokens; so does the estimate.
      expect(most).toBeGreaterThanOrEqual(tokens - 8);
      expect(most).toBeLessThanOrEqual(Math.ceil(tokens * (MAX_BEYOND[model] ?? 1.13)) + 20);
    }
  });

  it.each(HOSTS)('%s: never less than its hosts make of an image of any size', (model, count) => {
    const pixels = fc.oneof(fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 1, max: 16_000 }));
    const sizes = fc
      .tuple(pixels, pixels)
      .filter(([width, height]) => width < 100 * height && height < 100 * width);
    fc.assert(
      fc.property(sizes, ([width, height]) => {
        const most = counted(chatPart(imageUrl('png', width, height)), model);
        expect(most).toBeGreaterThanOrEqual(count(width, height));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['openai/gpt-4o', 85 + 8 * 170],
    ['openai/gpt-4o-mini', 48_169],
    ['openai/gpt-4.1-nano', 3_779],
    ['openai/gpt-5.5', 12_000],
    ['anthropic/claude-haiku-4.5', 1_761],
    ['anthropic/claude-opus-4', 1_761],
    ['anthropic/claude-opus-4-1-20250805', 1_761],
    ['anthropic/claude-sonnet-4-20250514', 1_761],
    ['anthropic/claude-3.5-sonnet', 1_761],
    ['anthropic/claude-opus-4.8', 5_263],
    ['anthropic/claude-sonnet-5', 5_263],
    ['anthropic/claude-fable-5', 5_263],
    ['google/gemini-2.5-pro', UNKNOWN],
    ['qwen/qwen3-vl-plus', UNKNOWN],
    ['mistralai/mistral-large-2512', 3_080],
    ['x-ai/grok-4.3', 1_972],
  ])('%s: as many as any image may be, where its size is not known', (model, most) => {
    const parts = [
      chatPart('https://example.com/a.png'),
      chatPart('data:image/png;base64,iVBORw0KGgo='),
      chatPart(`data:image/heic;base64,${'A'.repeat(1_000_000)}`),
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      { type: 'image', source: { type: 'file', file_id: 'file_1' } },
      { ...chatPart(imageUrl('png', 10, 10)), file_id: 'file_1' },
      { ...chatPart(imageUrl('png', 10, 10)), url: imageUrl('png', 9_000, 9_000) },
    ];
    const tokens = parts.map((part) => promptTokensAt(requestSize(asked(part)), at(model)));
    const none = parts.map((part) => promptTokensAt(requestSize(asked(part)), at('test/unknown')));
    for (const [index, part] of parts.entries()) {
      const media = Math.max(UNKNOWN, JSON.stringify(part).includes('heic') ? 125_003 : 0);
      expect(tokens[index]).toBe((none[index] ?? 0) - media + most);
    }
  });

  it.each([
    'test/unknown',
    'openai/gpt-5.6',
    'openai/gpt-5.4-mini',
    'openai/gpt-5-image',
    'google/gemini-flash-latest',
    'google/gemini-4-flash',
    'mistralai/mistral-medium-2604',
    'moonshotai/kimi-k2.6',
  ])('%s: 16,384, since nothing is known of it', (model) => {
    expect(counted(chatPart(imageUrl('png', 10, 10)), model)).toBe(UNKNOWN);
  });

  it('lets `detail` lower it only where that is documented, and where the host reads it', () => {
    const large = imageUrl('png', 6_000, 6_000);
    expect(counted(chatPart(large, 'low'), 'openai/gpt-4o')).toBe(85);
    expect(counted(chatPart(large, 'LOW'), 'openai/gpt-4o')).toBe(85 + 4 * 170);
    expect(counted({ ...chatPart(large), detail: 'low' }, 'openai/gpt-4o')).toBe(85 + 4 * 170);
    expect(counted(chatPart(large, 'low'), 'openai/gpt-5-mini')).toBe(2_489);
    expect(counted(chatPart(large, 'low'), 'openai/gpt-5.4')).toBe(12_000);
    expect(counted(chatPart(large, 'high'), 'openai/gpt-5.4')).toBe(3_000);
    expect(counted(chatPart(large, 'low'), 'anthropic/claude-opus-4.7')).toBe(5_263);
  });

  it('counts as the dearest model where an operator serves that under another id', () => {
    expect(counted(chatPart('https://example.com/a.png'), 'mine/small', 'gpt-4o-mini-2024-07-18')).toBe(
      48_169,
    );
  });

  it('counts the same in Messages, in results of tools too', () => {
    const source = { type: 'base64', media_type: 'image/png', data: imageOf('png', 1_092, 1_092, 1_000_000) };
    const image = { type: 'image', source };
    const result = { type: 'tool_result', tool_use_id: 'a', content: [image] };
    const tokensOf = (content: readonly object[]) => {
      const body = { messages: [{ role: 'user', content }], max_tokens: 10 };
      const url = `data:image/png;base64,${source.data}`;
      const chat = { messages: [{ role: 'user', content: content.map(() => chatPart(url)) }] };
      return promptTokensAt(
        requestSize(chat, { native: { format: 'messages', body } }),
        at('anthropic/claude-sonnet-4.5'),
      );
    };
    for (const block of [image, result]) {
      expect(tokensOf([block])).toBeGreaterThan(1_590);
      expect(tokensOf([block])).toBeLessThan(1_590 * 1.1 + 300);
      expect(tokensOf([block, block]) - tokensOf([block])).toBeLessThan(1_590 * 1.1 + 300);
    }
  });

  it('counts the images of a form that has fewer, where a request has two', () => {
    const chat = asked(chatPart(imageUrl('png', 100, 100)));
    const body = { messages: [{ role: 'user', content: 'nothing'.repeat(3_000) }] };
    const size = requestSize(chat, { native: { format: 'messages', body } });
    expect(promptTokensAt(size, at('anthropic/claude-sonnet-4.5'))).toBeGreaterThanOrEqual(21_000);
  });

  it('takes next to no time for a hundred images of 1 MB, whatever they claim to be', () => {
    const images = (['png', 'jpeg', 'webp', 'gif'] as const).map((type) =>
      imageUrl(type, 1_000, 1_000, 1_000_000),
    );
    const content = Array.from({ length: 100 }, (_, index) => chatPart(images[index % images.length] ?? ''));
    const size = requestSize({ messages: [{ role: 'user', content }] });
    const before = process.cpuUsage();
    promptTokensAt(size, at('anthropic/claude-sonnet-4.5'));
    const { user, system } = process.cpuUsage(before);
    // Some 1 to 2 ms on an idle machine.
    expect((user + system) / 1_000).toBeLessThan(50);
  });
});
