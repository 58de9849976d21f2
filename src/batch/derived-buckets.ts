/** The buckets that the service makes itself: which names they may have, and where they are (spec 4.6.1). Pure. */
import { sha256Hex } from '../base/ids.js';
import { trimEnd } from '../base/trim-end.js';

/** Where the objects of jobs are that any region may run: storage knows no such place. */
const GLOBAL_LOCATION = 'US';

/** Names are public property: somebody else may have taken the first. */
const SPARE_NAMES = 3;

const HASH_CHARACTERS = 20;
const REGION_CHARACTERS = 26;

/**
 * The names for a project's bucket in a region, the first one to be preferred. They tell nothing of the project, are at
 * most 63 characters long, and all begin with the first.
 */
export function derivedBucketNames(projectId: string, region: string | null): readonly [string, ...string[]] {
  const place = region ?? 'global';
  const hash = sha256Hex(`${projectId}:${place}`).slice(0, HASH_CHARACTERS);
  const name = trimEnd(`byway-batch-${hash}-${place.slice(0, REGION_CHARACTERS)}`, '-');
  return [name, ...Array.from({ length: SPARE_NAMES }, (_, index) => `${name}-${index + 1}`)];
}

/** The location of the bucket, as storage spells it. */
export function bucketLocation(region: string | null): string {
  return region === null ? GLOBAL_LOCATION : region.toUpperCase();
}
