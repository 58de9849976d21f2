import type { FastifyRequest } from 'fastify';
import { invalid, type Problem } from '../../../base/problem.js';
import type { UnaryProtocol } from './protocol.js';

/** How long the call may take, in milliseconds; undefined where its client does not say. Throws a 400 Problem. */
export function timeoutMsOf(
  { headers, timeoutMs }: UnaryProtocol,
  request: FastifyRequest,
): number | undefined {
  const value = request.headers[headers.timeout];
  return value === undefined ? undefined : timeoutMs(String(value));
}

/**
 * The milliseconds that the library has parsed. Throws a 400 Problem instead of its error, which repeats the header.
 */
export function parsedTimeoutMs({ timeoutMs }: { readonly timeoutMs?: number }): number {
  if (timeoutMs !== undefined) return timeoutMs;
  throw malformedTimeout();
}

/** The 400 for a timeout that says nothing. */
export function malformedTimeout(): Problem {
  return invalid([{ field: '', rule: 'timeout', message: 'The timeout is malformed' }]);
}
