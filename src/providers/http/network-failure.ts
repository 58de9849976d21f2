import { errors } from 'undici';
import type { UpstreamFailure } from '../../inference/attempts/failure.js';
import { connectionTimeout, malformed, reset, truncated, unreachable } from './failures.js';

/** How far a request had come: whether its answer had begun. */
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
 * What an error of the network means for the attempt. Its own message is for the log alone: it names addresses. An
 * error that is none of the network's (an abort, a mistake) comes back as it is.
 */
export function networkFailure(error: unknown, phase: Phase): unknown {
  // The client's parser knows of most of its errors no code.
  if (error instanceof errors.HTTPParserError && error.code === undefined) return malformed(error);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code !== 'string' || error instanceof DOMException) return error;
  const known = FAILURE_BY_CODE.get(code);
  if (known !== undefined) return known(error);
  if (code.startsWith('HPE_')) return malformed(error);
  if (code.startsWith('UND_ERR_')) return error;
  return phase === 'request' ? unreachable(error) : reset(error);
}
