import {
  contentTypeUnaryJson,
  contentTypeUnaryProto,
  parseTimeout,
} from '@connectrpc/connect/protocol-connect';
import { parsedTimeoutMs } from '../wire/deadline.js';
import type { UnaryProtocol } from '../wire/protocol.js';

/** Connect's unary protocol: the body is the message (https://connectrpc.com/docs/protocol#unary-request). */
export const connect: UnaryProtocol = {
  headers: {
    timeout: 'connect-timeout-ms',
    encoding: 'content-encoding',
    acceptEncoding: 'accept-encoding',
  },
  contentTypes: { protobuf: contentTypeUnaryProto, json: contentTypeUnaryJson },
  timeoutMs: (value) => parsedTimeoutMs(parseTimeout(value, Number.POSITIVE_INFINITY)),
  unpack: (bytes) => ({ bytes, isEncoded: undefined }),
  send(reply, { contentType, bytes, encoding, header, trailer }) {
    for (const [name, value] of header) reply.header(name, value);
    for (const [name, value] of trailer) reply.header(`trailer-${name}`, value);
    if (encoding !== null) reply.header('content-encoding', encoding);
    return reply.header('content-type', contentType).send(bytes);
  },
};
