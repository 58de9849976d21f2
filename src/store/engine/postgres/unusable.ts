import { PostgresUrlError } from '../../../base/postgres/url.js';
import { Problem } from '../../../base/problem.js';
import { DatabaseUnusable } from '../unavailable.js';
import { ConnectionLost, isServerError } from './connection/errors.js';
import { PostgresServer } from './connection/server.js';

/** DatabaseUnusable with words for the operator when the error is one of PostgreSQL; any other error unchanged. */
export function asUnusablePostgres(error: unknown, url: string): unknown {
  const told = error instanceof Problem ? error.cause : error;
  if (told instanceof ConnectionLost) return new DatabaseUnusable(told.message);
  if (!isServerError(error)) return error;
  try {
    return new DatabaseUnusable(new PostgresServer(url).wordsOf(error));
  } catch (fault) {
    return fault instanceof PostgresUrlError ? error : fault;
  }
}
