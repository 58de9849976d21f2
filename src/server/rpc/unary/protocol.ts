import type { DescMethod, DescMethodUnary, Registry } from '@bufbuild/protobuf';
import type { ConnectError, ContextValues, Transport } from '@connectrpc/connect';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { MethodRule } from '../../../../gen/byway/options/v1/options_pb.js';
import type { Ids } from '../../../base/ids.js';
import type { Problem } from '../../../base/problem.js';
import type { AnswerCache } from '../../../rest/answer-cache.js';
import type { Admission } from '../../guard/admission.js';
import type { RequestMeter } from '../../metrics/http.js';
import type { Http2Routes } from '../../port/http2-routes.js';

/** What differs between the RPC protocols in unary calls: where things are in a request and in an answer. */
export interface UnaryProtocol {
  /** Names of headers, in lower case. */
  readonly headers: {
    readonly timeout: string;
    readonly encoding: string;
    readonly acceptEncoding: string;
  };
  /** Content types of answers. */
  readonly contentTypes: Readonly<Record<MessageFormat, string>>;
  /** The timeout that the header's value names. Throws a 400 Problem for an invalid one. */
  timeoutMs(value: string): number;
  /** The one message of the request. Throws a protocol error for a body that does not hold exactly one. */
  unpack(body: Buffer): PackedMessage;
  /** Answers. */
  send(reply: FastifyReply, answer: UnaryAnswer): FastifyReply;
}

/** A serialised message as received. */
export interface PackedMessage {
  readonly bytes: Uint8Array;
  /** Whether its envelope flags it as compressed; undefined where only the request's header tells. */
  readonly isEncoded: boolean | undefined;
}

export interface UnaryAnswer {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** The encoding of the bytes; null = not compressed. */
  readonly encoding: string | null;
  readonly header: Headers;
  readonly trailer: Headers;
}

/** How messages are serialised. */
export type MessageFormat = 'protobuf' | 'json';

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
  readonly admission: Admission;
  /** Who may call the method at an RPC path. */
  readonly ruleOf: (path: string) => MethodRule | undefined;
  readonly ids: Ids;
  readonly log: Pick<FastifyBaseLogger, 'debug' | 'error' | 'level'>;
  /** Counts the call when its stream has ended. */
  readonly countCall?: RequestMeter['countCall'];
}
