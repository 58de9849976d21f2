/** A REST plugin on a socket, and streams to send through it. */
import type { AddressInfo } from 'node:net';
import { create, type Message } from '@bufbuild/protobuf';
import { afterEach } from 'vitest';
import { StreamChatCompletionResponseSchema } from '../../gen/byway/v1/chat_pb.js';
import { type StubAnswers, serve } from './stub.js';

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

/** A chunk of a streamed chat with this text. */
export function chunk(content: string): Message {
  return create(StreamChatCompletionResponseSchema, { id: 'gen', choices: [{ delta: { content } }] });
}

/** A promise and what resolves it. */
export function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((resolved) => {
    resolve = resolved;
  });
  return { promise, resolve };
}

/** The REST plugin over stubbed calls, on a socket until the test ends. */
export async function listen(answers: StubAnswers, http2 = false) {
  const { fastify, calls } = await serve(answers, undefined, http2);
  await fastify.listen({ port: 0, host: '127.0.0.1' });
  closing.push(() => fastify.close());
  const { port } = fastify.server.address() as AddressInfo;
  return { calls, origin: `http://127.0.0.1:${port}`, port };
}

/** A chat with `stream: true`, and the request that posts it. */
export const chat = { messages: [{ role: 'user', content: 'hi' }], stream: true };
export const post = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(chat),
};
