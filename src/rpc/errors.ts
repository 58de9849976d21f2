import { create, type JsonObject } from '@bufbuild/protobuf';
import { Code, ConnectError, type Interceptor } from '@connectrpc/connect';
import { ErrorDetailSchema } from '../../gen/byway/v1/error_pb.js';
import { clientClosed, Problem, type Code as ProblemCode, type Reason, toProblem } from '../base/problem.js';
import { mapStream, PushStream } from '../base/push-stream.js';
import { userIdOf } from '../identity/principal.js';
import { callerKey } from './caller.js';
import { isProtocolError, notOneMessage } from './protocol-errors.js';

/** The log of internal failures, with everything that no caller may see. */
export interface FailureLog {
  error(fields: object, message: string): void;
}

/**
 * Turns every failure of a service into a Connect error with an ErrorDetail, and logs internal failures in full.
 * Protocol errors pass unchanged.
 */
export function reportErrors(log: FailureLog): Interceptor {
  return (next) => async (request) => {
    const caller = request.contextValues.get(callerKey);
    const report = (thrown: unknown): ConnectError => {
      if (thrown instanceof ConnectError && thrown.findDetails(ErrorDetailSchema).length > 0) return thrown;
      if (isProtocolError(thrown)) return thrown;
      // Connect throws this for no message, or several, where the method takes one.
      if (codeOf(thrown) === Code.Unimplemented) return notOneMessage();
      const problem = problemOf(thrown, request.signal);
      const logMessage = LOG_MESSAGES[problem.reason];
      if (logMessage !== undefined) {
        const method = `${request.service.typeName}/${request.method.name}`;
        log.error({ err: problem.cause, method, requestId: caller.requestId }, logMessage);
      }
      return toConnectError(problem, userIdOf(caller.principal));
    };
    try {
      const response = await next(request);
      return response.stream
        ? { ...response, message: withReportedErrors(response.message, report) }
        : response;
    } catch (thrown) {
      throw report(thrown);
    }
  };
}

/** Header of answers to callers under limits: what is left of the tightest one, in USD. */
export const REMAINING_USD = 'x-byway-remaining-usd';

/** The Connect error for a problem: code, public message, headers as metadata and an ErrorDetail. */
export function toConnectError(problem: Problem, userId: string | undefined): ConnectError {
  const { retryAfterSeconds, remainingUsd } = problem;
  const headers = {
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    ...(remainingUsd !== undefined && { [REMAINING_USD]: remainingUsd }),
  };
  const detail = create(ErrorDetailSchema, {
    httpStatus: problem.httpStatus,
    reason: problem.reason,
    violations: [...problem.violations],
    metadata: problem.metadata as JsonObject,
  });
  if (userId !== undefined) detail.userId = userId;
  return new ConnectError(problem.message, CODES[problem.code], headers, [
    { desc: ErrorDetailSchema, value: detail },
  ]);
}

/** What is logged of failures of the gateway itself or its database; no other failure is logged. */
const LOG_MESSAGES: { readonly [reason in Reason]?: string } = {
  internal: 'internal error',
  database_unavailable: 'the database is not available',
};

/**
 * The library's own errors have no detail. A chat whose deadline passes fails as `client_closed`: it sees only that
 * the signal is aborted.
 */
function problemOf(thrown: unknown, { reason }: AbortSignal): Problem {
  const problem = LIBRARY_PROBLEMS.get(codeOf(thrown))?.() ?? toProblem(thrown);
  if (problem.reason !== 'client_closed' || codeOf(reason) !== Code.DeadlineExceeded) return problem;
  return deadlinePassed();
}

const LIBRARY_PROBLEMS: ReadonlyMap<Code | undefined, () => Problem> = new Map([
  [Code.Canceled, clientClosed],
  [Code.DeadlineExceeded, deadlinePassed],
]);

function deadlinePassed(): Problem {
  return new Problem('request_timeout', 'The deadline of the call has passed');
}

function codeOf(thrown: unknown): Code | undefined {
  return thrown instanceof ConnectError ? thrown.code : undefined;
}

function withReportedErrors<T>(
  messages: AsyncIterable<T>,
  report: (thrown: unknown) => ConnectError,
): AsyncIterable<T> {
  if (!(messages instanceof PushStream)) return pulledWithReportedErrors(messages, report);
  return mapStream(messages as PushStream<T>, { items: (items) => items, error: report });
}

async function* pulledWithReportedErrors<T>(
  messages: AsyncIterable<T>,
  report: (thrown: unknown) => ConnectError,
): AsyncIterable<T> {
  try {
    yield* messages;
  } catch (thrown) {
    throw report(thrown);
  }
}

const CODES: Record<ProblemCode, Code> = {
  canceled: Code.Canceled,
  invalid_argument: Code.InvalidArgument,
  deadline_exceeded: Code.DeadlineExceeded,
  not_found: Code.NotFound,
  already_exists: Code.AlreadyExists,
  permission_denied: Code.PermissionDenied,
  resource_exhausted: Code.ResourceExhausted,
  failed_precondition: Code.FailedPrecondition,
  unimplemented: Code.Unimplemented,
  internal: Code.Internal,
  unavailable: Code.Unavailable,
  unauthenticated: Code.Unauthenticated,
};
