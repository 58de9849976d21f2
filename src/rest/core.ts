import type { DescMethod } from '@bufbuild/protobuf';
import type { ContextValues, Transport } from '@connectrpc/connect';
import type { FastifyRequest } from 'fastify';
import type { Apis } from '../http/api-conventions.js';
import type { Aliases } from '../protobuf/write.js';
import type { AnswerCache } from './answer-cache.js';

/** The RPC core as REST calls it. */
export interface Core {
  /** Calls the interceptor chain in process. An open method takes an `OpenRequest` too, which is answered in JSON. */
  readonly transport: Transport & { isOpen(method: DescMethod): boolean };
  /** The bytes of answers that are sent again. */
  readonly answers: AnswerCache;
  readonly apis: Apis;
  /** The operator's other names of members in answers. */
  readonly aliases: Aliases;
  /** After how much silence a stream shows that it lives, in milliseconds; 0 = never. */
  readonly pingMs: number;
  /** The context values of a request's call: its principal, its region, ... */
  readonly contextValues: (request: FastifyRequest) => ContextValues;
}
