import type { ServerResponse } from 'node:http';
import type { DescMethodServerStreaming, Message } from '@bufbuild/protobuf';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientSignal } from '../http/client-signal.js';
import { passHeaders, readHeaders } from '../http/headers.js';
import { hijackReply } from '../http/hijack-reply.js';
import type { MessageWriter } from '../protobuf/write.js';
import type { Core } from './core.js';
import type { Operation } from './operation.js';

/** Calls a streaming method and answers with its messages as they come. */
export type StreamHandler = (
  method: DescMethodServerStreaming,
  message: Message,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply>;

interface Format {
  readonly contentType: string;
  readonly frame: (message: Message) => string;
  /** Sent behind the last message of a stream that ended well. */
  readonly end: string;
}

/** A client that reads nothing for so long counts as gone, so that it does not occupy a provider forever. */
const STALLED_CLIENT_MS = 120_000;

/**
 * The handler of an operation's streaming method: server-sent events for the partner of a unary method, JSON lines
 * for a stream that stands alone. Nothing is sent before the first message, so that what fails before it is an
 * ordinary error. A stream that fails later ends without `[DONE]`: its service has sent the error as the last
 * message. JSON lines are cut off by closing the connection.
 */
export function streamHandler(operation: Operation, write: MessageWriter, core: Core): StreamHandler {
  const format = operation.stream === undefined ? jsonLines(write) : serverSentEvents(write);
  return async (method, message, request, reply) => {
    const signal = clientSignal(reply);
    const values = core.contextValues(request);
    const response = await core.transport.stream(
      method,
      signal,
      undefined,
      readHeaders(request),
      singleMessage(message),
      values,
    );
    const messages = response.message[Symbol.asyncIterator]();
    const first = await messages.next();
    passHeaders(response.header, reply);
    const raw = startAnswer(reply, operation.successStatus, format);
    try {
      if (request.method !== 'HEAD') await pump(first, messages, raw, signal, format);
    } catch (error) {
      if (!signal.aborted) request.log.warn({ err: error }, 'a stream broke');
      // JSON lines have no end marker: only a broken connection shows that the answer is not complete.
      if (format.end === '') raw.destroy();
    } finally {
      raw.end();
      await messages.return?.();
    }
    return reply;
  };
}

function serverSentEvents(write: MessageWriter): Format {
  return {
    contentType: 'text/event-stream; charset=utf-8',
    frame: (message) => `data: ${JSON.stringify(write(message))}\n\n`,
    end: 'data: [DONE]\n\n',
  };
}

function jsonLines(write: MessageWriter): Format {
  return {
    contentType: 'application/jsonl',
    frame: (message) => `${JSON.stringify(write(message))}\n`,
    end: '',
  };
}

async function* singleMessage(message: Message): AsyncIterable<Message> {
  yield message;
}

/** Hijacks the reply: Fastify's own streams cost more per chunk than the chunk itself. */
function startAnswer(reply: FastifyReply, status: number, { contentType }: Format): ServerResponse {
  reply.header('Content-Type', contentType).header('Cache-Control', 'no-store');
  const raw = hijackReply(reply);
  raw.statusCode = status;
  return raw;
}

async function pump(
  first: IteratorResult<Message>,
  messages: AsyncIterator<Message>,
  raw: ServerResponse,
  signal: AbortSignal,
  { frame, end }: Format,
): Promise<void> {
  for (let next = first; next.done !== true; next = await messages.next()) {
    if (signal.aborted) return;
    if (!raw.write(frame(next.value)) && !signal.aborted) await drained(raw);
  }
  if (end !== '' && !signal.aborted) raw.write(end);
}

/** Resolves when the client has taken what was written, or is gone. */
function drained(raw: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const stalled = setTimeout(() => raw.destroy(), STALLED_CLIENT_MS);
    const done = () => {
      clearTimeout(stalled);
      raw.off('drain', done).off('close', done);
      resolve();
    };
    raw.once('drain', done).once('close', done);
  });
}
