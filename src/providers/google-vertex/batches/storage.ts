/** The parts of Google Cloud Storage's JSON API that batches need: `docs/batches.md#which-bucket`. */
import type { Signal } from '../../../base/signal.js';
import type { JobTarget, ObjectLocation, Storage } from '../../../batch/ports.js';
import { elements, members, textOf } from '../../../formats/json.js';
import { connectionTimeout } from '../../common/failures.js';
import { redactThrown } from '../../redaction/redact-thrown.js';
import { storageUrl } from '../host/url.js';
import {
  callGoogle,
  callGoogleJson,
  type GoogleCall,
  type GoogleDependencies,
  jobFailureOf,
  redactorFor,
} from './google-client.js';

/** Days after which objects are deleted in buckets that Byway creates. */
const LIFETIME_DAYS = 30;

/** A connection without data for this long counts as dead. */
const IDLE_MS = 120_000;

/** Maximum of pages of a list. Normally there is one. */
const MAX_PAGES = 1000;

export function googleStorage(dependencies: GoogleDependencies): Storage {
  return {
    async ownBuckets(target, prefix, signal) {
      const query = { project: target.credential.projectId, prefix };
      const path = '/storage/v1/b';
      return namesOf(dependencies, { target, path, query, permission: 'storage.buckets.list' }, signal);
    },

    async createBucket(target, name, location, signal) {
      const { projectId: project } = target.credential;
      await callGoogleJson(
        dependencies,
        target,
        {
          method: 'POST',
          url: urlOf(target, '/storage/v1/b', { project }),
          permission: 'storage.buckets.create',
          body: () => JSON.stringify(bucketOf(name, location)),
          // A retry would find the bucket that the first try created, and take it for another project's.
          isIdempotent: false,
        },
        signal,
      );
    },

    async checkBucket(target, name, signal) {
      const call = get(urlOf(target, `/storage/v1/b/${name}`, {}), 'storage.buckets.get');
      await callGoogleJson(dependencies, target, call, signal);
    },

    async write(target, { bucket, object }, content, signal) {
      await callGoogleJson(
        dependencies,
        target,
        {
          method: 'POST',
          url: urlOf(target, `/upload/storage/v1/b/${bucket}/o`, { uploadType: 'media', name: object }),
          permission: 'storage.objects.create',
          contentType: 'application/jsonl',
          body: content,
          isIdempotent: true,
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
      await callGoogleJson(
        dependencies,
        target,
        { method: 'DELETE', url, permission, isIdempotent: true },
        signal,
      );
    },
  };
}

/** A private bucket without soft delete, in which every object expires. */
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
  dependencies: GoogleDependencies,
  target: JobTarget,
  at: ObjectLocation,
  signal: Signal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const call = get(urlOf(target, objectPath(at), { alt: 'media' }), 'storage.objects.get');
  const { body } = await callGoogle(dependencies, target, call, signal);
  const chunks = body[Symbol.asyncIterator]();
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
    const redactor = redactorFor(dependencies.tokens, target);
    throw jobFailureOf(redactThrown(thrown, redactor), signal, true);
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
  dependencies: GoogleDependencies,
  { target, path, query, permission }: Listing,
  signal: Signal,
): Promise<readonly string[]> {
  const names: string[] = [];
  let pageToken: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const url = urlOf(target, path, { ...query, ...(pageToken !== undefined && { pageToken }) });
    const listed = await callGoogleJson(dependencies, target, get(url, permission), signal);
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
  return { method: 'GET', url, permission, isIdempotent: true };
}

/** An object's name is one path segment. */
function objectPath({ bucket, object }: ObjectLocation): string {
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
