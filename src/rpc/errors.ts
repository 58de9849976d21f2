import { create, type JsonObject } from '@bufbuild/protobuf';
import { Code, ConnectError, type Interceptor } from '@connectrpc/connect';
import { ErrorDetailSchema } from '../../gen/byway/v1/error_pb.js';
import { Problem, type Code as ProblemCode, type Reason, toProblem } from '../base/problem.js';
import { userIdOf } from '../identity/principal.js';
import { callerKey } from './caller.js';
import { breaksProtocol, notOneMessage } from './protocol-errors.js';

/** Where internal failures are told, with everything that no caller may see. */
export interface FailureLog {
  error(fields: object, message: string): void;
}

/**
 * Makes every failure of a service a Connect error that carries the envelope's fields; internal ones are logged whole.
 * Protocol errors stay as they are.
 */
export function reportErrors(log: FailureLog): Interceptor {
  return (next) => async (request) => {
    const caller = request.contextValues.get(callerKey);
    const report = (thrown: unknown): ConnectError => {
      if (thrown instanceof ConnectError && thrown.findDetails(ErrorDetailSchema).length > 0) return thrown;
      if (breaksProtocol(thrown)) return thrown;
      // What the library says of no message, or several, where one is due.
      if (codeOf(thrown) === Code.Unimplemented) return notOneMessage();
      const problem = problemOf(thrown, request.signal);
      const told = TOLD_TO_OPERATOR[problem.reason];
      if (told !== undefined) {
        const method = `${request.service.typeName}/${request.method.name}`;
        log.error({ err: problem.cause, method, requestId: caller.requestId }, told);
      }
      return toConnectError(problem, userIdOf(caller.principal));
    };
    try {
      const response = await next(request);
      return response.stream ? { ...response, message: guard(response.message, report) } : response;
    } catch (thrown) {
      throw report(thrown);
    }
  };
}

/** The Connect error for a problem: code, public message, `retry-after` as metadata and an ErrorDetail. */
export function toConnectError(problem: Problem, userId: string | undefined): ConnectError {
  const { retryAfterSeconds } = problem;
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
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

/** Failures that are nobody's fault but the gateway's or its database's. */
const TOLD_TO_OPERATOR: { readonly [reason in Reason]?: string } = {
  internal: 'internal error',
  database_unavailable: 'the database is not available',
};

/** What the library throws has no detail, and chats know no other end than that their client has gone. */
function problemOf(thrown: unknown, { reason }: AbortSignal): Problem {
  const problem = LIBRARY.get(codeOf(thrown))?.() ?? toProblem(thrown);
  if (problem.reason !== 'client_closed' || codeOf(reason) !== Code.DeadlineExceeded) return problem;
  return deadlinePassed();
}

const LIBRARY: ReadonlyMap<Code | undefined, () => Problem> = new Map([
  [Code.Canceled, () => new Problem('client_closed', 'Client closed the request')],
  [Code.DeadlineExceeded, deadlinePassed],
]);

function deadlinePassed(): Problem {
  return new Problem('request_timeout', 'The deadline of the call has passed');
}

function codeOf(thrown: unknown): Code | undefined {
  return thrown instanceof ConnectError ? thrown.code : undefined;
}

async function* guard<T>(
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
