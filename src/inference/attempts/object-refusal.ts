/**
 * Refusals that are about an object that the request names, such as a file that the credential may not read: the request's
 * fault, not the endpoint's. Sources of the words: `docs/providers/README.md#objects-that-a-request-names`.
 */
import { plainName } from '../../formats/plain-name.js';
import type { Reach } from '../../formats/shared/reach.js';
import type { Found } from '../../formats/shared/search.js';
import { UpstreamFailure } from '../ports/failure.js';

/** Whoever may not read an object is refused as whoever may not call at all. */
const FORBIDDEN = 403;

/** The failure, or one of the request where the provider forbids an object that the request, as it was sent, reaches. */
export function blamedOnObject(failure: UpstreamFailure, reached: () => Reach): UpstreamFailure {
  if (failure.status !== FORBIDDEN || failure.kind !== 'auth') return failure;
  const { owned } = reached();
  const told = plainName(failure.message);
  if (!owned.some((found) => wordsOf(found).some((word) => told.includes(word)))) return failure;
  return new UpstreamFailure(failure.message, {
    kind: 'invalid_request',
    status: failure.status,
    providerError: failure.providerError ?? {},
    body: failure.body,
    cause: failure,
  });
}

/** Shorter words are in too many others. */
const MIN_CHARACTERS = 4;

/** What providers call the objects of an address. */
const STORAGE_WORDS = ['bucket', 'storageobject', 'storage.objects', 'inputfile', 'thefile'];

const ENDS = /(?:ids?|uris?|config|identifier)$/;

/** The object itself, as far as a message may name it, and what its kind is called. */
function wordsOf({ name, value }: Found): readonly string[] {
  const isAddress = /[:.]/.test(name);
  const kind = isAddress ? STORAGE_WORDS : [plainName(name).replace(ENDS, '')];
  const path = plainName((value ?? '').replace(/^[^/]*:\/\//, ''));
  return [...kind, path].filter((word) => word.length >= MIN_CHARACTERS);
}
