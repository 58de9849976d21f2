import type { UpstreamFailure } from '../../inference/attempts/failure.js';
import { connectionTimeout, malformed, reset, truncated, unreachable } from './failures.js';
import { undici } from './undici.js';

/** Whether the response had begun. */
export type Phase = 'request' | 'answer';

const FAILURE_BY_CODE: ReadonlyMap<string, (cause: unknown) => UpstreamFailure> = new Map([
  ['ECONNRESET', reset],
  ['EPIPE', reset],
  ['UND_ERR_SOCKET', reset],
  ['HPE_INVALID_EOF_STATE', reset],
  ['ETIMEDOUT', connectionTimeout],
  ['UND_ERR_CONNECT_TIMEOUT', connectionTimeout],
  ['UND_ERR_HEADERS_OVERFLOW', malformed],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', truncated],
]);

/**
 * The `UpstreamFailure` of a network error, which is its cause: its own message is only for the log, since it names
 * addresses. Other errors (aborts, bugs) are returned unchanged.
 */
export function networkFailure(error: unknown, phase: Phase): unknown {
  // Most errors of undici's parser have no code.
  if (error instanceof undici().errors.HTTPParserError && error.code === undefined) return malformed(error);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code !== 'string' || error instanceof DOMException) return error;
  const known = FAILURE_BY_CODE.get(code);
  if (known !== undefined) return known(error);
  if (code.startsWith('HPE_')) return malformed(error);
  if (code.startsWith('UND_ERR_')) return error;
  return phase === 'request' ? unreachable(error) : reset(error);
}
