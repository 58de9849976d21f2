import { describe, expect, it } from 'vitest';
import { defaultFormats } from '../../src/catalog/formats.js';
import { convertFormats } from '../../src/catalog/models-dev/formats.js';

const TEXT = { outputModalities: ['text'] } as const;
const openai = (model: string) =>
  defaultFormats(
    { modelId: `openai/${model}`, upstreamModelId: model },
    { slug: 'openai', adapter: 'openai', baseUrl: null },
    TEXT,
  );
const azure = (modelId: string) =>
  defaultFormats(
    { modelId, upstreamModelId: 'prod' },
    { slug: 'azure', adapter: 'azure', baseUrl: null },
    TEXT,
  );

/** https://developers.openai.com/api/docs/models, https://github.com/truefoundry/models/pull/2006 (2026-11-26). */
describe('what models of OpenAI’s speak that name no format', () => {
  it.each([
    ...[
      'gpt-4o',
      'gpt-4.1-mini',
      'gpt-3.5-turbo',
      'gpt-4',
      'gpt-5',
      'gpt-5-chat-latest',
      'gpt-5.1',
      'gpt-5.2',
    ],
    ...['o1', 'o3', 'o3-mini', 'o4-mini', 'chatgpt-4o-latest', 'gpt-5.4-nano'],
  ])('%s: chats and responses', (model) => {
    expect(openai(model)).toEqual(['chat', 'responses']);
  });

  it.each([
    ...['o1-pro', 'o1-pro-2025-03-19', 'o3-pro', 'gpt-5-pro', 'gpt-5-pro-2025-10-06', 'gpt-5.2-pro'],
    ...['gpt-5-codex', 'gpt-5.1-codex', 'gpt-5.1-codex-max', 'gpt-5.1-codex-mini', 'codex-mini-latest'],
    ...['o3-deep-research', 'o4-mini-deep-research-2025-06-26', 'computer-use-preview'],
  ])('%s: responses alone', (model) => {
    expect(openai(model)).toEqual(['responses']);
    expect(azure(`openai/${model}`)).toEqual(['responses']);
    expect(convertFormats(`openai/${model}`, 'openai', ['text'])).toEqual(['responses']);
  });

  it.each([
    ...['gpt-4o-search-preview', 'gpt-4o-mini-search-preview-2025-03-11', 'gpt-5-search-api'],
    ...['gpt-4o-audio-preview', 'gpt-audio', 'gpt-audio-mini', 'o1-mini'],
  ])('%s: chats alone', (model) => {
    expect(openai(model)).toEqual(['chat']);
  });

  it('at Azure older ones have chats alone, and models of others too', () => {
    for (const model of [
      'gpt-3.5-turbo-0125',
      'gpt-4',
      'gpt-4-turbo',
      'gpt-4-32k',
      'o1-mini',
      'gpt-oss-120b',
    ])
      expect([model, azure(`openai/${model}`)]).toEqual([model, ['chat']]);
    for (const model of ['gpt-4o', 'gpt-4.1', 'gpt-5', 'o1', 'o3-mini'])
      expect([model, azure(`openai/${model}`)]).toEqual([model, ['chat', 'responses']]);
    expect(azure('deepseek/deepseek-v3')).toEqual(['chat']);
  });

  it('elsewhere their models have chats alone', () => {
    const named = { modelId: 'openai/gpt-5-codex', upstreamModelId: 'openai/gpt-5-codex' };
    expect(defaultFormats(named, { slug: 'openrouter', adapter: 'openai', baseUrl: null }, TEXT)).toEqual([
      'chat',
    ]);
    expect(convertFormats('openai/gpt-5-codex', 'openrouter', ['text'])).toBeNull();
  });
});
