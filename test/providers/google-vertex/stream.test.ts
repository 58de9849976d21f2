import { describe, expect, it, vi } from 'vitest';
import { chatRequest, contentOf, drain } from '../../support/chat.js';
import type { FakePlan } from '../../support/fakes/fake-vertex/plan.js';
import { waitFor } from '../../support/wait-for.js';
import { assembled } from '../anthropic/adapter.fixture.js';
import { MODEL, startTable, vertexBench } from './adapter.fixture.js';

const CONTENT = 'Grüezi mitenand 👋🏽!';
const OTHERS = ['claude-haiku-4-5@20251001', 'meta/llama-4-maverick'];
const chunk = (text: string, more: object = {}) => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, ...more }],
});
const end = { finishReason: 'STOP' };

describe('a stream', () => {
  it.each([MODEL, ...OTHERS])('of %s is the same in whatever pieces its bytes come', async (model) => {
    for (const splitBytes of [1, 2, 3, 7, 50]) {
      const { stream } = await startTable({ splitBytes }, model);
      const { events, thrown } = await stream();
      expect(thrown).toBeUndefined();
      expect(assembled(events).content).toBe(CONTENT);
      expect(events.filter(({ type }) => type === 'finish')).toHaveLength(1);
      expect(events.findLast(({ type }) => type === 'usage')).toMatchObject({ usage: { promptTokens: 2 } });
    }
  });

  it('needs no last blank line', async () => {
    const { stream } = await startTable({ isBlankLineMissing: true });
    expect(assembled((await stream()).events).content).toBe(CONTENT);
  });

  it('reports the first byte before it is read', async () => {
    const onFirstByte = vi.fn();
    const { adapter, call } = await startTable({ stallAfter: 0 });
    const controller = new AbortController();
    const events = adapter.stream(call({ onFirstByte, signal: controller.signal }))[Symbol.asyncIterator]();
    const first = events.next();
    await waitFor(() => expect(onFirstByte).toHaveBeenCalledOnce());
    controller.abort();
    await expect(first).rejects.toThrow();
  });

  it('keeps choices apart', async () => {
    const { stream } = await startTable();
    const { events } = await stream({ body: { n: 2 } });
    for (const index of [0, 1]) {
      const own = events.filter((event) => 'index' in event && event.index === index);
      expect(assembled(own).content).toBe(CONTENT);
      expect(own.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
    }
  });

  it('signs a call with its last text, even an empty one', async () => {
    const last = { candidates: [{ content: { parts: [{ text: '', thoughtSignature: 's' }] }, ...end }] };
    const { stream } = await startTable({ chunks: [chunk('Hi'), last] });
    const { content, reasoning_details } = assembled((await stream()).events);
    expect(content).toBe('Hi');
    expect(reasoning_details).toMatchObject([{ data: 's', format: 'google-gemini-v1' }]);
  });

  it('ignores what is no part of the answer', async () => {
    const odd = { candidates: [{ content: { parts: [{ executableCode: { code: '1' } }, 7, null] } }] };
    const { stream } = await startTable({
      chunks: [{}, odd, { candidates: [] }, chunk('Hi', end), chunk('late')],
    });
    const { events, thrown } = await stream();
    expect(thrown).toBeUndefined();
    expect(assembled(events).content).toBe('Hi');
  });
});

const FAILURES: [string, FakePlan, object][] = [
  ['is cut', { cutAfterBytes: 300 }, { error: 'reset' }],
  ['ends before its end', { chunks: [chunk('Grüezi')] }, { error: 'truncated' }],
  ['ends in the middle of an event', { endAfterBytes: 300 }, { error: 'truncated' }],
  ['has a chunk that is no JSON', { chunks: [chunk('Grüezi'), '{"candi'] }, { error: 'malformed' }],
  [
    'has an error in it',
    { chunks: [chunk('Grüezi'), { error: { code: 503, message: 'said', status: 'UNAVAILABLE' } }] },
    { kind: 'upstream_error', status: 503, message: 'said' },
  ],
  [
    'has an error in a list',
    { chunks: [chunk('Grüezi'), [{ error: { code: 429, message: 'said', status: 'RESOURCE_EXHAUSTED' } }]] },
    { kind: 'rate_limit', status: 429 },
  ],
];

describe('a stream that breaks off is an error, never an answer that looks complete,', () => {
  it.each(FAILURES)('because it %s', async (_, plan, failure) => {
    const { stream } = await startTable(plan);
    const { events, thrown } = await stream();
    expect(events.some(({ type }) => type === 'finish')).toBe(false);
    if (thrown !== undefined) expect(thrown).toMatchObject(failure);
    const { table } = await vertexBench({ [MODEL]: plan }, [MODEL]);
    const { chunks } = await drain(table.chat.stream(chatRequest()));
    expect(chunks.at(-1)).toMatchObject({ choices: [{ finish_reason: 'error' }], error: {} });
    expect(table.outcomes).toMatchObject([{ outcome: { kind: expect.not.stringMatching('success') } }]);
  });

  it.each(OTHERS)('of %s', async (model) => {
    const { table } = await vertexBench({ [model]: { endAfterBytes: 900 } }, [model]);
    const { chunks, thrown } = await drain(table.chat.stream(chatRequest()));
    if (thrown === undefined) expect(chunks.at(-1)).toMatchObject({ choices: [{ finish_reason: 'error' }] });
    else expect(thrown).toMatchObject({ reason: 'upstream_failed' });
  });
});

describe('a failure before the first content moves on to the next attempt', () => {
  it.each<[string, FakePlan]>([
    ['429', { status: 429, body: { error: { code: 429, message: 'Resource exhausted.' } } }],
    ['a broken connection', { reset: true }],
    ['an empty stream', { chunks: [] }],
    ['a lost model', { parts: [], finishReason: 'MALFORMED_FUNCTION_CALL' }],
    ['thoughts about nothing', { chunks: [{ usageMetadata: { promptTokenCount: 1 } }] }],
  ])('%s', async (_, plan) => {
    const { table, fake } = await vertexBench({ 'gemini-3.5-flash': plan }, ['gemini-3.5-flash', MODEL]);
    const { chunks, thrown } = await drain(table.chat.stream(chatRequest()));
    expect(thrown).toBeUndefined();
    expect(contentOf(chunks)).toBe(CONTENT);
    expect(fake.requests).toHaveLength(2);
    expect(fake.tokens).toHaveLength(1);
  });

  it('except where the prompt was refused', async () => {
    const plan = { chunks: [{ promptFeedback: { blockReason: 'SAFETY' } }] };
    const { table, fake } = await vertexBench({ 'gemini-3.5-flash': plan }, ['gemini-3.5-flash', MODEL]);
    const { thrown } = await drain(table.chat.stream(chatRequest()));
    expect(thrown).toMatchObject({ reason: 'content_filter' });
    expect(fake.requests).toHaveLength(1);
  });
});

describe('a client that goes away (the upstream is aborted at once)', () => {
  it.each<[string, FakePlan]>([
    ['before the head', { delayMs: 60_000 }],
    ['before the first content', { stallAfter: 0 }],
    ['in the middle of an endless answer', { chunks: [chunk('on and on ')], isEndless: true }],
  ])('%s', async (_, plan) => {
    const { table, fake } = await vertexBench({ [MODEL]: plan }, [MODEL]);
    const client = new AbortController();
    const pending = drain(table.chat.stream(chatRequest({}, client.signal)));
    await waitFor(() => expect(fake.requests).toHaveLength(1));
    expect(fake.aborts).toBe(0);
    client.abort();
    expect((await pending).thrown).toMatchObject({ reason: 'client_closed' });
    await waitFor(() => expect(fake.aborts).toBe(1));
    expect(table.outcomes).toEqual([]);
  });

  it('while its token is requested', async () => {
    const { fake, complete } = await startTable();
    fake.planTokens({ stallAfter: 0 });
    const client = new AbortController();
    const pending = complete({ signal: client.signal });
    await waitFor(() => expect(fake.tokenRequests).toHaveLength(1));
    client.abort(new Error('gone'));
    await expect(pending).rejects.toThrow('gone');
    expect(fake.requests).toEqual([]);
  });

  it('by ending the iteration', async () => {
    const { adapter, call, fake } = await startTable({ chunks: [chunk('x')], isEndless: true });
    for await (const event of adapter.stream(call())) if (event.type === 'delta') break;
    await waitFor(() => expect(fake.aborts).toBe(1));
  });
});

describe('connections', () => {
  it('are used again: after answers, streams and refusals', async () => {
    const { fake, complete, stream } = await startTable();
    fake.plan('gemini-busy', { status: 503, body: '<html>'.padEnd(20_000, 'x') });
    const endpoint = { upstreamModelId: 'gemini-busy' };
    for (let round = 0; round < 3; round += 1) {
      await complete();
      await stream();
      await complete({ endpoint }).catch(() => undefined);
      await stream({ endpoint });
    }
    expect(fake.requests).toHaveLength(12);
    expect(fake.connections).toBeLessThanOrEqual(4);
  });
});
