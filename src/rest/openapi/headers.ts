import type { JsonObject } from '@bufbuild/protobuf';
import { reference } from './schema.js';

/** Headers of answers, by name. */
export const HEADERS = {
  'Content-Disposition': header('string', 'That browsers store the answer as a file, and its name.'),
  ETag: header('string', 'Stands for this very answer, to be sent as `If-None-Match` later.'),
  'Retry-After': header('integer', 'Seconds to wait before another try.'),
  'X-Byway-Adapted': header(
    'string',
    'Members of the request that were sent otherwise than written, or not; without those that no answer shows.',
  ),
  'X-Byway-Cache': header(
    'string',
    '`hit` for an answer of the cache, `miss` where it was looked for and not found.',
  ),
  'X-Byway-Remaining-Usd': header(
    'string',
    'What is neither spent nor reserved of the tightest limit or budget of the caller, in USD; where there is one.',
  ),
  'X-Generation-Id': header('string', 'Identifier of the generation that the request became.'),
  'X-RateLimit-Limit': header(
    'integer',
    'Requests that may be made in a minute. On every answer to an administrative call behind authentication, where these are bounded.',
  ),
  'X-RateLimit-Remaining': header('integer', 'Requests that are left.'),
  'X-RateLimit-Reset': header('integer', 'When all of them are there again, in Unix milliseconds.'),
  'X-Request-Id': header('string', "Identifier of the request: the caller's own where a sane one was sent."),
};

/** The headers of the administrative rate limit. */
export const RATE_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const;

/** The `headers` of an answer: these, and the one that every answer has. */
export function headersOf(...names: readonly (keyof typeof HEADERS)[]): JsonObject {
  return Object.fromEntries([...names, 'X-Request-Id'].map((name) => [name, reference('headers', name)]));
}

function header(type: string, description: string): JsonObject {
  return { description, schema: { type } };
}
