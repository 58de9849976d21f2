import type { FastifyRequest } from 'fastify';
import { invalid, type Problem } from '../../../base/problem.js';
import type { UnaryProtocol } from './protocol.js';

/** The call's timeout in milliseconds; undefined when the client sets none. Throws a 400 Problem for an invalid one. */
export function timeoutMsOf(
  { headers, timeoutMs }: UnaryProtocol,
  request: Pick<FastifyRequest, 'headers'>,
): number | undefined {
  const value = request.headers[headers.timeout];
  return value === undefined ? undefined : timeoutMs(String(value));
}

/**
 * The milliseconds that the library has parsed. Throws a 400 Problem instead of its error, which repeats the header.
 */
export function parsedTimeoutMs({ timeoutMs }: { readonly timeoutMs?: number }): number {
  if (timeoutMs !== undefined) return timeoutMs;
  throw invalidTimeout();
}

export function invalidTimeout(): Problem {
  return invalid([{ field: '', rule: 'timeout', message: 'The timeout is malformed' }]);
}
