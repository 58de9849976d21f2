import type { DescMethod } from '@bufbuild/protobuf';
import type { ContextValues, Transport } from '@connectrpc/connect';
import type { FastifyRequest } from 'fastify';

/** The RPC core as REST calls it. */
export interface Core {
  /** Calls the interceptor chain in process. An open method takes an `OpenRequest` too, which is answered in JSON. */
  readonly transport: Transport & { isOpen(method: DescMethod): boolean };
  /** The context values of a request's call: its principal, its region, ... */
  readonly contextValues: (request: FastifyRequest) => ContextValues;
}
