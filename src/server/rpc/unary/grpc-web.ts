import { contentTypeJson, contentTypeProto } from '@connectrpc/connect/protocol-grpc-web';
import { enveloped, envelopedTrailers } from '../wire/envelope.js';
import type { UnaryProtocol } from '../wire/protocol.js';
import { grpc } from './grpc.js';

/** gRPC-Web: as gRPC, but the trailers are a further envelope of the body. */
export const grpcWeb: UnaryProtocol = {
  ...grpc,
  contentTypes: { protobuf: contentTypeProto, json: contentTypeJson },
  send(reply, { contentType, bytes, encoding, header, trailer }) {
    for (const [name, value] of header) reply.header(name, value);
    if (encoding !== null) reply.header('grpc-encoding', encoding);
    const trailers = new Headers(trailer);
    trailers.set('grpc-status', '0');
    const body = Buffer.concat([enveloped(bytes, encoding !== null), envelopedTrailers(trailers)]);
    return reply.header('content-type', contentType).send(body);
  },
};
