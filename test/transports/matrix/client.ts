import type { DescMethod, Message } from '@bufbuild/protobuf';
import type { TestGateway } from '../../support/gateway.js';
import { connectClients } from './connect-clients.js';
import { connectJsonClient } from './connect-json-client.js';
import { grpcJsClient } from './grpc-js-client.js';
import { inProcessClient } from './in-process-client.js';
import type { Outcome } from './outcome.js';
import { restClient } from './rest-client.js';

/** One way into the gateway, with a client that calls it. */
export interface TransportName {
  /** Makes the call with the secret; null = without a credential. */
  call(method: DescMethod, message: Message, secret: string | null): Promise<Outcome>;
  close?(): void;
}

/** How the doors differ as far as cases are concerned. */
export type TransportKind = 'rest' | 'rpc' | 'in_process';

/** Every door by the name of what its client speaks. */
export const TRANSPORTS: Readonly<
  Record<string, { kind: TransportKind; open: (gateway: TestGateway) => TransportName }>
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
