/**
 * Chooses the bucket that a batch is staged in: only one that the project is known to own. See
 * docs/batches.md#which-bucket.
 */

import { sha256Hex } from '../base/ids.js';
import { invalid, type Problem } from '../base/problem.js';
import type { Signal } from '../base/signal.js';
import { trimEnd } from '../base/text.js';
import { JobCallFailure, KEY_FIELD } from './failure.js';
import type { JobTarget, Storage } from './ports.js';

type Buckets = Pick<Storage, 'ownBuckets' | 'createBucket' | 'checkBucket'>;

/** The location of buckets for jobs without a region: storage has no global location. */
const GLOBAL_LOCATION = 'US';

/**
 * Further names to try. Bucket names are global across all projects, so somebody else may have taken the first one.
 */
const SPARE_NAMES = 3;

const HASH_CHARACTERS = 20;
const REGION_CHARACTERS = 26;

/**
 * Returns the bucket that the key names. Without one it is the service's own bucket for the project and the region,
 * which is created if it does not exist. Throws `JobCallFailure` when a permission is missing, and a 400 Problem that
 * names a bucket of another project.
 */
export async function bucketFor(storage: Buckets, target: JobTarget, signal: Signal): Promise<string> {
  const { bucket } = target.credential;
  const name =
    bucket === null
      ? await serviceBucket(storage, target, signal)
      : await named(storage, target, bucket, signal);
  await storage.checkBucket(target, name, signal);
  return name;
}

async function named(storage: Buckets, target: JobTarget, bucket: string, signal: Signal): Promise<string> {
  const own = await storage.ownBuckets(target, bucket, signal);
  if (!own.includes(bucket)) throw notOwned(bucket);
  return bucket;
}

/** Skips names that somebody else has taken. */
async function serviceBucket(storage: Buckets, target: JobTarget, signal: Signal): Promise<string> {
  const names = derivedBucketNames(target.credential.projectId, target.region);
  const known = await firstOwned(storage, target, names, signal);
  if (known !== undefined) return known;
  for (const name of names) {
    try {
      await storage.createBucket(target, name, bucketLocation(target.region), signal);
      return name;
    } catch (thrown) {
      if (!(thrown instanceof JobCallFailure) || thrown.kind !== 'conflict') throw thrown;
      // Another batch of the project may have created it meanwhile.
      const created = await firstOwned(storage, target, names, signal);
      if (created !== undefined) return created;
    }
  }
  throw allTaken(names[0]);
}

/**
 * The names to try for the service's bucket of a project and a region, in order of preference. They reveal nothing
 * about the project, have at most 63 characters, and all start with the first.
 */
export function derivedBucketNames(projectId: string, region: string | null): readonly [string, ...string[]] {
  const location = region ?? 'global';
  const hash = sha256Hex(`${projectId}:${location}`).slice(0, HASH_CHARACTERS);
  const name = trimEnd(`byway-batch-${hash}-${location.slice(0, REGION_CHARACTERS)}`, '-');
  return [name, ...Array.from({ length: SPARE_NAMES }, (_, index) => `${name}-${index + 1}`)];
}

/** The location of the bucket, as the storage API spells it. */
function bucketLocation(region: string | null): string {
  return region === null ? GLOBAL_LOCATION : region.toUpperCase();
}

async function firstOwned(
  storage: Buckets,
  target: JobTarget,
  names: readonly [string, ...string[]],
  signal: Signal,
): Promise<string | undefined> {
  const own = await storage.ownBuckets(target, names[0], signal);
  return names.find((name) => own.includes(name));
}

function notOwned(bucket: string): Problem {
  return invalid([
    {
      field: KEY_FIELD,
      rule: 'bucket_owner',
      message: `the bucket ${JSON.stringify(bucket)} does not belong to the key's project`,
    },
  ]);
}

function allTaken(bucket: string): Problem {
  return invalid([
    {
      field: KEY_FIELD,
      rule: 'bucket_owner',
      message: `all names for a bucket of the key's project are taken by others, ${JSON.stringify(bucket)} first; name a bucket in the credential`,
    },
  ]);
}
