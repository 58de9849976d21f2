/** Google's storage, as far as batches need it: the JSON API (spec 4.6). */
import type { ObjectPlace, Site, Storage } from '../../batch/ports.js';
import { readChunks } from '../body.js';
import { connectionTimeout } from '../failures.js';
import { elements, members, textOf } from '../json.js';
import { redactThrown } from '../redact-thrown.js';
import { storageUrl } from './address.js';
import { askGoogle, callGoogle, failureOf, type GoogleCall, type SessionParts } from './session.js';

/** Days that objects live in the buckets that the service makes (spec section 8). */
const LIFETIME_DAYS = 30;

/** Nothing comes for so long: the connection is dead. */
const IDLE_MS = 120_000;

/** Pages of a list that are read at most; none of ours has a second. */
const MAX_PAGES = 1000;

/** The storage service over these connections. */
export function googleStorage(parts: SessionParts): Storage {
  return {
    async ownBuckets(site, prefix, signal) {
      const query = { project: site.credential.projectId, prefix };
      const path = '/storage/v1/b';
      return namesOf(parts, { site, path, query, permission: 'storage.buckets.list' }, signal);
    },

    async createBucket(site, name, location, signal) {
      const { projectId: project } = site.credential;
      await askGoogle(
        parts,
        site,
        {
          method: 'POST',
          url: urlOf(site, '/storage/v1/b', { project }),
          permission: 'storage.buckets.create',
          body: () => JSON.stringify(bucketOf(name, location)),
          // The second time it would be there already, and look like somebody else's.
          isRepeatable: false,
        },
        signal,
      );
    },

    async checkBucket(site, name, signal) {
      const call = get(urlOf(site, `/storage/v1/b/${name}`, {}), 'storage.buckets.get');
      await askGoogle(parts, site, call, signal);
    },

    async write(site, { bucket, object }, content, signal) {
      await askGoogle(
        parts,
        site,
        {
          method: 'POST',
          url: urlOf(site, `/upload/storage/v1/b/${bucket}/o`, { uploadType: 'media', name: object }),
          permission: 'storage.objects.create',
          contentType: 'application/jsonl',
          body: content,
          isRepeatable: true,
        },
        signal,
      );
    },

    objects: (site, { bucket, object: prefix }, signal) =>
      namesOf(
        parts,
        { site, path: `/storage/v1/b/${bucket}/o`, query: { prefix }, permission: 'storage.objects.list' },
        signal,
      ),

    read: (site, at, signal) => readObject(parts, site, at, signal),

    async remove(site, at, signal) {
      const url = urlOf(site, objectPath(at), {});
      const permission = 'storage.objects.delete';
      await askGoogle(parts, site, { method: 'DELETE', url, permission, isRepeatable: true }, signal);
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
  parts: SessionParts,
  site: Site,
  at: ObjectPlace,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const call = get(urlOf(site, objectPath(at), { alt: 'media' }), 'storage.objects.get');
  const { body } = await callGoogle(parts, site, call, signal);
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
    const redactor = parts.tokens.redactor(site.credential, site.provider);
    throw failureOf(redactThrown(thrown, redactor), signal, true);
  } finally {
    clearTimeout(idle);
    body.destroy();
  }
}

interface Listing {
  readonly site: Site;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly permission: string;
}

async function namesOf(
  parts: SessionParts,
  { site, path, query, permission }: Listing,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const names: string[] = [];
  let pageToken: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const url = urlOf(site, path, { ...query, ...(pageToken !== undefined && { pageToken }) });
    const listed = await askGoogle(parts, site, get(url, permission), signal);
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
  { provider, region }: Site,
  path: string,
  query: Readonly<Record<string, string | undefined>>,
): URL {
  const url = storageUrl(provider, region, path);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url;
}
