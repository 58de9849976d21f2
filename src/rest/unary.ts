import { Readable } from 'node:stream';
import type { DescMethodUnary, JsonObject, Message } from '@bufbuild/protobuf';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { JsonText } from '../base/json/json-text.js';
import { SlicedJson } from '../base/json/sliced-json.js';
import { prefersCsv } from '../http/accept.js';
import { clientSignal } from '../http/client-signal.js';
import { addVary, passHeaders, serviceHeadersOf } from '../http/headers.js';
import { isOfNow, isReusable } from '../protobuf/answer-caching.js';
import type { MessageWriter } from '../protobuf/write.js';
import type { Core } from './core.js';
import { CSV_ANSWER, columnsOf, csvPage, rowsOf } from './csv.js';
import type { Operation } from './operation.js';
import { JSON_ANSWER, REVALIDATED, sendRendered } from './rendered.js';

/** Calls a unary method and answers with its output. */
export type UnaryHandler = (
  method: DescMethodUnary,
  message: Message,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply>;

/** The handler of an operation's unary method: one JSON answer, or 304 where the operation can be revalidated. */
export function unaryHandler(
  { successStatus, rule, method: { output } }: Operation,
  write: MessageWriter,
  core: Core,
): UnaryHandler {
  const serialize = (message: Message) => {
    const written: unknown = write(message);
    return written instanceof JsonText ? written.text : JSON.stringify(written);
  };
  const columns = rule.csv ? columnsOf(rowsOf(output), core.aliases) : undefined;
  const renderer = { serialize, contentType: JSON_ANSWER };
  const { revalidates } = rule;
  return async (method, message, request, reply) => {
    const values = core.contextValues(request);
    // Revalidated answers come from memory, before the client could disconnect.
    const signal = revalidates ? undefined : clientSignal(reply);
    const response = await core.transport.unary(
      method,
      signal,
      undefined,
      serviceHeadersOf(request),
      message,
      values,
    );
    passHeaders(response.header, reply);
    reply.code(successStatus);
    if (revalidates && !isOfNow(response.message)) {
      const rendered = core.answers.rendered(response.message, renderer);
      return sendRendered(rendered, REVALIDATED, request, reply);
    }
    reply.header('Cache-Control', 'no-store');
    if (columns !== undefined) {
      addVary(reply, 'Accept');
      if (prefersCsv(request.headers.accept)) {
        const { data } = write(response.message);
        return reply.type(CSV_ANSWER).send(csvPage(columns, data as JsonObject[]));
      }
    }
    if (response.message instanceof SlicedJson) return sendInPieces(response.message, reply);
    const body = isReusable(response.message)
      ? core.answers.rendered(response.message, renderer).bytes
      : serialize(response.message);
    return reply.type(JSON_ANSWER).send(body);
  };
}

/** A long one is made as its client takes it. */
function sendInPieces(json: SlicedJson, reply: FastifyReply): FastifyReply {
  const pieces = json.pieces();
  return reply.type(JSON_ANSWER).send(json.isShort ? Buffer.concat([...pieces]) : Readable.from(pieces));
}
