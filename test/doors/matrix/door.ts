import type { DescMethod, Message } from '@bufbuild/protobuf';
import type { TestGateway } from '../../support/gateway.js';
import { connectDoors } from './connect-doors.js';
import { connectJsonDoor } from './connect-json-door.js';
import { grpcJsDoor } from './grpc-js-door.js';
import { inProcessDoor } from './in-process-door.js';
import type { Outcome } from './outcome.js';
import { restDoor } from './rest-door.js';

/** One way into the gateway, with a client that calls it. */
export interface Door {
  /** Makes the call with the secret; null = without a credential. */
  call(method: DescMethod, message: Message, secret: string | null): Promise<Outcome>;
  close?(): void;
}

/** How the doors differ as far as cases are concerned. */
export type DoorKind = 'rest' | 'rpc' | 'in_process';

/** Every door by the name of what its client speaks. */
export const DOORS: Readonly<Record<string, { kind: DoorKind; open: (gateway: TestGateway) => Door }>> = {
  REST: { kind: 'rest', open: restDoor },
  'Connect JSON, raw': { kind: 'rpc', open: connectJsonDoor },
  'Connect JSON': { kind: 'rpc', open: connectDoors.json },
  'Connect binary': { kind: 'rpc', open: connectDoors.binary },
  'Connect binary over HTTP/2': { kind: 'rpc', open: connectDoors.http2 },
  'gRPC-Web': { kind: 'rpc', open: connectDoors.grpcWeb },
  gRPC: { kind: 'rpc', open: connectDoors.grpc },
  'gRPC with @grpc/grpc-js': { kind: 'rpc', open: grpcJsDoor },
  'in process': { kind: 'in_process', open: inProcessDoor },
};
