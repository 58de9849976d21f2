import { describe, expect, it } from 'vitest';
import type { InferenceDependencies } from '../../../src/inference/run/dependencies.js';
import { shortTimeouts } from '../../support/chat.js';
import { event } from '../../support/fakes/fake-bedrock/answer.js';
import { typed } from '../../support/fakes/fake-bedrock/errors.js';
import type { FakePlan } from '../../support/fakes/fake-bedrock/plan.js';
import { waitFor } from '../../support/wait-for.js';
import { ask, expectStreamAborted, failOver as failOverOn, MODES, type Mode } from '../chat-checks.js';
import { startTable } from './adapter.fixture.js';
import { bedrockBench } from './chat.fixture.js';

const CONTENT = 'Grüezi mitenand 👋🏽!';
const start = event('messageStart', { role: 'assistant' });
const textEvent = (text: string) => event('contentBlockDelta', { contentBlockIndex: 0, delta: { text } });

const failOver = (mode: Mode, plan: FakePlan, overrides?: Partial<InferenceDependencies>) =>
  failOverOn(bedrockBench, mode, plan, overrides);

describe.each(MODES)('a failure before the first content moves on to the next attempt, %s', (mode) => {
  it.each<[string, FakePlan, object]>([
    [
      '429',
      typed(429, 'ThrottlingException', 'Too many tokens, please wait before trying again.'),
      { status: 429 },
    ],
    ['403', typed(403, 'AccessDeniedException', 'No.'), { status: 403 }],
    ['424', typed(424, 'ModelErrorException', 'Oops'), { status: 424 }],
    ['500', typed(500, 'InternalServerException', 'Oops'), { status: 500 }],
    ['a page of a proxy', { status: 503, body: '<html>busy</html>' }, { status: 503 }],
    ['a reset before the head', { reset: true }, { status: null, error: 'reset' }],
    ['a body that breaks off at once', { cutAfterBytes: 0 }, { status: 200, error: 'reset' }],
  ])('%s', async (_, plan, response) => {
    const { text, first, generation, table } = await failOver(mode, plan);
    expect(text).toBe(CONTENT);
    expect(first).toMatchObject(response);
    expect(generation).toMatchObject({ endpoint: 'amazon-bedrock/sound', completionTokens: 4 });
    expect(table.outcomes.map(({ outcome }) => outcome.kind)).toEqual([
      first?.status === 429 ? 'rate_limited' : 'failure',
      'success',
    ]);
  });

  it.runIf(mode === 'stream').each([
    ['no first byte in time', { delayMs: 60_000 }, { firstByteMs: 1500 }, null],
    ['no content in time', { stallAfter: 0 }, { firstTokenMs: 1500 }, 200],
  ] as const)('%s, and the provider sees the end of it', async (_, plan, timeouts, status) => {
    const { text, first, fake } = await failOver(mode, plan, { timeouts: shortTimeouts(timeouts) });
    expect(text).toBe(CONTENT);
    expect(first).toMatchObject({ status, error: 'timeout' });
    await waitFor(() => expect(fake.aborts).toBe(1));
  });

  it('media that can’t be fetched: 400 with the reason, once all attempts have refused them', async () => {
    const { table, fake } = await bedrockBench({}, ['a', 'b']);
    const content = [{ type: 'image_url', image_url: { url: 'https://127.0.0.1:1/x.png' } }];
    const { thrown } = await ask(mode, table, { messages: [{ role: 'user', content }] });
    expect(thrown).toMatchObject({
      reason: 'upstream_invalid_request',
      message: expect.stringContaining('could not be fetched'),
    });
    expect(fake.requests).toEqual([]);
    expect(table.outcomes).toEqual([]);
  });

  it('a permanent 429: 429', async () => {
    const { table } = await bedrockBench({ a: typed(429, 'ThrottlingException', 'x') }, ['a', 'a']);
    expect((await ask(mode, table)).thrown).toMatchObject({ reason: 'upstream_rate_limited' });
  });
});

describe('a stream that fails before its first content moves on (200, then an error)', () => {
  it.each<[string, FakePlan, object]>([
    [
      'an exception',
      { frames: [start, { exception: 'throttlingException', payload: { message: 'x' } }] },
      { status: 429 },
    ],
    [
      'no frame',
      { frames: [start, Buffer.from('<html><body>Bad gateway</body></html>')] },
      { error: 'malformed' },
    ],
    ['an end before the start', { frames: [start] }, { status: 200, error: 'truncated' }],
    ['an end within a frame', { endAfterBytes: 40 }, { status: 200, error: 'truncated' }],
  ])('%s', async (_, plan, response) => {
    const { text, first } = await failOver('stream', plan);
    expect(text).toBe(CONTENT);
    expect(first).toMatchObject(response);
  });
});

describe('a stream that breaks after content was sent', () => {
  const forty = Array.from({ length: 40 }, (_, index) => textEvent(`word${index} `));
  const text = Array.from({ length: 40 }, (_, index) => `word${index} `).join('');
  const idle = { timeouts: shortTimeouts({ idleMs: 1000 }) };

  it.each<[string, FakePlan, object]>([
    ['cut', { frames: [start, ...forty], cutAfterBytes: 1e6 }, { error: 'reset' }],
    ['ended without a messageStop', { frames: [start, ...forty] }, { error: 'truncated' }],
    ['stalled', { frames: [start, ...forty, textEvent('more')], stallAfter: 41 }, { error: 'timeout' }],
    ['malformed', { frames: [start, ...forty, Buffer.alloc(20)] }, { error: 'malformed' }],
    [
      'with an exception',
      { frames: [start, ...forty, { exception: 'modelStreamErrorException' }] },
      { status: 424 },
    ],
    [
      'spoiled by the model',
      { frames: [start, ...forty, event('messageStop', { stopReason: 'malformed_tool_use' })] },
      { error: 'malformed' },
    ],
  ])('ends with an error chunk, what was produced is billed: %s', async (_, plan, response) => {
    const { table, fake } = await bedrockBench({ m: plan }, ['m', 'sound'], 'stallAfter' in plan ? idle : {});
    const { chunks, text: received, thrown } = await ask('stream', table);
    expect(received).toBe(text);
    expect(chunks.at(-1)).toMatchObject({ error: { code: 502 }, choices: [{ finish_reason: 'error' }] });
    expect(thrown).toMatchObject({ reason: 'upstream_failed' });
    expect(fake.requests).toHaveLength(1);
    const [generation] = table.generations;
    expect(generation).toMatchObject({ finishReason: 'error', completionTokens: Math.ceil(text.length / 4) });
    expect(generation?.providerResponses).toMatchObject([response]);
  });

  it('is complete without its usage, and without an end, once the finish has come', async () => {
    const frames = [start, ...forty, event('messageStop', { stopReason: 'end_turn' })];
    for (const isLeftOpen of [false, true]) {
      const { table } = await bedrockBench({ m: { frames, isLeftOpen } }, ['m'], isLeftOpen ? idle : {});
      const { chunks, text: received, thrown } = await ask('stream', table);
      expect(thrown).toBeUndefined();
      expect(received).toBe(text);
      expect(chunks.at(-1)?.usage).toMatchObject({ completion_tokens: Math.ceil(text.length / 4) });
    }
  });
});

describe('a client that goes away (the upstream is aborted at once)', () => {
  it.each<[string, FakePlan]>([
    ['before the head', { delayMs: 60_000 }],
    ['before the first content', { stallAfter: 1 }],
    ['in the middle of an endless answer', { frames: [textEvent('on and on ')], isEndless: true }],
    ['while the answer stalls', { stallAfter: 3 }],
  ])('%s', async (_, plan) => {
    await expectStreamAborted(bedrockBench, plan);
  });

  it('by ending the iteration', async () => {
    const { adapter, call, fake } = await startTable({ frames: [textEvent('x')], isEndless: true });
    for await (const one of adapter.stream(call())) if (one.type === 'delta') break;
    await waitFor(() => expect(fake.aborts).toBe(1));
  });
});

describe('connections', () => {
  it('are used again: after answers, streams and refusals', async () => {
    const { fake, complete, stream } = await startTable();
    fake.plan('busy', { status: 503, body: '<html>'.padEnd(20_000, 'x') });
    for (let round = 0; round < 3; round += 1) {
      await complete();
      await stream();
      await complete({ model: 'busy' }).catch(() => undefined);
      await stream({ model: 'busy' });
    }
    expect(fake.requests).toHaveLength(12);
    // A stream is done before its connection is: the next request need not wait for that.
    expect(fake.connections).toBeLessThanOrEqual(4);
  });

  it('follow no redirect, and take the key nowhere', async () => {
    const other = await startTable();
    const { fake, complete } = await startTable({
      status: 307,
      headers: { location: `${other.fake.baseUrl}/model/m/converse` },
    });
    await expect(complete()).rejects.toMatchObject({ kind: 'upstream_error', status: 307 });
    expect(fake.requests).toHaveLength(1);
    expect(other.fake.requests).toEqual([]);
  });
});
