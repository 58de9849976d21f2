import type { ContextValues, Transport } from '@connectrpc/connect';
import type { FastifyRequest } from 'fastify';

/** The RPC core as the REST door reaches it. */
export interface Core {
  /** Calls the corridor in process. */
  readonly transport: Transport;
  /** What the corridor is told of a request: the principal, the region, ... */
  readonly contextValues: (request: FastifyRequest) => ContextValues;
}
