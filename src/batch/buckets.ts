/** Which bucket a batch is staged in (spec 4.6). No byte goes into one that is not seen to be the project's own. */
import { invalid, type Problem } from '../base/problem.js';
import { bucketLocation, derivedBucketNames } from './derived-buckets.js';
import { KEY_FIELD, ProviderFailure } from './failure.js';
import type { JobTarget, Storage } from './ports.js';

type Buckets = Pick<Storage, 'ownBuckets' | 'createBucket' | 'checkBucket'>;

/**
 * The bucket that the key names, or else the one that the service made for the project and the region, which is made
 * where there is none. Throws `ProviderFailure` where a permission is missing, and a 400 Problem naming the bucket that
 * is not the project's.
 */
export async function bucketFor(storage: Buckets, target: JobTarget, signal: AbortSignal): Promise<string> {
  const { bucket } = target.credential;
  const name =
    bucket === null
      ? await serviceBucket(storage, target, signal)
      : await named(storage, target, bucket, signal);
  await storage.checkBucket(target, name, signal);
  return name;
}

async function named(
  storage: Buckets,
  target: JobTarget,
  bucket: string,
  signal: AbortSignal,
): Promise<string> {
  const own = await storage.ownBuckets(target, bucket, signal);
  if (!own.includes(bucket)) throw notOwned(bucket);
  return bucket;
}

/** A name that somebody else has is no harm: the next one is taken. */
async function serviceBucket(storage: Buckets, target: JobTarget, signal: AbortSignal): Promise<string> {
  const names = derivedBucketNames(target.credential.projectId, target.region);
  const known = await firstOwned(storage, target, names, signal);
  if (known !== undefined) return known;
  for (const name of names) {
    try {
      await storage.createBucket(target, name, bucketLocation(target.region), signal);
      return name;
    } catch (thrown) {
      if (!(thrown instanceof ProviderFailure) || thrown.kind !== 'conflict') throw thrown;
      // Another batch of the project may have made it meanwhile.
      const made = await firstOwned(storage, target, names, signal);
      if (made !== undefined) return made;
    }
  }
  throw allTaken(names[0]);
}

async function firstOwned(
  storage: Buckets,
  target: JobTarget,
  names: readonly [string, ...string[]],
  signal: AbortSignal,
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
