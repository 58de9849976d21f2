import type { ServerResponse } from 'node:http';
import type { DescMethodServerStreaming, Message } from '@bufbuild/protobuf';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Dialect } from '../../gen/byway/options/v1/options_pb.js';
import { JsonText } from '../base/json/json-text.js';
import { PushStream, pushed, type Sink } from '../base/push-stream.js';
import { clientSignal } from '../http/client-signal.js';
import { failedBy } from '../http/envelope.js';
import { passHeaders, readHeaders } from '../http/headers.js';
import { hijackReply } from '../http/hijack-reply.js';
import { pieceWriter, type WritePiece } from '../http/piece-writer.js';
import type { MessageWriter } from '../protobuf/write.js';
import type { Core } from './core.js';
import { Heartbeat } from './heartbeat.js';
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
  /** Whether only a broken connection shows that the answer is not complete. */
  readonly isCutOff?: boolean;
  /** What shows that the stream lives while nothing else is sent. */
  readonly silence?: Silence | undefined;
  /** What an error looks like within a stream that has only said that it lives. */
  readonly error?: (thrown: unknown, request: FastifyRequest) => string;
}

interface Silence {
  readonly afterMs: number;
  readonly text: string;
  /** Whether the answer may begin with it. */
  readonly isFirst: boolean;
}

/** A client that reads nothing for so long counts as gone, so that it does not occupy a provider forever. */
const STALLED_CLIENT_MS = 120_000;

/**
 * The handler of an operation's streaming method: server-sent events for the partner of a unary method, JSON lines
 * for a stream that stands alone. Nothing is sent before the first message, so that what fails before it is an
 * ordinary error, but where the dialect has pings, which may come before. A stream that fails later ends without
 * `[DONE]`: its service has sent the error as the last message. JSON lines are cut off by closing the connection.
 */
export function streamHandler(operation: Operation, write: MessageWriter, core: Core): StreamHandler {
  const format = formatOf(operation, write, core.pingMs);
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
    const { silence } = format;
    if (silence !== undefined) this.#heartbeat = new Heartbeat(silence.afterMs, () => this.#ping(silence));
  }

  take(messages: readonly Message[]): boolean {
    const raw = this.#raw ?? this.#begin();
    this.#hasSaid = true;
    this.#heartbeat?.beat();
    if (this.#isUnread) {
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
      this.#heartbeat?.stop();
      this.#reject(thrown);
      return;
    }
    const { isCutOff, error } = this.#format;
    if (this.#hasSaid && !this.#signal.aborted) this.#request.log.warn({ err: thrown }, 'a stream broke');
    if (isCutOff) raw.destroy();
    raw.end(this.#hasSaid ? undefined : error?.(thrown, this.#request));
    this.#close();
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

function formatOf({ stream, rule }: Operation, write: MessageWriter, pingMs: number): Format {
  if (stream === undefined) return jsonLines(write);
  return rule.dialect === Dialect.ANTHROPIC ? namedEvents(write, pingMs) : serverSentEvents(write, pingMs);
}

const SERVER_SENT_EVENTS = 'text/event-stream; charset=utf-8';

/** Comments come less often than pings, which clients act on. */
const COMMENT_FACTOR = 1.5;

function serverSentEvents(write: MessageWriter, pingMs: number): Format {
  const afterMs = pingMs * COMMENT_FACTOR;
  return {
    contentType: SERVER_SENT_EVENTS,
    frame: (message) => {
      const written: object = write(message);
      return `data: ${written instanceof JsonText ? written.text : JSON.stringify(written)}\n\n`;
    },
    end: 'data: [DONE]\n\n',
    silence: pingMs === 0 ? undefined : { afterMs, text: ': waiting\n\n', isFirst: false },
  };
}

/** Anthropic's: https://platform.claude.com/docs/en/build-with-claude/streaming */
function namedEvents(write: MessageWriter, pingMs: number): Format {
  const text = 'event: ping\ndata: {"type": "ping"}\n\n';
  return {
    contentType: SERVER_SENT_EVENTS,
    frame: (message) => {
      const written: object = write(message);
      return written instanceof JsonText ? namedEvent(written.value, written.text) : namedEvent(written);
    },
    end: '',
    silence: pingMs === 0 ? undefined : { afterMs: pingMs, text, isFirst: true },
    error: (thrown, request) =>
      `event: error\ndata: ${request.server.errorFormOf?.(request)?.(failedBy(thrown), request.id).body}\n\n`,
  };
}

function namedEvent(event: { readonly type?: unknown }, json = JSON.stringify(event)): string {
  const { type } = event;
  return typeof type === 'string' && !LINE_BREAK.test(type)
    ? `event: ${type}\ndata: ${json}\n\n`
    : `data: ${json}\n\n`;
}

const LINE_BREAK = /[\r\n]/;

function jsonLines(write: MessageWriter): Format {
  return {
    contentType: 'application/jsonl',
    frame: (message) => `${JSON.stringify(write(message))}\n`,
    end: '',
    isCutOff: true,
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
