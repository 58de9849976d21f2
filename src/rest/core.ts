import type { ContextValues, Transport } from '@connectrpc/connect';
import type { FastifyRequest } from 'fastify';

/** The RPC core as REST calls it. */
export interface Core {
  /** Calls the interceptor chain in process. */
  readonly transport: Transport;
  /** The context values of a request's call: its principal, its region, ... */
  readonly contextValues: (request: FastifyRequest) => ContextValues;
}
