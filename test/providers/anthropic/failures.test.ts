import { describe, expect, it, vi } from 'vitest';
import { Problem } from '../../../src/base/problem.js';
import type { InferenceDependencies } from '../../../src/inference/run/dependencies.js';
import { chatRequest, drain, shortTimeouts } from '../../support/chat.js';
import { eventsOf } from '../../support/fakes/fake-anthropic/answer.js';
import { error } from '../../support/fakes/fake-anthropic/errors.js';
import type { FakePlan } from '../../support/fakes/fake-anthropic/plan.js';
import { waitFor } from '../../support/wait-for.js';
import {
  ask,
  expectAnswerAborted,
  expectStreamAborted,
  failOver as failOverOn,
  MODES,
  type Mode,
} from '../chat-checks.js';
import { anthropicBench, startTable } from './adapter.fixture.js';

const CONTENT = 'Grüezi mitenand 👋🏽!';
const words = Array.from({ length: 60 }, (_, index) => `word${index} `);
const CALL = { model: 'm', max_tokens: 100, messages: [] };
const overloaded = Object(error(529, 'overloaded_error', 'Overloaded').body);

const failOver = (mode: Mode, plan: FakePlan, overrides?: Partial<InferenceDependencies>) =>
  failOverOn(anthropicBench, mode, plan, overrides);

const usage = { input_tokens: 12 };

/** The events of 40 of 60 words, without an end. */
const forty = [...eventsOf(CALL, { words, usage })].slice(0, 43);
const begun = [...eventsOf(CALL, {})].slice(0, 3);

describe.each(MODES)('a failure before the first content moves on, %s', (mode) => {
  it.each<[string, FakePlan, object]>([
    ['429', error(429, 'rate_limit_error', 'Slow down'), { status: 429, error: null }],
    ['500', error(500, 'api_error', 'Oops'), { status: 500, error: null }],
    ['529', error(529, 'overloaded_error', 'Overloaded'), { status: 529, error: null }],
    ['a page of a proxy', { status: 503, body: '<html>busy</html>' }, { status: 503, error: null }],
    ['a reset before the head', { reset: true }, { status: null, error: 'reset' }],
    ['a body that breaks off at once', { cutAfterBytes: 0 }, { status: 200, error: 'reset' }],
  ])('%s', async (_, plan, response) => {
    const { text, first, generation, table } = await failOver(mode, plan);
    expect(text).toBe(CONTENT);
    expect(first).toMatchObject(response);
    expect(generation?.providerResponses).toHaveLength(2);
    const limited = first?.status === 429 || first?.status === 529;
    expect(table.outcomes[0]?.outcome.kind).toBe(limited ? 'rate_limited' : 'failure');
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

  it('a permanent 529: one request per attempt, then 429 with the smallest wait', async () => {
    const plan = (seconds: string) => ({
      ...error(529, 'overloaded_error', 'Overloaded'),
      headers: { 'retry-after': seconds },
    });
    const { table, fake } = await anthropicBench({ a: plan('9'), b: plan('7') }, ['a', 'b']);
    const { thrown } = await ask(mode, table);
    expect(thrown).toMatchObject({ reason: 'upstream_rate_limited', retryAfterSeconds: 7 });
    expect(fake.requests).toHaveLength(2);
  });

  it('a prompt that is too long: 400 with the provider’s own counts', async () => {
    const message = 'prompt is too long: 210000 tokens > 200000 maximum';
    const { table } = await anthropicBench({ a: error(400, 'invalid_request_error', message) }, ['a', 'a']);
    expect((await ask(mode, table)).thrown).toMatchObject({
      reason: 'context_length_exceeded',
      metadata: { prompt_tokens: 210_000, context_length: 200_000 },
    });
  });

  it('content that the API does not take: 400 without any request', async () => {
    const { table, fake } = await anthropicBench({}, ['m']);
    const content = [{ type: 'input_audio', input_audio: {} }];
    const request = chatRequest({ messages: [{ role: 'user', content }] });
    const pending = mode === 'stream' ? drain(table.chat.stream(request)) : table.chat.complete(request);
    const thrown = await pending.then(Object, (failure: unknown) => ({ thrown: failure }));
    expect(thrown.thrown).toMatchObject({ reason: 'upstream_invalid_request' });
    expect(fake.requests).toHaveLength(0);
  });

  it('a refusal of the model is its answer, not a failure', async () => {
    const { table, fake } = await anthropicBench({ a: { content: [], stopReason: 'refusal' } }, [
      'a',
      'sound',
    ]);
    const { thrown, text } = await ask(mode, table);
    expect({ thrown, text }).toEqual({ thrown: undefined, text: '' });
    expect(table.generations[0]).toMatchObject({
      finishReason: 'content_filter',
      nativeFinishReason: 'refusal',
    });
    expect(fake.requests).toHaveLength(1);
  });
});

describe('a stream that fails before its first content moves on', () => {
  it.each<[string, FakePlan, object]>([
    ['an error event', { events: [...begun, overloaded] }, { status: 529, error: null }],
    ['no JSON', { events: [...begun, '{"type":'] }, { status: 200, error: 'malformed' }],
    ['an end before the start', { events: begun }, { status: 200, error: 'truncated' }],
    ['an end within an event', { endAfterBytes: 40 }, { status: 200, error: 'truncated' }],
  ])('%s', async (_, plan, response) => {
    const { text, first } = await failOver('stream', plan);
    expect(text).toBe(CONTENT);
    expect(first).toMatchObject(response);
  });
});

describe('a stream that breaks after content was sent', () => {
  it.each<[string, FakePlan, object]>([
    ['an end without its last events', { events: forty }, { status: 200, error: 'truncated' }],
    [
      'an end without message_stop',
      { words, usage, isStopMissing: true },
      { status: 200, error: 'truncated' },
    ],
    ['an error event', { events: [...forty, overloaded] }, { status: 529, error: null }],
    ['a reset', { words, usage, cutAfterBytes: 3000 }, { status: 200, error: 'reset' }],
    ['a stall', { words, usage, stallAfter: 43 }, { status: 200, error: 'timeout' }],
  ])('%s: ends with an error chunk, what was produced is billed', async (_, plan, response) => {
    const timeouts = shortTimeouts({ idleMs: 1000 });
    const { table, fake } = await anthropicBench({ m: plan }, ['m', 'sound'], { timeouts });
    const { chunks, text, thrown } = await ask('stream', table);
    expect(text).toContain('word10 ');
    expect(chunks.at(-1)).toMatchObject({ error: {}, choices: [{ finish_reason: 'error' }] });
    expect(chunks.some(({ usage }) => usage !== undefined)).toBe(false);
    expect(thrown).toBeInstanceOf(Problem);
    expect(fake.requests).toHaveLength(1);
    const [generation] = table.generations;
    expect(generation).toMatchObject({ finishReason: 'error', providerResponses: [response] });
    expect(generation?.promptTokens).toBe(usage.input_tokens);
    const isCounted = plan.isStopMissing === true;
    expect(generation?.completionTokens).toBe(isCounted ? 60 : Math.ceil(text.length / 4));
  });
});

describe('a client that goes away (the upstream is aborted at once)', () => {
  it.each<[string, FakePlan]>([
    ['before the head', { delayMs: 60_000 }],
    ['before the first content', { stallAfter: 2 }],
    ['in the middle of an endless answer', { events: forty.slice(3, 5), isEndless: true }],
    ['while the answer stalls', { words, stallAfter: 20 }],
  ])('%s', async (_, plan) => {
    await expectStreamAborted(anthropicBench, plan);
  });

  it('while an answer in one piece is made', async () => {
    await expectAnswerAborted(anthropicBench, { stallAfter: 0 });
  });

  it('by ending the iteration', async () => {
    const { adapter, call, fake } = await startTable({ events: forty.slice(3, 5), isEndless: true });
    for await (const event of adapter.stream(call())) if (event.type === 'delta') break;
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
      await complete({ body: { model: 'busy' } }).catch(() => undefined);
      await stream({ body: { model: 'busy' } });
    }
    expect(fake.requests).toHaveLength(12);
    // A stream is done before its connection is: the next request need not wait for that.
    expect(fake.connections).toBeLessThanOrEqual(4);
  });

  it('are released at the end of the message, even if the provider keeps them open', async () => {
    const { stream } = await startTable({ isLeftOpen: true });
    const { events, thrown } = await stream();
    expect(thrown).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
  });

  it('report their first byte only for a successful response', async () => {
    const { fake, complete, stream } = await startTable();
    fake.plan('busy', { status: 503 });
    const onFirstByte = vi.fn();
    await complete({ endpoint: { upstreamModelId: 'busy' }, onFirstByte }).catch(() => undefined);
    expect(onFirstByte).not.toHaveBeenCalled();
    await complete({ onFirstByte });
    await stream({ onFirstByte });
    expect(onFirstByte).toHaveBeenCalledTimes(2);
  });
});
