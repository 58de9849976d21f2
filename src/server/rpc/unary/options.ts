import type { DescMethod, DescMethodUnary, Registry } from '@bufbuild/protobuf';
import type { ConnectError, ContextValues, Transport } from '@connectrpc/connect';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import type { MethodRule } from '../../../../gen/byway/options/v1/options_pb.js';
import type { Ids } from '../../../base/ids.js';
import type { Problem } from '../../../base/problem.js';
import type { AnswerCache } from '../../../rest/answer-cache.js';
import type { CallerChecks } from '../../guard/caller-checks.js';
import type { RequestMeter } from '../../metrics/http.js';
import type { Http2Routes } from '../../port/http2-routes.js';

/** A request as calls see it, whatever serves it. */
export type CallRequest = Pick<FastifyRequest, 'caller' | 'headers' | 'method' | 'query'>;

export interface UnaryRoutesOptions {
  readonly methods: readonly DescMethodUnary[];
  /** Calls the interceptor chain in process. */
  readonly transport: Transport;
  /** The bytes of answers that are sent again; none are kept when left out. */
  readonly answers?: AnswerCache;
  /** Max bytes of a message. */
  readonly limitOf: (method: DescMethod) => number;
  /** The context values of a request's call. */
  readonly contextValues?: (request: CallRequest) => ContextValues;
  /** The types that messages may carry as `google.protobuf.Any`; none when left out. */
  readonly registry?: Registry;
  /** Turns a Problem into an error; one with an ErrorDetail when left out. */
  readonly toError?: (problem: Problem, userId: string | undefined) => ConnectError;
  /** Where gRPC over HTTP/2 is served without Fastify; it is served as the rest when left out. */
  readonly streams?: GrpcStreams;
}

/** What Fastify's hooks do otherwise. */
export interface GrpcStreams {
  readonly routes: Http2Routes;
  readonly admission: CallerChecks;
  /** Who may call the method at an RPC path. */
  readonly ruleOf: (path: string) => MethodRule | undefined;
  readonly ids: Ids;
  readonly log: Pick<FastifyBaseLogger, 'debug' | 'error' | 'level'>;
  /** Counts the call when its stream has ended. */
  readonly countCall?: RequestMeter['countCall'];
}
