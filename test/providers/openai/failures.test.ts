import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { InferenceDependencies } from '../../../src/inference/run/dependencies.js';
import { coveredReservation, shortTimeouts } from '../../support/chat.js';
import type { FakePlan } from '../../support/fakes/fake-openai/plan.js';
import { waitFor } from '../../support/wait-for.js';
import { ask, failOver as failOverOn, MODES, type Mode } from '../chat-checks.js';
import { chunk } from './adapter.fixture.js';
import { attemptAt, openAiBench } from './chat.fixture.js';

const CONTENT = 'Grüezi mitenand 👋🏽!';
const words = Array.from({ length: 60 }, (_, index) => `word${index} `);

const failOver = (mode: Mode, plan: FakePlan, overrides?: Partial<InferenceDependencies>) =>
  failOverOn(openAiBench, mode, plan, overrides);

describe.each(MODES)('a failure before the first content moves on to the next attempt, %s', (mode) => {
  const limited = { error: { message: 'Slow down', type: 'requests', code: 'rate_limit_exceeded' } };

  it.each<[string, FakePlan, object]>([
    [
      '429 once',
      { status: 429, body: limited, headers: { 'retry-after': '7' } },
      { status: 429, error: null },
    ],
    ['500 once', { status: 500, body: { error: { message: 'Oops' } } }, { status: 500, error: null }],
    ['a page of a proxy', { status: 503, body: '<html>busy</html>' }, { status: 503, error: null }],
    ['a reset before the head', { reset: true }, { status: null, error: 'reset' }],
    ['a body that breaks off at once', { cutAfterBytes: 0 }, { status: 200, error: 'reset' }],
  ])('%s', async (_, plan, response) => {
    const { text, first, generation, table } = await failOver(mode, plan);
    expect(text).toBe(CONTENT);
    expect(first).toMatchObject(response);
    expect(generation).toMatchObject({ endpoint: 'openai/sound', completionTokens: 4 });
    expect(generation?.providerResponses).toHaveLength(2);
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

  it('a provider that is down', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await waitFor(() => expect(closed.listening).toBe(true));
    const address = closed.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    await new Promise((resolve) => closed.close(resolve));
    const { table, fake } = await openAiBench({}, []);
    const attempts = [attemptAt(`http://127.0.0.1:${port}/v1`, 'm'), attemptAt(fake.baseUrl, 'm')];
    const { table: both } = await openAiBench({}, [], { admit: async () => coveredReservation(attempts) });
    expect((await ask(mode, both)).text).toBe(CONTENT);
    expect(both.generations[0]?.providerResponses[0]).toMatchObject({ status: null, error: 'connect' });
    expect(table.generations).toEqual([]);
  });

  it('a permanent 429: one request per attempt, then 429 with the smallest Retry-After', async () => {
    const plan = (seconds: string) => ({ status: 429, body: limited, headers: { 'retry-after': seconds } });
    const { table, fake } = await openAiBench({ a: plan('9'), b: plan('7') }, ['a', 'b']);
    const { thrown } = await ask(mode, table);
    expect(thrown).toMatchObject({ reason: 'upstream_rate_limited', retryAfterSeconds: 7 });
    expect(fake.requests).toHaveLength(2);
    expect(table.outcomes.map(({ outcome }) => outcome)).toEqual([
      { kind: 'rate_limited', retryAfterMs: 9000 },
      { kind: 'rate_limited', retryAfterMs: 7000 },
    ]);
  });

  it('a permanent 503: 502 with every attempt listed', async () => {
    const { table } = await openAiBench({ a: { status: 503 } }, ['a', 'a']);
    const { thrown } = await ask(mode, table);
    expect(thrown).toMatchObject({ reason: 'upstream_failed', httpStatus: 502 });
    expect(thrown).toHaveProperty('metadata.provider_responses.length', 2);
  });

  it('a prompt that is too long: 400 with the provider’s own limit', async () => {
    const message = "This model's maximum context length is 8192 tokens.";
    const plan = { status: 400, body: { error: { message, code: 'context_length_exceeded' } } };
    const { table } = await openAiBench({ a: plan }, ['a', 'a']);
    expect((await ask(mode, table)).thrown).toMatchObject({
      reason: 'context_length_exceeded',
      metadata: { context_length: 8192 },
    });
    expect(table.outcomes.map(({ outcome }) => outcome.kind)).toEqual(['invalid_request', 'invalid_request']);
  });

  it('filtered content ends the plan', async () => {
    const plan = { status: 400, body: { error: { message: 'No.', code: 'content_filter' } } };
    const { table, fake } = await openAiBench({ a: plan }, ['a', 'sound']);
    expect((await ask(mode, table)).thrown).toMatchObject({ reason: 'content_filter', message: 'No.' });
    expect(fake.requests).toHaveLength(1);
  });

  it('a wrong key is the key’s failure, and is never revealed', async () => {
    const wrong = 'sk-wrong-0123456789abcdefghij';
    const openCredential = async () => ({ adapter: 'openai', apiKey: wrong });
    const { table } = await openAiBench({}, ['m'], { openCredential });
    const { thrown } = await ask(mode, table);
    expect(thrown).toMatchObject({ reason: 'upstream_credential_refused' });
    expect(thrown).toHaveProperty('metadata.provider_responses.0.status', 401);
    const told = [
      JSON.stringify(thrown),
      String(thrown),
      JSON.stringify(table.generations, (_, v) => String(v)),
    ];
    expect(told.join()).not.toContain(wrong);
  });
});

describe('a stream that fails before its first content moves on (200, then an error)', () => {
  const role = chunk({ role: 'assistant', content: '' });

  it.each<[string, FakePlan, object]>([
    ['an error frame', { chunks: [role, { error: { message: 'x', code: 'slow_down' } }] }, { status: 503 }],
    ['no JSON', { chunks: [role, '{"choices":[{'] }, { status: 200, error: 'malformed' }],
    ['an end before the start', { chunks: [role] }, { status: 200, error: 'truncated' }],
    ['an end within an event', { endAfterBytes: 40 }, { status: 200, error: 'truncated' }],
  ])('%s', async (_, plan, response) => {
    const { text, first } = await failOver('stream', plan);
    expect(text).toBe(CONTENT);
    expect(first).toMatchObject(response);
  });
});

describe('a stream that breaks after content was sent', () => {
  const forty = words.slice(0, 40).map((content) => chunk({ content }));
  const idle = { timeouts: shortTimeouts({ idleMs: 1000 }) };

  it.each<[string, FakePlan, object]>([
    [
      'cut after 40 of 60 tokens',
      { chunks: forty, isDoneMissing: true, cutAfterBytes: 1e6 },
      { error: 'reset' },
    ],
    ['ended after 40 of 60 tokens', { chunks: forty, isDoneMissing: true }, { error: 'truncated' }],
    ['stalled', { words, stallAfter: 41 }, { error: 'timeout' }],
    ['malformed', { chunks: [...forty, '{"cho'] }, { error: 'malformed' }],
    ['with an error frame', { chunks: [...forty, { error: { message: 'x', code: 500 } }] }, { status: 500 }],
  ])('ends with an error chunk, what was produced is billed: %s', async (_, plan, response) => {
    const { table, fake } = await openAiBench({ m: plan }, ['m', 'sound'], 'stallAfter' in plan ? idle : {});
    const { chunks, text, thrown } = await ask('stream', table);
    expect(text).toBe(words.slice(0, 40).join(''));
    expect(chunks.at(-1)).toMatchObject({ error: { code: 502 }, choices: [{ finish_reason: 'error' }] });
    expect(chunks.some(({ usage }) => usage !== undefined)).toBe(false);
    expect(thrown).toMatchObject({ reason: 'upstream_failed' });
    expect(fake.requests).toHaveLength(1);
    const [generation] = table.generations;
    expect(generation).toMatchObject({ finishReason: 'error', completionTokens: Math.ceil(text.length / 4) });
    expect(generation?.providerResponses).toMatchObject([{ status: 200, ...response }]);
    expect(table.outcomes.map(({ outcome }) => outcome.kind)).toEqual(['failure']);
  });

  it('by [DONE] within the arguments of a call is not complete, though text is whatever [DONE] follows', async () => {
    const call = { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":' } };
    const cut = { chunks: [...forty, chunk({ tool_calls: [call] })] };
    const { table } = await openAiBench({ m: cut }, ['m']);
    expect((await ask('stream', table)).chunks.at(-1)).toMatchObject({ error: { code: 502 } });
    const { table: done } = await openAiBench({ m: { chunks: forty } }, ['m']);
    const { chunks, text, thrown } = await ask('stream', done);
    expect([text, thrown]).toEqual([words.slice(0, 40).join(''), undefined]);
    expect(chunks.at(-2)).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
  });

  it('is complete without [DONE], and without an end, once the finish has come', async () => {
    for (const isLeftOpen of [false, true]) {
      const plan = { isDoneMissing: true, isLeftOpen };
      const { table } = await openAiBench({ m: plan }, ['m'], isLeftOpen ? idle : {});
      const { chunks, text, thrown } = await ask('stream', table);
      expect(thrown).toBeUndefined();
      expect(text).toBe(CONTENT);
      expect(chunks.at(-1)?.usage).toMatchObject({ completion_tokens: 4 });
    }
  });

  it('leaves other streams unharmed', async () => {
    const { table } = await openAiBench({ a: { words, splitBytes: 13 } }, ['a']);
    const { table: bad } = await openAiBench({ b: { chunks: [...forty, '{"cho'] } }, ['b']);
    const pending = [ask('stream', table), ask('stream', bad), ask('stream', table)];
    const [first, second, third] = await Promise.all(pending);
    expect([first?.text, third?.text]).toEqual([words.join(''), words.join('')]);
    expect(second?.thrown).toBeDefined();
  });
});
