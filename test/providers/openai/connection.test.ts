import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { MAX_MEDIA_ANSWER_BYTES } from '../../../src/providers/http/exchange.js';
import { createHttp } from '../../../src/providers/http/http.js';
import { readText } from '../../../src/providers/http/read-body.js';
import { startFakeOpenAi } from '../../support/fakes/fake-openai.js';
import { TENANCY } from '../../support/tenancy.js';
import { waitFor } from '../../support/wait-for.js';
import { expectAnswerAborted, expectStreamAborted } from '../chat-checks.js';
import { chunk, startTable, textIn } from './adapter.fixture.js';
import { openAiBench } from './chat.fixture.js';

/** More than the buffers of both sockets. */
const BUFFERS_BYTES = 64 * 1024 * 1024;

describe('a client that goes away (the upstream is aborted at once)', () => {
  it.each([
    ['before the head', { delayMs: 60_000 }],
    ['before the first content', { stallAfter: 1 }],
    ['in the middle of an endless answer', { chunks: [chunk({ content: 'on and on ' })], isEndless: true }],
    ['while the answer stalls', { stallAfter: 3 }],
  ])('%s', async (_, plan) => {
    await expectStreamAborted(openAiBench, plan);
  });

  it('while an answer in one piece is made', async () => {
    await expectAnswerAborted(openAiBench, { stallAfter: 0 });
  });

  it('by ending the iteration', async () => {
    const { adapter, call, fake } = await startTable({ chunks: [chunk({ content: 'x' })], isEndless: true });
    for await (const event of adapter.stream(call())) if (event.type === 'delta') break;
    await waitFor(() => expect(fake.aborts).toBe(1));
  });
});

describe('a slow reader', () => {
  it('stalls the provider instead of filling the memory', async () => {
    const big = 'x'.repeat(64 * 1024);
    const { adapter, call, fake } = await startTable({ chunks: [chunk({ content: big })], isEndless: true });
    const events = adapter.stream(call())[Symbol.asyncIterator]();
    for (let taken = 0; taken < 3; taken += 1) await events.next();
    let before = -1;
    await vi.waitFor(
      () => {
        const isStill = before === fake.bytesWritten;
        before = fake.bytesWritten;
        expect(isStill).toBe(true);
      },
      { timeout: 10_000, interval: 200 },
    );
    expect(fake.bytesWritten).toBeLessThan(BUFFERS_BYTES);
    for (let taken = 0; taken < (2 * BUFFERS_BYTES) / big.length; taken += 1) await events.next();
    expect(fake.bytesWritten).toBeGreaterThan(before);
    await events.return?.();
    await waitFor(() => expect(fake.aborts).toBe(1));
  }, 60_000);
});

describe('big answers', () => {
  it('come whole, in one piece and in one event', async () => {
    const content = 'é🙂'.repeat(700_000);
    const { complete, stream } = await startTable({ words: [content] });
    expect((await complete()).choices[0]?.message.content === content).toBe(true);
    expect(textIn((await stream()).events) === content).toBe(true);
  });

  it('are given up beyond the limit', async () => {
    const { complete, fake } = await startTable({
      answer: { choices: 'x'.repeat(MAX_MEDIA_ANSWER_BYTES + 1) },
    });
    await expect(complete()).rejects.toMatchObject({ error: 'malformed' });
    expect(fake.requests).toHaveLength(1);
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

  it('are made as many as answers come at the same time', async () => {
    const { fake, stream } = await startTable({ splitBytes: 20 });
    const all = await Promise.all(Array.from({ length: 50 }, () => stream()));
    expect(all.every(({ thrown }) => thrown === undefined)).toBe(true);
    expect(fake.connections).toBeLessThanOrEqual(50);
  });

  it('break when the HTTP client is closed', async () => {
    const fake = await startFakeOpenAi();
    fake.plan('m', { stallAfter: 0 });
    const http = createHttp();
    onTestFinished(() => http.close());
    const { signal } = new AbortController();
    const headers = { authorization: 'Bearer x' };
    const url = new URL(`${fake.baseUrl}/chat/completions`);
    await http
      .post({ url, headers, body: '{}', signal, tenancy: TENANCY })
      .then(({ body }) => readText(body, 1024));
    await http.close();
    await expect(http.post({ url, headers, body: '{}', signal, tenancy: TENANCY })).rejects.toThrow();
  });

  it.each([
    ['a name that nobody has', 'http://nobody.invalid/v1', 'dns'],
    ['a port that nobody serves', 'http://127.0.0.1:1/v1', 'connect'],
  ])('to %s fail without naming the host', async (_, baseUrl, error) => {
    const { adapter, call } = await startTable();
    const { provider, ...rest } = call();
    const pending = adapter.complete({ ...rest, provider: { ...provider, baseUrl } });
    await expect(pending).rejects.toMatchObject({
      kind: 'upstream_error',
      error,
      status: null,
      message: 'No connection to the provider could be made',
    });
  });
});
