import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { Signal } from '../../src/base/signal.js';
import type { ChatChunk } from '../../src/formats/chat/types.js';
import type { UpstreamEvent } from '../../src/inference/ports/adapter.js';
import { UpstreamFailure } from '../../src/inference/ports/failure.js';
import { NO_SETTLEMENT } from '../../src/ledger/settlement.js';
import {
  bench,
  chatRequest,
  contentOf,
  drain,
  finish,
  NOW,
  type ScriptedStream,
  scriptedAdapter,
  sharedAttempt,
  shortTimeouts,
  streaming,
  word,
} from '../support/chat.js';

function scriptedBench(...streams: readonly ScriptedStream[]) {
  const { adapter, calls } = scriptedAdapter(...streams);
  const attempts = streams.map((_, index) => sharedAttempt(`attempt-${index}`));
  return { calls, ...bench(attempts, { adapters: new Map([['demo', adapter]]) }) };
}

const usage = (promptTokens: number, completionTokens: number): UpstreamEvent => ({
  type: 'usage',
  usage: { promptTokens, completionTokens },
});

describe('a complete stream', () => {
  it('comes in chunks of the chat format, the usage last without choices, after the record is on disk', async () => {
    const order: string[] = [];
    const table = bench([sharedAttempt('echo')], {
      generations: {
        async settle() {
          order.push('recorded');
          return NO_SETTLEMENT;
        },
      },
    });
    const chunks: ChatChunk[] = [];
    for await (const chunk of table.chat.stream(chatRequest())) {
      chunks.push(chunk);
      if (chunk.usage !== undefined) order.push('usage');
    }
    expect(order).toEqual(['recorded', 'usage']);
    expect(chunks[0]).toEqual({
      id: 'gen-1',
      object: 'chat.completion.chunk',
      created: NOW / 1000,
      model: 'demo/model',
      provider: 'demo',
      choices: [
        {
          index: 0,
          delta: { role: 'assistant', content: 'You' },
          finish_reason: null,
          native_finish_reason: null,
          logprobs: null,
        },
      ],
    });
    expect(chunks.at(-2)?.choices).toMatchObject([{ finish_reason: 'stop', native_finish_reason: 'stop' }]);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 2, is_byok: false } });
    expect(chunks.filter((chunk) => chunk.usage !== undefined)).toHaveLength(1);
    expect(chunks.filter(({ choices }) => choices[0]?.delta.role !== undefined)).toHaveLength(1);
  });

  it('takes the fingerprint and the last usage snapshot, wherever they come', async () => {
    const { chat } = scriptedBench([
      usage(7, 1),
      { type: 'fingerprint', fingerprint: 'fp_1' },
      word('a'),
      finish(),
      { type: 'usage', usage: { completionTokens: 9 } },
    ]);
    const { chunks } = await drain(chat.stream(chatRequest()));
    expect(chunks.at(-1)).toMatchObject({
      system_fingerprint: 'fp_1',
      usage: { prompt_tokens: 7, completion_tokens: 9, total_tokens: 16 },
    });
  });

  it('keeps several choices apart, each with its role and its end', async () => {
    const { chat } = scriptedBench([word('a'), word('b', 1), finish(), word('c', 1), finish(1)]);
    const { chunks, thrown } = await drain(chat.stream(chatRequest({ n: 2 })));
    expect(thrown).toBeUndefined();
    const roles = chunks.flatMap(({ choices }) => choices).filter(({ delta }) => delta.role !== undefined);
    expect(roles.map(({ index }) => index)).toEqual([0, 1]);
  });

  it('forwards an answer without content', async () => {
    const { chat } = scriptedBench([finish()]);
    const { chunks, thrown } = await drain(chat.stream(chatRequest()));
    expect(thrown).toBeUndefined();
    expect(chunks[0]?.choices).toMatchObject([{ delta: { role: 'assistant' }, finish_reason: 'stop' }]);
  });

  it.each([
    [
      'nothing more',
      (signal: Signal) => new Promise((_, reject) => signal.addEventListener('abort', reject)),
    ],
    ['a broken connection', () => Promise.reject(new Error('reset'))],
  ])('is complete once all choices are finished, though %s follows', async (_, trailer) => {
    const adapter = streaming(async function* ({ signal }) {
      yield word('abcd');
      yield finish();
      await trailer(signal);
    });
    const { chat, outcomes } = bench([sharedAttempt('echo')], {
      adapters: new Map([['demo', adapter]]),
      timeouts: shortTimeouts({ idleMs: 200 }),
    });
    const { chunks, thrown } = await drain(chat.stream(chatRequest()));
    expect(thrown).toBeUndefined();
    expect(chunks.at(-1)?.usage).toMatchObject({ completion_tokens: 1 });
    expect(outcomes).toMatchObject([{ outcome: { kind: 'success' } }]);
  });
});

describe('before the first content', () => {
  it('nothing is sent, and the next attempt may take over', async () => {
    const { chat, generations } = scriptedBench(
      [
        { type: 'delta', index: 0, delta: { role: 'assistant', content: '' } },
        usage(99, 99),
        new UpstreamFailure('overloaded', { kind: 'upstream_error', status: 529 }),
      ],
      [word('fine'), finish(), usage(1, 1)],
    );
    const { chunks } = await drain(chat.stream(chatRequest()));
    expect(contentOf(chunks)).toBe('fine');
    expect(chunks.every(({ model, id }) => model === 'demo/model' && id === 'gen-1')).toBe(true);
    expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 1 });
    expect(generations[0]?.providerResponses.map(({ status }) => status)).toEqual([529, 200]);
  });

  it('nothing happens until the first pull', async () => {
    const { chat, calls } = scriptedBench([word('a'), finish()]);
    await chat.stream(chatRequest())[Symbol.asyncIterator]().return();
    expect(calls).toEqual([]);
  });

  it('a stream that ends or breaks is an error status', async () => {
    for (const events of [[], [new Error('broken')]]) {
      const { chat } = scriptedBench(events);
      const { chunks, thrown } = await drain(chat.stream(chatRequest()));
      expect(chunks).toEqual([]);
      expect(thrown).toMatchObject({ reason: 'upstream_failed' });
    }
  });
});

describe('after the first content', () => {
  it.each([
    ['break-after-2', 'reset', 2],
    ['truncate', 'truncated', 3],
    ['malformed', 'malformed', 3],
    ['stall-after-2', 'timeout', 2],
  ])('%s ends with an error chunk and an error, and is billed', async (script, error, words) => {
    const table = bench([sharedAttempt(script), sharedAttempt('echo')], {
      timeouts: shortTimeouts({ idleMs: 300 }),
    });
    const { chunks, thrown } = await drain(table.chat.stream(chatRequest()));
    expect(chunks).toHaveLength(words + 1);
    expect(chunks.at(-1)).toMatchObject({
      choices: [{ index: 0, delta: {}, finish_reason: 'error' }],
      error: { code: 502, message: expect.any(String) },
    });
    expect(chunks.at(-1)?.usage).toBeUndefined();
    expect(thrown).toMatchObject({ reason: 'upstream_failed', code: 'unavailable' });
    const [generation] = table.generations;
    expect(generation?.providerResponses).toMatchObject([{ status: 200, error }]);
    expect(generation).toMatchObject({ provider: 'demo', finishReason: 'error', status: 'ok' });
    expect(generation?.completionTokens).toBeGreaterThan(0);
    expect(table.outcomes).toMatchObject([{ outcome: { kind: 'failure' } }]);
  });

  it('ends every choice that is not finished', async () => {
    const { chat } = scriptedBench([word('a'), word('b', 1), finish(), new Error('cut')]);
    const { chunks } = await drain(chat.stream(chatRequest({ n: 2 })));
    expect(chunks.at(-1)?.choices).toMatchObject([{ index: 1, finish_reason: 'error' }]);
  });

  it('a failing adapter does not affect other streams', async () => {
    const failing = scriptedBench([word('a'), new TypeError('cannot read properties of undefined')]);
    const healthy = bench([sharedAttempt('echo')]);
    const [broken, whole] = await Promise.all([
      drain(failing.chat.stream(chatRequest())),
      drain(healthy.chat.stream(chatRequest())),
    ]);
    expect(broken.thrown).toMatchObject({ reason: 'upstream_failed' });
    expect(JSON.stringify(broken.chunks)).not.toContain('cannot read');
    expect(whole.thrown).toBeUndefined();
  });
});

describe('a client that goes away', () => {
  it('aborts the provider at once, is not retried, does not count against the endpoint, and is billed', async () => {
    const client = new AbortController();
    const table = bench([sharedAttempt('stall-after-2'), sharedAttempt('echo')]);
    const stream = table.chat.stream(chatRequest({}, client.signal))[Symbol.asyncIterator]();
    await stream.next();
    await stream.next();
    setTimeout(() => client.abort(), 5);
    await expect(stream.next()).rejects.toMatchObject({ reason: 'client_closed' });
    expect(table.outcomes).toEqual([]);
    expect(table.generations).toMatchObject([{ status: 'cancelled', finishReason: null, provider: 'demo' }]);
    expect(table.generations[0]?.completionTokens).toBeGreaterThan(0);
    expect(table.generations[0]?.providerResponses).toHaveLength(1);
  });

  it.each(['complete', 'stream'] as const)(
    'gets its error before the first content too: %s',
    async (mode) => {
      const client = new AbortController();
      const table = bench([sharedAttempt('stall'), sharedAttempt('echo')]);
      const request = chatRequest({}, client.signal);
      const pending =
        mode === 'complete'
          ? table.chat.complete(request)
          : table.chat.stream(request)[Symbol.asyncIterator]().next();
      setTimeout(() => client.abort(), 5);
      await expect(pending).rejects.toMatchObject({ reason: 'client_closed', httpStatus: 499 });
      expect(table.generations).toMatchObject([
        { status: 'cancelled', provider: null, providerResponses: [{ status: null, error: 'cancelled' }] },
      ]);
      expect(table.outcomes).toEqual([]);
    },
  );

  it('makes no attempt when the client is already gone', async () => {
    const table = bench([sharedAttempt('echo')]);
    const request = chatRequest({}, AbortSignal.abort());
    await expect(table.chat.complete(request)).rejects.toMatchObject({ reason: 'client_closed' });
    expect(table.generations[0]?.providerResponses).toEqual([]);
  });

  it('releases the provider when it merely stops reading', async () => {
    const ended = vi.fn();
    let signal: Signal | undefined;
    const adapter = streaming(async function* (call) {
      signal = call.signal;
      try {
        for (;;) yield word('more ');
      } finally {
        ended();
      }
    });
    const table = bench([sharedAttempt('echo')], { adapters: new Map([['demo', adapter]]) });
    for await (const chunk of table.chat.stream(chatRequest())) if (chunk.choices.length > 0) break;
    expect(ended).toHaveBeenCalledOnce();
    expect(signal?.aborted).toBe(true);
    expect(table.generations).toMatchObject([{ status: 'cancelled' }]);
  });
});

describe('back-pressure', () => {
  it('reads no further than the client has pulled', async () => {
    let produced = 0;
    const adapter = streaming(async function* () {
      for (;;) {
        produced += 1;
        yield word('more ');
      }
    });
    const table = bench([sharedAttempt('echo')], { adapters: new Map([['demo', adapter]]) });
    const stream = table.chat.stream(chatRequest())[Symbol.asyncIterator]();
    for (let pulled = 1; pulled <= 5; pulled++) {
      await stream.next();
      await sleep(2);
      expect(produced).toBe(pulled);
    }
    await stream.return();
  });

  it('does not count a slow client as a slow provider', async () => {
    const table = bench([sharedAttempt('echo')], { timeouts: shortTimeouts({ idleMs: 300 }) });
    const stream = table.chat.stream(chatRequest())[Symbol.asyncIterator]();
    await stream.next();
    await sleep(700);
    const { thrown } = await drain(stream);
    expect(thrown).toBeUndefined();
  });
});
