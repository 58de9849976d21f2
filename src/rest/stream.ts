import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { DescMethodServerStreaming, Message } from '@bufbuild/protobuf';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OneItem } from '../base/one-item.js';
import { PushStream, pushed, type Sink } from '../base/push-stream.js';
import { clientSignal } from '../http/client-signal.js';
import { cutOff } from '../http/cut-off.js';
import { passHeaders, STREAM_HEADERS, serviceHeadersOf } from '../http/headers.js';
import { hijackWithHead } from '../http/hijack-reply.js';
import { pieceWriter, type WritePiece } from '../http/piece-writer.js';
import type { MessageWriter } from '../protobuf/write.js';
import type { Core } from './core.js';
import { Heartbeat } from './heartbeat.js';
import type { Operation } from './operation.js';
import { type Silence, type StreamFormat, streamFormats } from './stream-formats.js';

/** Calls a streaming method and answers with its messages as they come. */
export type StreamHandler = (
  method: DescMethodServerStreaming,
  message: Message,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply>;

/** A client that reads nothing for so long counts as gone, so that it does not occupy a provider forever. */
const STALLED_CLIENT_MS = 120_000;

/**
 * The handler of an operation's streaming method. Nothing is sent before the first message, so that what fails until
 * then is an ordinary error; only where the API has pings may these come before. A stream that fails later ends
 * without `[DONE]`: its service has sent the error as the last message. JSON lines and CSV are cut off by closing the
 * connection.
 */
export function streamHandler(operation: Operation, write: MessageWriter, core: Core): StreamHandler {
  const formatOf = streamFormats(operation, write, core);
  return async (method, message, request, reply) => {
    const values = core.contextValues(request);
    const signal = clientSignal(reply);
    const { message: messages, header } = await core.transport.stream(
      method,
      signal,
      undefined,
      serviceHeadersOf(request),
      new OneItem(message),
      values,
    );
    const stream = messages instanceof PushStream ? (messages as PushStream<Message>) : pushed(messages);
    await new Promise<void>((resolve, reject) => {
      const format = formatOf(message);
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
  readonly #format: StreamFormat;
  readonly #start: () => ServerResponse;
  readonly #resolve: () => void;
  readonly #reject: (thrown: unknown) => void;
  readonly #heartbeat: Heartbeat | undefined;
  #raw: ServerResponse | undefined;
  #write: WritePiece = () => false;
  /** Whether any message is sent. */
  #hasSaid = false;
  /** Whether nobody reads the body: the client was gone before it began, or wants none. */
  #isUnread = false;
  #stalled: NodeJS.Timeout | undefined;

  /** @param start Sends the head of the answer. */
  constructor(
    stream: PushStream<Message>,
    request: FastifyRequest,
    signal: AbortSignal,
    format: StreamFormat,
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
    const { silence } = format;
    if (silence !== undefined) this.#heartbeat = new Heartbeat(silence.afterMs, () => this.#ping(silence));
  }

  take(messages: readonly Message[]): boolean {
    const raw = this.#raw ?? this.#begin();
    let text = this.#unsaidHead();
    this.#heartbeat?.beat();
    if (this.#isUnread) {
      this.#leave();
      return false;
    }
    for (const message of messages) text += this.#format.frame(message);
    if (this.#write(text)) return true;
    this.#stalled ??= setTimeout(() => raw.destroy(), STALLED_CLIENT_MS);
    return false;
  }

  /** Ending the answer uncorks its socket. */
  ending(): void {
    const socket = this.#raw?.socket;
    if (socket instanceof Socket) socket.cork();
  }

  end(): void {
    const raw = this.#raw ?? this.#begin();
    if (this.#request.method === 'HEAD') raw.end();
    else raw.end(this.#unsaidHead() + (this.#format.end ?? ''));
    this.#close();
  }

  fail(thrown: unknown): void {
    const raw = this.#raw;
    if (raw === undefined) {
      this.#heartbeat?.stop();
      this.#reject(thrown);
      return;
    }
    const { isCutOff, error } = this.#format;
    if (this.#hasSaid && !this.#signal.aborted) this.#request.log.warn({ err: thrown }, 'a stream broke');
    if (isCutOff) cutOff(raw);
    else raw.end(this.#hasSaid ? undefined : error?.(thrown, this.#request));
    this.#close();
  }

  /** What is to be sent before the first message, once. */
  #unsaidHead(): string {
    const { head = '' } = this.#format;
    const unsaid = this.#hasSaid ? '' : head;
    this.#hasSaid = true;
    return unsaid;
  }

  #ping({ text, isFirst }: Silence): void {
    if (this.#raw === undefined && !isFirst) return;
    const raw = this.#raw ?? this.#begin();
    // A client that does not read is not waiting either.
    if (!raw.writableEnded && this.#stalled === undefined) this.#write(text);
  }

  #begin(): ServerResponse {
    const raw = this.#start();
    this.#raw = raw;
    this.#write = pieceWriter(raw, this.#onDrain);
    this.#isUnread = this.#signal.aborted || this.#request.method === 'HEAD';
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
    this.#heartbeat?.stop();
    clearTimeout(this.#stalled);
    this.#signal.removeEventListener('abort', this.#leave);
    this.#resolve();
  }
}

/** Hijacks the reply: Fastify's own streams cost more per chunk than the chunk itself. */
function startAnswer(
  reply: FastifyReply,
  status: number,
  { contentType, fileName }: StreamFormat,
): ServerResponse {
  reply.header('Content-Type', contentType).headers(STREAM_HEADERS);
  if (fileName !== undefined) reply.header('Content-Disposition', `attachment; filename="${fileName}"`);
  return hijackWithHead(reply, status);
}
