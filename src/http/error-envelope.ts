import { Code, ConnectError } from '@connectrpc/connect';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorDetail, ErrorDetailSchema } from '../../gen/byway/v1/error_pb.js';
import { clientClosed, type Metadata, Problem, type Reason, toProblem } from '../base/problem.js';
import { ENVELOPE_MEMBERS } from '../protobuf/aliases.js';
import type { Aliases } from '../protobuf/write.js';
import type { ApiConventions, Failed } from './api-conventions.js';
import { FIXED_HEADERS } from './headers.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The user that the caller acts as, once it is known; error envelopes name it. */
    userId: string | undefined;
  }

  interface FastifyInstance {
    /** The operator's other names of members in answers; none where it is missing. */
    fieldAliases?: Aliases;
    /** The conventions of a request's API, where it has its own. */
    conventionsOf?: (request: FastifyRequest) => ApiConventions | undefined;
  }
}

/** The body of every error (docs/compatibility.md#errors). */
interface ErrorEnvelope {
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly metadata: Metadata;
  };
  readonly user_id?: string;
  readonly service_metadata?: Metadata;
}

/** An error as HTTP, complete: it is also written where no hook of Fastify adds a header. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorEnvelope;
}

/**
 * The answer for whatever was thrown: a Problem, an error of an RPC, an error of the HTTP framework. Anything else is
 * answered as `Internal server error`, without details. `wordsOf`: further members of `error`.
 */
export function errorAnswer(
  thrown: unknown,
  userId?: string,
  wordsOf: ApiConventions['errorWords'] = () => NO_WORDS,
): ErrorAnswer {
  const failed = failedBy(thrown);
  const { httpStatus: status, message, reason, violations, metadata } = failed;
  const user_id = failed.userId ?? userId;
  const shown = violations.length > 0 ? { reason, violations, ...metadata } : { reason, ...metadata };
  return {
    status,
    headers: errorHeaders(failed),
    body: {
      error: { code: status, message, ...wordsOf(failed), metadata: shown },
      ...(user_id !== undefined && { user_id }),
    },
  };
}

const NO_WORDS = {};

export function failedBy(thrown: unknown): Failed {
  return thrown instanceof ConnectError ? connectFailure(thrown) : problemFailure(problemOf(thrown));
}

function errorHeaders({ retryAfter, remainingUsd }: Failed): ErrorAnswer['headers'] {
  return {
    ...FIXED_HEADERS,
    'Cache-Control': 'no-store',
    ...(retryAfter !== null && { 'Retry-After': retryAfter }),
    ...(remainingUsd !== null && { 'X-Byway-Remaining-Usd': remainingUsd }),
  };
}

/** The Problem for what was thrown: itself, the one for an error of the HTTP framework, or an internal error. */
export function problemOf(thrown: unknown): Problem {
  return thrown instanceof Problem ? thrown : (frameworkProblem(thrown) ?? toProblem(thrown));
}

/** Answers with the error's envelope: Fastify's error handler, on every scope, and its handler of framework errors. */
export function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { errorForm, errorWords } = request.server.conventionsOf?.(request) ?? {};
  const { status, headers, body } = errorAnswer(thrown, request.userId, errorWords);
  if (status === 500 && !(thrown instanceof ConnectError))
    request.log.error({ err: thrown }, 'unexpected error');
  if (errorForm !== undefined) {
    const formed = errorForm(failedBy(thrown), request.id);
    return reply
      .code(formed.status)
      .headers(headers)
      .type('application/json; charset=utf-8')
      .send(formed.body);
  }
  return reply
    .code(status)
    .headers(headers)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(withAliases(body, request.server.fieldAliases)));
}

/** The envelope with its members also under their aliases; members of `error` have none. */
function withAliases(body: ErrorEnvelope, aliases: Aliases = new Map()): object {
  const copies = ENVELOPE_MEMBERS.flatMap((name) =>
    name in body ? (aliases.get(name) ?? []).map((alias) => [alias, body[name]]) : [],
  );
  return { ...body, ...Object.fromEntries(copies) };
}

function problemFailure(problem: Problem): Failed {
  const {
    httpStatus,
    message,
    reason,
    violations,
    metadata,
    retryAfterSeconds,
    remainingUsd = null,
  } = problem;
  const retryAfter = retryAfterSeconds === undefined ? null : String(retryAfterSeconds);
  return { httpStatus, message, reason, violations, metadata, retryAfter, remainingUsd };
}

/** An error of the RPC core has its ErrorDetail; what it says without one is not for the caller. */
function connectFailure(error: ConnectError): Failed {
  const [detail] = error.findDetails(ErrorDetailSchema);
  if (detail !== undefined) return detailFailure(error, detail);
  if (error.cause instanceof Problem) return problemFailure(error.cause);
  if (error.code === Code.Canceled) return problemFailure(clientClosed());
  return problemFailure(toProblem(error));
}

function detailFailure(error: ConnectError, { httpStatus, reason, ...detail }: ErrorDetail): Failed {
  return {
    httpStatus,
    message: error.rawMessage,
    // Written by `toConnectError`.
    reason: reason as Reason,
    violations: detail.violations.map(({ field, rule, message }) => ({ field, rule, message })),
    metadata: detail.metadata ?? {},
    retryAfter: error.metadata.get('retry-after'),
    remainingUsd: error.metadata.get('x-byway-remaining-usd'),
    userId: detail.userId,
  };
}

/** The Problem that an error of Fastify stands for; undefined for an internal error. */
function frameworkProblem(thrown: unknown): Problem | undefined {
  switch (thrown instanceof Error && 'code' in thrown ? thrown.code : undefined) {
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_NOT_FOUND':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new Problem('unknown_path', 'Unknown path');
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('body_too_large', 'Request body is too large');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedMediaType();
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem('invalid_request', 'Request body does not have the length that its header says');
    case 'ECONNRESET':
    case 'ECONNABORTED':
      return clientClosed();
    default:
      return undefined;
  }
}

/** For a body that is not JSON in UTF-8. */
export function unsupportedMediaType(): Problem {
  return new Problem('unsupported_media_type', 'Content-Type must be application/json');
}
