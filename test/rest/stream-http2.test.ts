import { connect } from 'node:http2';
import { describe, expect, it } from 'vitest';
import { chunk, deferred, listen, post } from './listening.js';

describe('over HTTP/2', () => {
  interface Answer {
    readonly status: number;
    readonly type: string;
    readonly text: string;
  }

  function exchange(
    origin: string,
    path: string,
    body: string | undefined,
    leaveAfterFirst = false,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const session = connect(origin);
      const stream = session.request({
        ':path': path,
        ':method': body === undefined ? 'GET' : 'POST',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      });
      const answer = { status: 0, type: '', text: '' };
      stream.on('response', (headers) => {
        answer.status = Number(headers[':status']);
        answer.type = String(headers['content-type']);
      });
      stream.setEncoding('utf8');
      stream.on('data', (text: string) => {
        answer.text += text;
        if (leaveAfterFirst) stream.close();
      });
      stream.on('error', reject);
      stream.on('close', () => {
        session.close();
        resolve(answer);
      });
      stream.end(body);
    });
  }

  it('answers, streams and refuses alike', async () => {
    const { origin } = await listen(
      {
        unary: () => chunk('x'),
        async *stream() {
          for (let index = 0; index < 50; index++) yield chunk('y'.repeat(10_000));
        },
      },
      true,
    );
    expect(await exchange(origin, '/api/v1/keys/h', undefined)).toMatchObject({ status: 200 });
    expect(await exchange(origin, '/api/v1/nothing', undefined)).toMatchObject({ status: 404 });
    const streamed = await exchange(origin, '/api/v1/chat/completions', post.body);
    expect(streamed).toMatchObject({ status: 200, type: 'text/event-stream; charset=utf-8' });
    expect(streamed.text.split('\n\n')).toHaveLength(52);
    expect(streamed.text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('aborts the call when the stream is reset, and only then', async () => {
    const ended = deferred<void>();
    const { calls, origin } = await listen(
      {
        unary: () => chunk('x'),
        async *stream() {
          try {
            for (;;) {
              yield chunk('z');
              await new Promise((resolve) => setTimeout(resolve, 1));
            }
          } finally {
            ended.resolve();
          }
        },
      },
      true,
    );
    await exchange(origin, '/api/v1/keys/h', undefined);
    await exchange(origin, '/api/v1/chat/completions', post.body, true);
    await ended.promise;
    expect(calls.map(({ signal }) => signal?.aborted)).toEqual([false, true]);
  });
});
