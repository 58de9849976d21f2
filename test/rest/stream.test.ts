import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { create, type Message } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { method as methodOption } from '../../gen/byway/options/v1/options_pb.js';
import { file_byway_v1_chat, StreamChatCompletionResponseSchema } from '../../gen/byway/v1/chat_pb.js';
import { http } from '../../gen/google/api/annotations_pb.js';
import { notFound } from '../../src/base/problem.js';
import { PushStream, type Sink } from '../../src/base/push-stream.js';
import { compileOperations } from '../../src/rest/compile.js';
import { changed, edit, methodOptions } from './changed.js';
import { chat, chunk, deferred, listen, post } from './listening.js';
import { type Call, serve } from './stub.js';

/** Pushes a message, and in a later turn another one, of which it says that the end follows. */
class Announced extends PushStream<Message> {
  pipeTo(sink: Sink<Message>): void {
    sink.take([chunk('a')]);
    setTimeout(() => {
      sink.ending?.();
      sink.take([chunk('b')]);
      void Promise.resolve().then(() => sink.end());
    }, 20);
  }

  resume(): void {}

  async close(): Promise<void> {}
}

describe('a streamed chat over REST', () => {
  it('is server-sent events that end with [DONE]', async () => {
    const { calls, origin } = await listen({
      async *stream(_, header) {
        header.set('x-generation-id', 'gen');
        yield chunk('a');
        yield chunk('b');
      },
    });
    const response = await fetch(`${origin}/api/v1/chat/completions`, post);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('x-generation-id')).toBe('gen');
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const events = (await response.text()).split('\n\n');
    expect(events.at(-1)).toBe('');
    expect(events.at(-2)).toBe('data: [DONE]');
    const contents = events
      .slice(0, -2)
      .map((event) => JSON.parse(event.slice('data: '.length)).choices[0].delta.content);
    expect(contents).toEqual(['a', 'b']);
    expect(calls[0]?.method.name).toBe('StreamChatCompletion');
    expect(calls[0]?.message).toMatchObject({
      $typeName: 'byway.v1.StreamChatCompletionRequest',
      chat: { stream: true },
    });
  });

  it('is one JSON answer unless stream is true', async () => {
    const { calls, origin } = await listen({ unary: () => chunk('x') });
    for (const stream of [false, undefined]) {
      await fetch(`${origin}/api/v1/chat/completions`, {
        ...post,
        body: JSON.stringify({ ...chat, stream }),
      });
    }
    expect(calls.map(({ method }) => method.name)).toEqual(['CreateChatCompletion', 'CreateChatCompletion']);
  });

  it('is an ordinary error when it fails before the first message', async () => {
    const { origin } = await listen({
      // biome-ignore lint/correctness/useYield: it fails before it could
      async *stream() {
        throw notFound();
      },
    });
    const response = await fetch(`${origin}/api/v1/chat/completions`, post);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 404, metadata: { reason: 'not_found' } } });
  });

  it('ends without [DONE] when it breaks later', async () => {
    const { origin } = await listen({
      async *stream() {
        yield chunk('a');
        yield create(StreamChatCompletionResponseSchema, {
          error: { code: 502, message: 'broken', type: 'server_error' },
        });
        throw new Error('upstream broke');
      },
    });
    const text = await (await fetch(`${origin}/api/v1/chat/completions`, post)).text();
    expect(text).toContain('"error":{"code":502,"message":"broken","type":"server_error","param":null}');
    expect(text).not.toContain('[DONE]');
    expect(text.endsWith('\n\n')).toBe(true);
  });

  it('sends nothing before the first message, and each message at once', async () => {
    const gates = [deferred<void>(), deferred<void>()];
    const { origin } = await listen({
      async *stream() {
        await gates[0]?.promise;
        yield chunk('a');
        await gates[1]?.promise;
        yield chunk('b');
      },
    });
    const pending = fetch(`${origin}/api/v1/chat/completions`, post);
    gates[0]?.resolve();
    const reader = (await pending).body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toContain('"content":"a"');
    gates[1]?.resolve();
    expect((await reader?.read())?.value).toContain('"content":"b"');
  });

  it('sends the last messages with the end, in one write', async () => {
    const { port } = await listen({ stream: () => new Announced() });
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    const { length } = post.body;
    socket.write(
      `POST /api/v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${post.body}`,
    );
    const read: string[] = [];
    for await (const text of socket) {
      read.push(String(text));
      if (String(text).endsWith('0\r\n\r\n')) break;
    }
    expect(read.at(-1)).toContain('"content":"b"');
    expect(read.at(-1)).toContain('[DONE]');
    expect(read.join('')).toContain('"content":"a"');
  });

  it('aborts the call when the client disconnects, and closes the messages', async () => {
    const ended = deferred<Call>();
    const { origin } = await listen({
      async *stream(call) {
        try {
          for (;;) {
            yield chunk('a');
            await new Promise((resolve) => setTimeout(resolve, 1));
          }
        } finally {
          ended.resolve(call);
        }
      },
    });
    const client = new AbortController();
    const response = await fetch(`${origin}/api/v1/chat/completions`, { ...post, signal: client.signal });
    await response.body?.getReader().read();
    client.abort();
    expect((await ended.promise).signal?.aborted).toBe(true);
  });

  it('aborts a call that has not answered yet', async () => {
    const aborted = deferred<void>();
    const started = deferred<void>();
    const { origin } = await listen({
      unary: ({ signal }) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () => {
            aborted.resolve();
            reject(signal.reason);
          });
          started.resolve();
        }),
    });
    const client = new AbortController();
    const pending = fetch(`${origin}/api/v1/keys/h`, { signal: client.signal }).catch(() => {});
    await started.promise;
    client.abort();
    await aborted.promise;
    await pending;
  });

  it('does not run ahead of a client that reads slowly', async () => {
    let produced = 0;
    const total = 400;
    const { port } = await listen({
      async *stream() {
        for (; produced < total; produced++) yield chunk('x'.repeat(64 * 1024));
      },
    });
    const body = await new Promise<string>((resolve, reject) => {
      const request = httpRequest({
        port,
        host: '127.0.0.1',
        path: '/api/v1/chat/completions',
        method: 'POST',
        headers: post.headers,
      });
      request.on('error', reject);
      request.on('response', async (response) => {
        await new Promise((wait) => setTimeout(wait, 300));
        expect(produced).toBeLessThan(total);
        let tail = '';
        for await (const part of response) tail = (tail + String(part)).slice(-20);
        resolve(tail);
      });
      request.end(post.body);
    });
    expect(produced).toBe(total);
    expect(body.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('does not abort a call that was answered', async () => {
    const { calls, origin } = await listen({
      async *stream() {
        yield chunk('a');
      },
      unary: () => chunk('x'),
    });
    await (await fetch(`${origin}/api/v1/chat/completions`, post)).text();
    await (await fetch(`${origin}/api/v1/keys/h`, { headers: { connection: 'close' } })).text();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(calls.map(({ signal }) => signal?.aborted)).toEqual([false, false]);
  });
});

describe('a stream that stands alone', () => {
  const ownOperations = compileOperations(
    changed(file_byway_v1_chat, (proto) => {
      const options = methodOptions(proto, 'StreamChatCompletion');
      edit(options, http, (rule) =>
        Object.assign(rule, { pattern: { case: 'get', value: '/chunks' }, body: '' }),
      );
      edit(options, methodOption, (rule) => Object.assign(rule, { streamsWhen: '' }));
      // Fields that a query string can't set are removed from this request.
      const request = proto.messageType.find(({ name }) => name === 'StreamChatCompletionRequest');
      request?.field.splice(0);
    }),
  );

  it('is JSON lines, HEAD included', async () => {
    const { fastify } = await serve(
      {
        async *stream() {
          yield chunk('a');
          yield chunk('b');
        },
      },
      ownOperations,
    );
    const response = await fastify.inject('/api/v1/chunks');
    expect(response.headers['content-type']).toBe('application/jsonl');
    const lines = response.body.split('\n');
    expect(lines.at(-1)).toBe('');
    expect(lines.slice(0, -1).map((line) => JSON.parse(line).choices[0].delta.content)).toEqual(['a', 'b']);
    const head = await fastify.inject({ method: 'HEAD', url: '/api/v1/chunks' });
    expect([head.statusCode, head.headers['content-type'], head.body]).toEqual([
      200,
      'application/jsonl',
      '',
    ]);
  });
});
