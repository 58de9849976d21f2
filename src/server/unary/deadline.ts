import { invalid } from '../../base/problem.js';

/** The milliseconds that the library has parsed. Throws a 400 Problem instead of its error, which repeats the header. */
export function timeoutMsOf({ timeoutMs }: { readonly timeoutMs?: number }): number {
  if (timeoutMs !== undefined) return timeoutMs;
  throw invalid([{ field: '', rule: 'timeout', message: 'The timeout is malformed' }]);
}
