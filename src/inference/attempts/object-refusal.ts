/**
 * Recognises refusals about an object that the request names, such as a file that the credential may not read. The
 * request is to blame for those, not the endpoint. Sources of the words:
 * `docs/providers/README.md#objects-that-a-request-names`.
 */
import { plainName } from '../../formats/plain-name.js';
import type { Reach } from '../../formats/shared-capacity/reach.js';
import type { Found } from '../../formats/shared-capacity/search.js';
import { UpstreamFailure } from '../ports/failure.js';

/** A forbidden object is refused with the same status as a credential without access. */
const FORBIDDEN = 403;

/**
 * The failure. If the provider forbids an object that the request reaches in the form it was sent, it is the request's
 * failure.
 */
export function blamedOnObject(failure: UpstreamFailure, reached: () => Reach): UpstreamFailure {
  if (failure.status !== FORBIDDEN || failure.kind !== 'auth') return failure;
  const { owned } = reached();
  const message = plainName(failure.message);
  if (!owned.some((found) => wordsOf(found).some((word) => message.includes(word)))) return failure;
  return new UpstreamFailure(failure.message, {
    kind: 'invalid_request',
    status: failure.status,
    providerError: failure.providerError ?? {},
    body: failure.body,
    cause: failure,
  });
}

/** Shorter words occur in too many other words. */
const MIN_CHARACTERS = 4;

/** What providers call the objects that an address names. */
const STORAGE_WORDS = ['bucket', 'storageobject', 'storage.objects', 'inputfile', 'thefile'];

const ENDS = /(?:ids?|uris?|config|identifier)$/;

/** The object's own name, as a message may repeat it, and what its kind is called. */
function wordsOf({ name, value }: Found): readonly string[] {
  const isAddress = /[:.]/.test(name);
  const kind = isAddress ? STORAGE_WORDS : [plainName(name).replace(ENDS, '')];
  const path = plainName((value ?? '').replace(/^[^/]*:\/\//, ''));
  return [...kind, path].filter((word) => word.length >= MIN_CHARACTERS);
}
