import type { DescMethod, Message } from '@bufbuild/protobuf';
import type { TestGateway } from '../../support/gateway.js';
import { connectClients } from './connect-clients.js';
import { connectJsonClient } from './connect-json-client.js';
import { grpcJsClient } from './grpc-js-client.js';
import { inProcessClient } from './in-process-client.js';
import type { Outcome } from './outcome.js';
import { restClient } from './rest-client.js';

/** A client of one transport of the gateway. */
export interface TransportClient {
  /** Makes the call with the secret; null = without a credential. */
  call(method: DescMethod, message: Message, secret: string | null): Promise<Outcome>;
  close?(): void;
}

/** The kinds of transports that cases distinguish. */
export type TransportKind = 'rest' | 'rpc' | 'in_process';

/** Every transport by the name of its protocol and client. */
export const TRANSPORTS: Readonly<
  Record<string, { kind: TransportKind; open: (gateway: TestGateway) => TransportClient }>
> = {
  REST: { kind: 'rest', open: restClient },
  'Connect JSON, raw': { kind: 'rpc', open: connectJsonClient },
  'Connect JSON': { kind: 'rpc', open: connectClients.json },
  'Connect binary': { kind: 'rpc', open: connectClients.binary },
  'Connect binary over HTTP/2': { kind: 'rpc', open: connectClients.http2 },
  'gRPC-Web': { kind: 'rpc', open: connectClients.grpcWeb },
  gRPC: { kind: 'rpc', open: connectClients.grpc },
  'gRPC with @grpc/grpc-js': { kind: 'rpc', open: grpcJsClient },
  'in process': { kind: 'in_process', open: inProcessClient },
};
