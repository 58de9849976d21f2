import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { DEFAULT_TIMEOUTS } from '../../src/base/timeouts.js';
import { tightenTimeouts } from '../../src/inference/attempts/request-timeouts.js';
import {
  bench,
  chatRequest,
  contentOf,
  drain,
  sharedAttempt,
  shortTimeouts,
  streaming,
  word,
} from '../support/chat.js';

/** Sends the status at once, but no content. */
const silent = streaming(async function* ({ signal, onFirstByte }) {
  onFirstByte();
  yield word('');
  await new Promise((_, reject) => signal.addEventListener('abort', reject));
});

describe('timeouts', () => {
  it('first_byte: the next attempt takes over', async () => {
    const table = bench([sharedAttempt('stall'), sharedAttempt('echo')], {
      timeouts: shortTimeouts({ firstByteMs: 200 }),
    });
    const { chunks } = await drain(table.chat.stream(chatRequest()));
    expect(contentOf(chunks)).toContain('Hello there');
    expect(table.generations[0]?.providerResponses).toMatchObject([
      { status: null, error: 'timeout' },
      { status: 200, error: null },
    ]);
    expect(table.outcomes).toMatchObject([
      { outcome: { kind: 'failure' } },
      { outcome: { kind: 'success' } },
    ]);
  });

  it('first_token: an answer that has begun but has no content is aborted', async () => {
    const table = bench([sharedAttempt('echo')], {
      adapters: new Map([['demo', silent]]),
      timeouts: shortTimeouts({ firstTokenMs: 30 }),
    });
    const { chunks, thrown } = await drain(table.chat.stream(chatRequest()));
    expect(chunks).toEqual([]);
    expect(thrown).toMatchObject({ reason: 'upstream_failed' });
    expect(table.generations[0]?.providerResponses).toMatchObject([{ status: 200, error: 'timeout' }]);
  });

  it('idle: a stream stays open while events keep coming', async () => {
    const table = bench([sharedAttempt('slow-10')], { timeouts: shortTimeouts({ idleMs: 2000 }) });
    const { thrown } = await drain(table.chat.stream(chatRequest()));
    expect(thrown).toBeUndefined();
  });

  it('total: ends a stream although events keep coming', async () => {
    const table = bench([sharedAttempt('slow-100')], { timeouts: shortTimeouts({ totalMs: 600 }) });
    const { chunks, thrown } = await drain(table.chat.stream(chatRequest()));
    expect(chunks.at(-1)?.error).toMatchObject({ code: 502 });
    expect(thrown).toMatchObject({ reason: 'upstream_failed' });
  });

  it('a timeout that the request itself set does not count against the endpoint', async () => {
    const table = bench([sharedAttempt('stall'), sharedAttempt('echo')]);
    const { chunks } = await drain(
      table.chat.stream(chatRequest({ provider: { timeouts_ms: { first_byte: 200 } } })),
    );
    expect(contentOf(chunks)).toContain('Hello there');
    expect(table.outcomes).toMatchObject([{ endpointId: 'demo/echo', outcome: { kind: 'success' } }]);
  });

  it('the listener on a client’s signal is removed, even where the record can’t be written', async () => {
    const settle = () => Promise.reject(new Error('the database is away'));
    const table = bench([sharedAttempt('echo')], { generations: { settle } });
    const { signal } = new AbortController();
    const stream = table.chat.stream(chatRequest({}, signal))[Symbol.asyncIterator]();
    await stream.next();
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await expect(stream.return()).rejects.toThrow('the database is away');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('a request may tighten them, never loosen', () => {
    const requested = { first_byte: 1, first_token: 999_999_999, total: 5 };
    expect(tightenTimeouts(DEFAULT_TIMEOUTS, requested)).toEqual({
      firstByteMs: 1,
      firstTokenMs: 120_000,
      idleMs: 120_000,
      totalMs: 5,
    });
  });
});
