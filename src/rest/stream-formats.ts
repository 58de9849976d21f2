/** How the messages of a stream are written to the client. */
import type { Message } from '@bufbuild/protobuf';
import type { FastifyRequest } from 'fastify';
import { ExportFormat } from '../../gen/byway/v1/common_pb.js';
import { JsonText } from '../base/json/json-text.js';
import { conventionsOf, type EventFormat } from '../http/api-conventions.js';
import { failedBy } from '../http/error-envelope.js';
import { fieldMembersOf } from '../protobuf/members.js';
import type { MessageWriter } from '../protobuf/write.js';
import type { Core } from './core.js';
import { CSV_ANSWER, columnsOf, csvHeader, csvLine } from './csv.js';
import type { Operation } from './operation.js';

export interface StreamFormat {
  readonly contentType: string;
  /** The name of the file that browsers store the answer as. */
  readonly fileName?: string;
  /** Sent before the first message. */
  readonly head?: string;
  readonly frame: (message: Message) => string;
  /** Sent behind the last message of a stream that ended well. */
  readonly end?: string | undefined;
  /** Whether only a broken connection shows that the answer is not complete. */
  readonly isCutOff?: boolean;
  /** What shows that the stream lives while nothing else is sent. */
  readonly silence?: Silence | undefined;
  /** What an error looks like within a stream that has only said that it lives. */
  readonly error?: (thrown: unknown, request: FastifyRequest) => string | undefined;
}

export interface Silence {
  readonly afterMs: number;
  readonly text: string;
  /** Whether the answer may begin with it. */
  readonly isFirst: boolean;
}

/**
 * The format of the answer to a request: server-sent events where a unary method has this stream as its partner;
 * otherwise JSON lines, or what the request of an export names.
 */
export function streamFormats(
  operation: Operation,
  write: MessageWriter,
  core: Core,
): (request: Message) => StreamFormat {
  const { stream, rule, exportFormat, path } = operation;
  if (stream !== undefined) {
    const events = conventionsOf(core.apis, rule.api)?.events ?? OWN_EVENTS;
    const format = serverSentEvents(events, write, core.pingMs);
    return () => format;
  }
  const lines = jsonLines(write);
  if (exportFormat === undefined) return () => lines;
  const [, records = ''] = path.split('/');
  const columns = columnsOf(operation.method.output, core.aliases);
  const asLines = { ...lines, fileName: `${records}.jsonl` };
  const asCsv: StreamFormat = {
    contentType: CSV_ANSWER,
    fileName: `${records}.csv`,
    head: csvHeader(columns),
    frame: (message) => csvLine(columns, write(message)),
    isCutOff: true,
  };
  return (request) =>
    fieldMembersOf(request)[exportFormat.localName] === ExportFormat.CSV ? asCsv : asLines;
}

/** OpenAI's. Comments come less often than pings, which clients act on. */
const OWN_EVENTS: EventFormat = {
  event: (_message, json) => `data: ${json}\n\n`,
  end: 'data: [DONE]\n\n',
  ping: { text: ': waiting\n\n', isFirst: false, afterPings: 1.5 },
};

function serverSentEvents(events: EventFormat, write: MessageWriter, pingMs: number): StreamFormat {
  const { ping } = events;
  return {
    contentType: 'text/event-stream; charset=utf-8',
    frame: (message) => {
      const written: object = write(message);
      return written instanceof JsonText
        ? events.event(written.value, written.text)
        : events.event(written, JSON.stringify(written));
    },
    end: events.end,
    silence: pingMs === 0 ? undefined : { ...ping, afterMs: pingMs * ping.afterPings },
    error: (thrown, request) => events.error?.(failedBy(thrown), request.id),
  };
}

function jsonLines(write: MessageWriter): StreamFormat {
  return {
    contentType: 'application/jsonl',
    frame: (message) => `${JSON.stringify(write(message))}\n`,
    isCutOff: true,
  };
}
