import type { ServerResponse } from 'node:http';
import type { DescMethodServerStreaming, Message } from '@bufbuild/protobuf';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PushStream, pushed, type Sink } from '../base/push-stream.js';
import { clientSignal } from '../http/client-signal.js';
import { passHeaders, readHeaders } from '../http/headers.js';
import { hijackReply } from '../http/hijack-reply.js';
import { pieceWriter, type WritePiece } from '../http/piece-writer.js';
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
    const values = core.contextValues(request);
    const signal = clientSignal(reply);
    const { message: messages, header } = await core.transport.stream(
      method,
      signal,
      undefined,
      readHeaders(request),
      singleMessage(message),
      values,
    );
    const stream = messages instanceof PushStream ? (messages as PushStream<Message>) : pushed(messages);
    await new Promise<void>((resolve, reject) => {
      const start = () => {
        passHeaders(header, reply);
        return startAnswer(reply, operation.successStatus, format);
      };
      stream.pipeTo(new AnswerWriter(stream, request, signal, format, start, resolve, reject));
    });
    return reply;
  };
}

/** Writes what comes at once as one piece, and pauses the stream while the client reads nothing. */
class AnswerWriter implements Sink<Message> {
  readonly #stream: PushStream<Message>;
  readonly #request: FastifyRequest;
  readonly #signal: AbortSignal;
  readonly #format: Format;
  readonly #start: () => ServerResponse;
  readonly #resolve: () => void;
  readonly #reject: (thrown: unknown) => void;
  #raw: ServerResponse | undefined;
  #write: WritePiece = () => false;
  #stalled: NodeJS.Timeout | undefined;

  /** @param start Sends the head of the answer. */
  constructor(
    stream: PushStream<Message>,
    request: FastifyRequest,
    signal: AbortSignal,
    format: Format,
    start: () => ServerResponse,
    resolve: () => void,
    reject: (thrown: unknown) => void,
  ) {
    this.#stream = stream;
    this.#request = request;
    this.#signal = signal;
    this.#format = format;
    this.#start = start;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  take(messages: readonly Message[]): boolean {
    const raw = this.#raw ?? this.#begin();
    if (this.#signal.aborted || this.#request.method === 'HEAD') {
      this.#leave();
      return false;
    }
    let text = '';
    for (const message of messages) text += this.#format.frame(message);
    if (this.#write(text)) return true;
    this.#stalled ??= setTimeout(() => raw.destroy(), STALLED_CLIENT_MS);
    return false;
  }

  end(): void {
    const raw = this.#raw ?? this.#begin();
    if (this.#request.method === 'HEAD') raw.end();
    else raw.end(this.#format.end);
    this.#close();
  }

  fail(thrown: unknown): void {
    const raw = this.#raw;
    if (raw === undefined) {
      this.#reject(thrown);
      return;
    }
    if (!this.#signal.aborted) this.#request.log.warn({ err: thrown }, 'a stream broke');
    // JSON lines have no end marker: only a broken connection shows that the answer is not complete.
    if (this.#format.end === '') raw.destroy();
    raw.end();
    this.#close();
  }

  #begin(): ServerResponse {
    const raw = this.#start();
    this.#raw = raw;
    this.#write = pieceWriter(raw, this.#onDrain);
    this.#signal.addEventListener('abort', this.#leave);
    return raw;
  }

  readonly #onDrain = () => {
    clearTimeout(this.#stalled);
    this.#stalled = undefined;
    this.#stream.resume();
  };

  /** Ends the stream before its end: the client is gone, or wants no body. */
  readonly #leave = (): void => {
    this.#raw?.end();
    const log = (thrown: unknown) => this.#request.log.warn({ err: thrown }, 'a stream broke');
    void this.#stream
      .close()
      .catch(log)
      .finally(() => this.#close());
  };

  #close(): void {
    clearTimeout(this.#stalled);
    this.#signal.removeEventListener('abort', this.#leave);
    this.#resolve();
  }
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
