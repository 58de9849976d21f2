import { describe, expect, it } from 'vitest';
import { defaultFormats } from '../../../src/catalog/formats.js';
import { completionsUrl } from '../../../src/providers/openai/completions/request.js';
import type { CompletionHost } from '../../support/fakes/fake-completions.js';
import { bodyOf, type Row, recordOf } from '../../support/rest.js';
import { chunksIn, costOf, MODEL, startCompletions, textIn, UPSTREAM } from './completions.fixture.js';

const TEXT = 'return a + b';

describe('hosts of text completions', () => {
  it.each<[CompletionHost, string]>([
    ['plain', '/v1/completions'],
    ['vllm', '/v1/completions'],
    ['deepseek', '/beta/completions'],
    ['mistral', '/v1/fim/completions'],
  ])('%s is called where it has them, and answers with texts, whole and streamed', async (host, path) => {
    const { fakes, complete } = await startCompletions({ hosts: [host] });
    const whole = bodyOf(await complete({ max_tokens: 2 }));
    expect(whole).toMatchObject({ object: 'text_completion', usage: { cost: costOf(3, 2) } });
    expect(whole.choices).toEqual([
      expect.objectContaining({ index: 0, text: 'return a', finish_reason: 'length' }),
    ]);
    const chunks = chunksIn((await complete({ stream: true })).text);
    expect(textIn(chunks)).toBe(TEXT);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 7, cost: costOf(3, 4) } });
    expect(JSON.stringify([whole, chunks])).not.toMatch(/"(?:message|delta)"/);
    expect(fakes[0]?.requests.map((request) => [request.path, request.refused])).toEqual([
      [path, undefined],
      [path, undefined],
    ]);
  });

  it('are told in their own words: Mistral calls a seed random, and refuses options of streams', async () => {
    const { fakes, complete } = await startCompletions({ hosts: ['mistral'] });
    const answer = await complete({ stream: true, seed: 7, stream_options: { include_usage: true } });
    expect(answer.status, answer.text).toBe(200);
    expect(fakes[0]?.requests[0]?.body).toMatchObject({ random_seed: 7 });
    expect(fakes[0]?.requests[0]?.body).not.toHaveProperty('stream_options');
  });

  it('that refuse a suffix are followed by one that takes it', async () => {
    const { gateway, complete } = await startCompletions({ hosts: ['vllm', 'plain'] });
    const answer = await complete({ suffix: '\n', provider: { order: ['vllm', 'plain'] } });
    expect(bodyOf(answer).choices).toEqual([expect.objectContaining({ text: TEXT })]);
    const id = String(answer.headers['x-generation-id']);
    const record = recordOf(await gateway.manage('GET', `/generation?id=${id}`));
    expect((record.provider_responses as Row[]).map(({ provider, status }) => [provider, status])).toEqual([
      ['vllm', 400],
      ['plain', 200],
    ]);
  });

  it('that refuse a suffix, and nobody else is there, have the last word', async () => {
    const { complete } = await startCompletions({ hosts: ['vllm'] });
    const answer = await complete({ suffix: '\n' });
    expect(answer.status).toBe(400);
    expect(bodyOf(answer).error).toMatchObject({
      message: expect.stringContaining('suffix is not currently supported'),
      type: 'invalid_request_error',
    });
  });

  it('that refuse a member without which the answer is to the same question are asked without it', async () => {
    const { fakes, complete } = await startCompletions({ hosts: ['mistral'] });
    const answer = await complete({ presence_penalty: 0.5 });
    expect([answer.status, answer.headers['x-byway-adapted']]).toEqual([200, 'presence_penalty']);
    expect(fakes[0]?.requests).toHaveLength(2);
  });

  it('that refuse to tell the usage of a stream are asked without, and their texts are counted', async () => {
    const { gateway, fakes, complete } = await startCompletions();
    const error = { message: 'Unsupported', param: 'stream_options', code: 'unsupported_parameter' };
    fakes[0]?.plan(UPSTREAM, { status: 400, body: { error } }, {});
    for (const calls of [2, 3]) {
      const answer = await complete({ stream: true });
      expect(textIn(chunksIn(answer.text))).toBe(TEXT);
      expect(fakes[0]?.requests).toHaveLength(calls);
      expect(fakes[0]?.requests.at(-1)?.body).not.toHaveProperty('stream_options');
      const id = String(answer.headers['x-generation-id']);
      const record = recordOf(await gateway.manage('GET', `/generation?id=${id}`));
      expect(record).toMatchObject({ counted_by: 'estimate', tokens_completion: 3 });
    }
  });

  it('that answer in one piece although a stream was asked for are streamed nevertheless', async () => {
    const { complete } = await startCompletions({ plan: { isWhole: true } });
    const chunks = chunksIn((await complete({ stream: true, n: 2 })).text);
    expect(textIn(chunks)).toBe(TEXT + TEXT);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 8 } });
  });

  it.each([
    ['deepseek', 'https://proxy.example/deepseek', 'https://proxy.example/deepseek/beta/completions'],
    ['openai', null, 'https://api.openai.com/v1/completions'],
    ['deepseek', 'https://api.deepseek.com', 'https://api.deepseek.com/beta/completions'],
    ['mine', 'https://api.deepseek.com/v1/', 'https://api.deepseek.com/beta/completions'],
    ['mine', 'https://api.deepseek.com/beta', 'https://api.deepseek.com/beta/completions'],
    ['mistral', 'https://proxy.example/mistral/v1', 'https://proxy.example/mistral/v1/fim/completions'],
    ['codestral', 'https://codestral.mistral.ai/v1', 'https://codestral.mistral.ai/v1/fim/completions'],
    ['mine', 'http://localhost:8000/v1?a=b', 'http://localhost:8000/v1/completions?a=b'],
  ])('%s at %s is called at %s', (slug, baseUrl, url) => {
    expect(completionsUrl({ slug, baseUrl }, null).href).toBe(url);
  });

  it.each([
    ['deepseek', 'https://api.deepseek.com', 'deepseek-v4-flash', ['chat', 'completions']],
    ['deepseek', 'https://api.deepseek.com', 'deepseek-reasoner', ['chat']],
    ['mine', 'https://api.deepseek.com', 'deepseek-chat', ['chat', 'completions']],
    ['mistral', 'https://api.mistral.ai/v1', 'codestral-latest', ['chat', 'completions']],
    ['mistral', 'https://api.mistral.ai/v1', 'mistral-large-2512', ['chat']],
    [
      'fireworks',
      'https://api.fireworks.ai/inference/v1',
      'accounts/fireworks/models/deepseek-v3p1',
      ['chat', 'completions'],
    ],
    ['openai', null, 'gpt-3.5-turbo-instruct', ['completions']],
    ['openai', null, 'davinci-002', ['completions']],
    ['openai', null, 'gpt-5.2', ['chat', 'responses']],
    ['mine', 'http://localhost:8000/v1', 'qwen2.5-coder', ['chat']],
  ])('of %s at %s %s speaks %j where the catalogue names nothing', (slug, baseUrl, model, formats) => {
    const endpoint = { modelId: `${slug}/${model}`, upstreamModelId: model };
    const provider = { slug, adapter: 'openai', baseUrl } as const;
    expect(defaultFormats(endpoint, provider, { outputModalities: ['text'] })).toEqual(formats);
  });

  it('have them by default only where they are known to: elsewhere the catalogue names the format', async () => {
    const named = await startCompletions({ hosts: ['vllm'], formats: ['chat', 'completions'] });
    expect((await named.complete()).status).toBe(200);
    const silent = await startCompletions({ hosts: ['vllm'], formats: undefined });
    expect((await silent.complete()).status).toBe(400);
    const known = await startCompletions({ hosts: ['deepseek'], formats: undefined });
    expect(bodyOf(await known.complete())).toMatchObject({ model: MODEL });
  });
});
