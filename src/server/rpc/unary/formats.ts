import { utf8MediaType } from '../../../http/media-type.js';
import type { MessageFormat, UnaryProtocol } from '../wire/protocol.js';
import { unsupportedRpcType } from '../wire/refusal.js';
import { connect } from './connect.js';
import { grpc } from './grpc.js';
import { grpcWeb } from './grpc-web.js';

interface CallFormat {
  readonly protocol: UnaryProtocol;
  readonly format: MessageFormat;
}

/** Protocol and format of a unary call. Throws a 415 Problem for a content type that unary calls do not have. */
export function formatOf(contentType: string | undefined): CallFormat {
  const exact = FORMATS.get(contentType ?? '');
  if (exact !== undefined) return exact;
  const found = FORMATS.get(utf8MediaType(contentType ?? '') ?? '');
  if (found === undefined) throw unsupportedRpcType();
  return found;
}

const FORMATS: ReadonlyMap<string, CallFormat> = new Map([
  ['application/json', { protocol: connect, format: 'json' }],
  ['application/proto', { protocol: connect, format: 'protobuf' }],
  ['application/grpc', { protocol: grpc, format: 'protobuf' }],
  ['application/grpc+proto', { protocol: grpc, format: 'protobuf' }],
  ['application/grpc+json', { protocol: grpc, format: 'json' }],
  ['application/grpc-web', { protocol: grpcWeb, format: 'protobuf' }],
  ['application/grpc-web+proto', { protocol: grpcWeb, format: 'protobuf' }],
  ['application/grpc-web+json', { protocol: grpcWeb, format: 'json' }],
]);
