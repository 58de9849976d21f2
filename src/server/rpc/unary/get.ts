/** Connect's GET of methods that only read (https://connectrpc.com/docs/protocol#unary-get-request). */
import type { DescMethodUnary } from '@bufbuild/protobuf';
import { base64Decode } from '@bufbuild/protobuf/wire';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { brokenBody } from '../../../http/body.js';
import { clientSignal } from '../../../http/client-signal.js';
import { isOfNow } from '../../../protobuf/answer-caching.js';
import { REVALIDATED, sendRendered } from '../../../rest/rendered.js';
import { unknownVersion } from '../../../rpc/protocol-errors.js';
import { decoded, negotiated } from '../wire/compression.js';
import { timeoutMsOf } from '../wire/deadline.js';
import type { MessageFormat } from '../wire/protocol.js';
import { unsupportedRpcType } from '../wire/refusal.js';
import { answerWriter } from './answers.js';
import { connect } from './connect.js';
import type { UnaryRoutesOptions } from './options.js';
import { readRequest } from './read-message.js';

/** The handler of a method's GET; the answer has the caching headers of its REST operation. */
export function getHandler(method: DescMethodUnary, options: UnaryRoutesOptions) {
  const { transport, limitOf, contextValues, registry } = options;
  const limitBytes = limitOf(method);
  const { acceptEncoding } = connect.headers;
  const writer = answerWriter(method, options);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const query = queryOf(request);
    const { format } = query;
    const encodings = negotiated(query.encoding, { headers: request.headers, acceptEncoding }, reply);
    const signal = clientSignal(reply, timeoutMsOf(connect, request));
    const unpacked = await decoded({ bytes: query.bytes, isEncoded: undefined }, encodings, limitBytes);
    const message = await readRequest(method, unpacked, format, registry);
    const values = contextValues?.(request);
    const answer = await transport.unary(method, signal, undefined, undefined, message, values);
    if (writer.render !== undefined && !isOfNow(answer.message)) {
      return sendRendered(writer.render(answer.message, format), REVALIDATED, request, reply);
    }
    const { header, trailer } = answer;
    const contentType = connect.contentTypes[format];
    const { bytes, encoding } = await writer.write(answer.message, format, encodings);
    return connect.send(reply, { contentType, bytes, encoding, header, trailer });
  };
}

interface QueriedMessage {
  readonly format: MessageFormat;
  readonly bytes: Uint8Array;
  readonly encoding: string | null;
}

/** Reads the query; unknown parameters are ignored. Throws a Problem, or a protocol error. */
function queryOf({ query }: FastifyRequest): QueriedMessage {
  const parameter = (name: string): string | undefined => [(query as Query)[name]].flat()[0];
  const format = FORMATS.get(parameter('encoding') ?? '');
  if (format === undefined) throw unsupportedRpcType();
  if ((parameter('connect') ?? VERSION) !== VERSION) throw unknownVersion();
  const message = parameter('message') ?? '';
  const bytes = parameter('base64') === '1' ? fromBase64(message) : Buffer.from(message, 'utf8');
  return { format, bytes, encoding: parameter('compression') ?? null };
}

type Query = Readonly<Record<string, string | string[] | undefined>>;

const VERSION = 'v1';

const FORMATS: ReadonlyMap<string, MessageFormat> = new Map([
  ['json', 'json'],
  ['proto', 'protobuf'],
]);

function fromBase64(text: string): Uint8Array {
  try {
    return base64Decode(text);
  } catch {
    throw brokenBody('base64', 'The parameter message is not in base64');
  }
}
