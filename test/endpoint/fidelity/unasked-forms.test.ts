import { describe, expect, it } from 'vitest';
import { CONTENT, startProviders } from '../../support/providers.js';
import type { Row } from '../../support/rest.js';
import { messageOf, onPlatforms } from './platform.js';

const SLUGS = [
  'openai',
  'anthropic',
  'azure-catalog',
  'bedrock-key',
  'vertex-gemini',
  'vertex-claude',
  'vertex-open',
];
const ENCODINGS = ['gzip', 'deflate', 'br'] as const;

describe.each(SLUGS)('F24: an answer in another form than was asked for, at %s', (slug) => {
  const { ask, stream, plan } = onPlatforms();

  it('in one piece instead of a stream, is streamed to the client', async () => {
    plan(slug, { isWhole: true });
    const chunks = await stream(slug);
    expect(textOf(chunks)).toBe(CONTENT);
    expect(chunks.at(-2)).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { completion_tokens: expect.toSatisfy(isPositive) },
    });
  });

  it('the same with a call of a tool', async () => {
    plan(slug, { isWhole: true });
    const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }];
    const calls = (await stream(slug, { tools })).flatMap(
      ({ choices }) => ((choices as Row[])[0]?.delta as Row | undefined)?.tool_calls ?? [],
    );
    expect(calls).toMatchObject([{ index: 0, function: { name: 'weather' } }]);
  });

  it.each(ENCODINGS)('compressed as %s, is read, streamed or not', async (encoding) => {
    plan(slug, { encoding });
    expect(messageOf(await ask(slug)).content).toBe(CONTENT);
    expect(textOf(await stream(slug))).toBe(CONTENT);
  });
});

describe('F24: what its head says an answer is', () => {
  it('a stream labelled as JSON is still a stream', async () => {
    // https://github.com/microsoft/foundry-dev-tools/issues/195
    const gateway = await startProviders('shared capacity');
    gateway.alpha.plan('m', { headers: { 'content-type': 'application/json' } });
    expect(await gateway.ask('streamed')).toMatchObject({
      content: CONTENT,
      isDone: true,
      provider: 'alpha',
    });
  });

  it('an error in one piece instead of a stream is that error', async () => {
    const gateway = await startProviders('shared capacity');
    gateway.alpha.plan('m', { isWhole: true, answer: { error: { message: 'Busy', code: 503 } } });
    expect(await gateway.ask('streamed')).toMatchObject({ content: CONTENT, provider: 'beta' });
  });

  it.each([
    ['no gzip', { headers: { 'content-encoding': 'gzip' } }],
    ['an unknown encoding', { headers: { 'content-encoding': 'zzz' }, encoding: 'gzip' }],
    ['gzip that breaks off', { encoding: 'gzip', endAfterBytes: 40 }],
  ] as const)('%s fails the attempt', async (_, broken) => {
    const gateway = await startProviders('shared capacity');
    gateway.alpha.plan('m', broken);
    for (const mode of ['in one piece', 'streamed'] as const) {
      expect(await gateway.ask(mode)).toMatchObject({ content: CONTENT, provider: 'beta' });
    }
  });

  it('a few bytes that decode to very many do not fill memory', async () => {
    const gateway = await startProviders('shared capacity');
    const content = 'x'.repeat(80 * 1024 * 1024);
    const message = { role: 'assistant', content };
    gateway.alpha.plan('m', { encoding: 'gzip', answer: { choices: [{ index: 0, message }] } });
    expect(await gateway.ask('in one piece')).toMatchObject({ content: CONTENT, provider: 'beta' });
  });
});

function textOf(chunks: readonly Row[]): string {
  return chunks
    .map(({ choices }) => ((choices as Row[])[0]?.delta as Row | undefined)?.content ?? '')
    .join('');
}

function isPositive(count: number): boolean {
  return count > 0;
}
