/** Google's storage, as far as batches need it: the JSON API (spec 4.6). */
import type { JobTarget, ObjectPlace, Storage } from '../../batch/ports.js';
import { readChunks } from '../http/body.js';
import { connectionTimeout } from '../http/failures.js';
import { elements, members, textOf } from '../http/json.js';
import { redactThrown } from '../redaction/redact-thrown.js';
import { storageUrl } from './address.js';
import { askGoogle, callGoogle, failureOf, type GoogleCall, type SessionDependencies } from './session.js';

/** Days that objects live in the buckets that the service makes (spec section 8). */
const LIFETIME_DAYS = 30;

/** Nothing comes for so long: the connection is dead. */
const IDLE_MS = 120_000;

/** Pages of a list that are read at most; none of ours has a second. */
const MAX_PAGES = 1000;

/** The storage service over these connections. */
export function googleStorage(dependencies: SessionDependencies): Storage {
  return {
    async ownBuckets(target, prefix, signal) {
      const query = { project: target.credential.projectId, prefix };
      const path = '/storage/v1/b';
      return namesOf(dependencies, { target, path, query, permission: 'storage.buckets.list' }, signal);
    },

    async createBucket(target, name, location, signal) {
      const { projectId: project } = target.credential;
      await askGoogle(
        dependencies,
        target,
        {
          method: 'POST',
          url: urlOf(target, '/storage/v1/b', { project }),
          permission: 'storage.buckets.create',
          body: () => JSON.stringify(bucketOf(name, location)),
          // The second time it would be there already, and look like somebody else's.
          isRepeatable: false,
        },
        signal,
      );
    },

    async checkBucket(target, name, signal) {
      const call = get(urlOf(target, `/storage/v1/b/${name}`, {}), 'storage.buckets.get');
      await askGoogle(dependencies, target, call, signal);
    },

    async write(target, { bucket, object }, content, signal) {
      await askGoogle(
        dependencies,
        target,
        {
          method: 'POST',
          url: urlOf(target, `/upload/storage/v1/b/${bucket}/o`, { uploadType: 'media', name: object }),
          permission: 'storage.objects.create',
          contentType: 'application/jsonl',
          body: content,
          isRepeatable: true,
        },
        signal,
      );
    },

    objects: (target, { bucket, object: prefix }, signal) =>
      namesOf(
        dependencies,
        { target, path: `/storage/v1/b/${bucket}/o`, query: { prefix }, permission: 'storage.objects.list' },
        signal,
      ),

    read: (target, at, signal) => readObject(dependencies, target, at, signal),

    async remove(target, at, signal) {
      const url = urlOf(target, objectPath(at), {});
      const permission = 'storage.objects.delete';
      await askGoogle(
        dependencies,
        target,
        { method: 'DELETE', url, permission, isRepeatable: true },
        signal,
      );
    },
  };
}

/** Private, without a memory of what was deleted, and with an end to everything in it (spec 4.6.1). */
function bucketOf(name: string, location: string) {
  return {
    name,
    location,
    storageClass: 'STANDARD',
    iamConfiguration: {
      uniformBucketLevelAccess: { enabled: true },
      publicAccessPrevention: 'enforced',
    },
    lifecycle: { rule: [{ action: { type: 'Delete' }, condition: { age: LIFETIME_DAYS } }] },
    softDeletePolicy: { retentionDurationSeconds: '0' },
  };
}

async function* readObject(
  dependencies: SessionDependencies,
  target: JobTarget,
  at: ObjectPlace,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const call = get(urlOf(target, objectPath(at), { alt: 'media' }), 'storage.objects.get');
  const { body } = await callGoogle(dependencies, target, call, signal);
  const chunks = readChunks(body);
  const idle = setTimeout(() => body.destroy(connectionTimeout()), IDLE_MS).unref();
  try {
    for (;;) {
      idle.refresh();
      const { done, value } = await chunks.next();
      if (done === true) return;
      clearTimeout(idle);
      yield value;
    }
  } catch (thrown) {
    const redactor = dependencies.tokens.redactor(target.credential, target.provider);
    throw failureOf(redactThrown(thrown, redactor), signal, true);
  } finally {
    clearTimeout(idle);
    body.destroy();
  }
}

interface Listing {
  readonly target: JobTarget;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly permission: string;
}

async function namesOf(
  dependencies: SessionDependencies,
  { target, path, query, permission }: Listing,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const names: string[] = [];
  let pageToken: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const url = urlOf(target, path, { ...query, ...(pageToken !== undefined && { pageToken }) });
    const listed = await askGoogle(dependencies, target, get(url, permission), signal);
    for (const item of elements(listed.items).map(members)) {
      const name = textOf(item.name);
      if (name !== undefined) names.push(name);
    }
    pageToken = textOf(listed.nextPageToken);
    if (pageToken === undefined) break;
  }
  return names;
}

function get(url: URL, permission: string): GoogleCall {
  return { method: 'GET', url, permission, isRepeatable: true };
}

/** An object's name is one segment of the path. */
function objectPath({ bucket, object }: ObjectPlace): string {
  return `/storage/v1/b/${bucket}/o/${encodeURIComponent(object)}`;
}

function urlOf(
  { provider, region }: JobTarget,
  path: string,
  query: Readonly<Record<string, string | undefined>>,
): URL {
  const url = storageUrl(provider, region, path);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url;
}
