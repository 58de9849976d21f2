/**
 * Unary calls of gRPC on streams of HTTP/2. Node's compatibility layer and Fastify, through which every other request
 * goes, would take more time than most calls themselves (docs/adr/0003-own-unary-rpc-code.md).
 */

import type { DescMethodUnary } from '@bufbuild/protobuf';
import { ConnectError } from '@connectrpc/connect';
import { streamSignal } from '../../../http/client-signal.js';
import { problemOf } from '../../../http/error-envelope.js';
import { serviceHeadersOf } from '../../../http/headers.js';
import { bodyOwner, collectBytes } from '../../../http/read-bytes.js';
import { userIdOf } from '../../../identity/principal.js';
import { toConnectError } from '../../../rpc/errors.js';
import { requestId } from '../../port/request-id.js';
import { decoded, encodingsOf } from '../wire/compression.js';
import { timeoutMsOf } from '../wire/deadline.js';
import { PREFIX_BYTES } from '../wire/envelope.js';
import { answerWriter } from './answers.js';
import { formatOf } from './formats.js';
import { GrpcExchange } from './grpc-exchange.js';
import type { GrpcStreams, UnaryRoutesOptions } from './options.js';
import { readRequest } from './read-message.js';

/** With other spellings, or parameters, a call goes the ordinary way, which leads to the same answer. */
const CONTENT_TYPES = ['application/grpc', 'application/grpc+proto', 'application/grpc+json'];

/** Serves the method's calls that come as streams. */
export function routeGrpcStreams(
  method: DescMethodUnary,
  options: UnaryRoutesOptions,
  streams: GrpcStreams,
): void {
  const path = `/${method.parent.typeName}/${method.name}`;
  const rule = streams.ruleOf(path);
  if (rule === undefined) throw new TypeError(`${path} has no rule`);
  const { admission, ids, log, countCall } = streams;
  const isLogged = log.level === 'debug' || log.level === 'trace';
  const limitBytes = options.limitOf(method);
  const writer = answerWriter(method, options);
  const toError = options.toError ?? toConnectError;

  const call = async (exchange: GrpcExchange): Promise<void> => {
    admission.checkHost(exchange);
    const principal = await admission.authenticate(exchange);
    exchange.caller = { ...exchange.caller, principal };
    const { headers, stream } = exchange;
    const bodyBytes = Number(headers['content-length'] ?? 0);
    await admission.permit(
      principal,
      { rule, isOperation: true, bodyBytes, framingBytes: PREFIX_BYTES },
      exchange,
    );
    const body = await collectBytes(
      stream,
      headers['content-length'],
      limitBytes + PREFIX_BYTES,
      bodyOwner(principal),
    );
    try {
      const { protocol, format } = formatOf(headers['content-type']);
      const encodings = encodingsOf(protocol, exchange, exchange);
      const signal = streamSignal(stream, timeoutMsOf(protocol, exchange));
      const sent = await decoded(protocol.unpack(body.bytes), encodings, limitBytes, body);
      const message = await readRequest(method, sent, format, options.registry);
      const values = options.contextValues?.(exchange);
      const read = serviceHeadersOf(exchange);
      const answer = await options.transport.unary(method, signal, undefined, read, message, values);
      const { bytes, encoding } = await writer.write(answer.message, format, encodings);
      const { header, trailer } = answer;
      const contentType = protocol.contentTypes[format];
      exchange.answer({ contentType, bytes, encoding, header, trailer });
    } finally {
      body.done();
    }
  };

  const errorOf = (thrown: unknown, { caller, id }: GrpcExchange): ConnectError => {
    if (thrown instanceof ConnectError) return thrown;
    const problem = problemOf(thrown);
    if (problem.reason === 'internal') log.error({ reqId: id, err: thrown }, 'unexpected error');
    return toError(problem, userIdOf(caller.principal));
  };

  streams.routes.post(path, CONTENT_TYPES, (stream, headers) => {
    const exchange = new GrpcExchange(stream, headers, requestId(headers, ids));
    exchange.caller = admission.anonymous(exchange);
    countCall?.(path, exchange);
    const answering = call(exchange).catch((thrown: unknown) => exchange.refuse(errorOf(thrown, exchange)));
    if (!isLogged) return;
    answering.then(() =>
      log.debug({ route: path, method: 'POST', status: 200, reqId: exchange.id }, 'answered'),
    );
  });
}
