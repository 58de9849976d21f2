/**
 * Buckets and objects of the storage JSON API: names are global (https://cloud.google.com/storage/docs/buckets), buckets
 * belong to projects. Permissions: https://cloud.google.com/storage/docs/access-control/iam-json. `npm run gcs` holds what
 * is taken for granted here against another implementation.
 */
import { createHash } from 'node:crypto';
import { forbidden, notFound, StorageRefusal } from './error.js';

/** The metadata that a bucket was made with. */
export type BucketBody = Readonly<Record<string, unknown>> & { readonly name?: string };

export interface FakeBucket {
  readonly name: string;
  readonly project: string;
  readonly body: BucketBody;
  readonly objects: Map<string, Buffer>;
  /** Whether the gateway's account may use it although it is another project's. */
  isShared: boolean;
}

/** All permissions for every kind of bucket and for jobs. */
const ALL_PERMISSIONS = [
  'storage.buckets.create',
  'storage.buckets.get',
  'storage.buckets.list',
  'storage.objects.create',
  'storage.objects.get',
  'storage.objects.list',
  'storage.objects.delete',
  'aiplatform.batchPredictionJobs.create',
  'aiplatform.batchPredictionJobs.get',
  'aiplatform.batchPredictionJobs.list',
] as const;

/** Items of a page, where the caller asks for no fewer. */
const PAGE = 2;

export class FakeStorage {
  readonly buckets = new Map<string, FakeBucket>();
  /** What the account may do in its own project. */
  readonly permissions = new Set<string>(ALL_PERMISSIONS);
  readonly #project: string;

  constructor(project: string) {
    this.#project = project;
  }

  /** A bucket that already exists. */
  add(name: string, project = this.#project, isShared = false): FakeBucket {
    const bucket = { name, project, body: { name }, objects: new Map<string, Buffer>(), isShared };
    this.buckets.set(name, bucket);
    return bucket;
  }

  createBucket(project: string, body: BucketBody): object {
    this.demand('storage.buckets.create', project, 'project');
    const { name = '' } = body;
    if (!isBucketName(name)) throw new StorageRefusal(400, 'invalid', `Invalid bucket name: '${name}'`);
    const taken = this.buckets.get(name);
    if (taken !== undefined) throw conflict(taken.project === project);
    const bucket = { ...this.add(name, project), body };
    this.buckets.set(name, bucket);
    return shown(bucket);
  }

  listBuckets(project: string, query: URLSearchParams): object {
    this.demand('storage.buckets.list', project, 'project');
    const own = [...this.buckets.values()].filter((bucket) => bucket.project === project);
    return page('buckets', own.map(shown), query);
  }

  getBucket(name: string): object {
    return shown(this.#bucket(name, 'storage.buckets.get'));
  }

  insert(bucketName: string, name: string, content: Buffer, query: URLSearchParams): object {
    const { objects } = this.#bucket(bucketName, 'storage.objects.create');
    if (objects.has(name)) {
      this.#bucket(bucketName, 'storage.objects.delete');
      if (query.get('ifGenerationMatch') === '0') {
        throw new StorageRefusal(412, 'conditionNotMet', 'At least one of the pre-conditions did not hold.');
      }
    }
    objects.set(name, content);
    return shownObject(bucketName, name, content);
  }

  get(bucketName: string, name: string): { readonly content: Buffer; readonly metadata: object } {
    const content = this.#bucket(bucketName, 'storage.objects.get').objects.get(name);
    if (content === undefined) throw notFound(`No such object: ${bucketName}/${name}`);
    return { content, metadata: shownObject(bucketName, name, content) };
  }

  listObjects(bucketName: string, query: URLSearchParams): object {
    const { objects } = this.#bucket(bucketName, 'storage.objects.list');
    const all = [...objects].map(([name, content]) => shownObject(bucketName, name, content));
    return page('objects', all, query);
  }

  remove(bucketName: string, name: string): void {
    if (!this.#bucket(bucketName, 'storage.objects.delete').objects.delete(name)) {
      throw notFound(`No such object: ${bucketName}/${name}`);
    }
  }

  /** Throws unless the account may do this in the project. */
  demand(permission: string, project: string, what: string): void {
    if (project !== this.#project || !this.permissions.has(permission)) throw forbidden(permission, what);
  }

  #bucket(name: string, permission: string): FakeBucket {
    const bucket = this.buckets.get(name);
    if (bucket === undefined) throw notFound('The specified bucket does not exist.');
    if (!bucket.isShared) {
      this.demand(permission, bucket.project, permission.includes('.objects.') ? 'Storage object' : 'bucket');
    }
    return bucket;
  }
}

function isBucketName(name: string): boolean {
  return /^(?!goog)(?!.*google)[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/.test(name);
}

function conflict(isOwn: boolean): StorageRefusal {
  return new StorageRefusal(
    409,
    'conflict',
    isOwn
      ? 'Your previous request to create the named bucket succeeded and you already own it.'
      : 'The requested bucket name is not available. The bucket namespace is shared by all users of the system. Please select a different name and try again.',
  );
}

function shown({ name, body }: FakeBucket): { name: string } {
  return {
    kind: 'storage#bucket',
    id: name,
    projectNumber: '123456789',
    metageneration: '1',
    timeCreated: '2026-01-05T12:30:00.000Z',
    locationType: 'region',
    etag: 'CAE=',
    ...body,
    name,
  } as { name: string };
}

function shownObject(bucket: string, name: string, content: Buffer): { name: string } {
  const resource = {
    kind: 'storage#object',
    id: `${bucket}/${name}/1`,
    bucket,
    name,
    generation: '1',
    metageneration: '1',
    size: String(content.length),
    md5Hash: createHash('md5').update(content).digest('base64'),
    ...(content.length < 1_000_000 && { crc32c: crc32c(content) }),
    storageClass: 'STANDARD',
  };
  return resource;
}

/** The checksum that clients verify. */
function crc32c(content: Buffer): string {
  let crc = ~0;
  for (const byte of content) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(~crc >>> 0);
  return sum.toString('base64');
}

/** Pages of items by name; an empty list has no member `items`. */
function page(kind: string, all: readonly { readonly name: string }[], query: URLSearchParams): object {
  const prefix = query.get('prefix') ?? '';
  const matching = all
    .filter(({ name }) => name.startsWith(prefix))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const start = Number(query.get('pageToken') ?? 0);
  const end = start + Math.min(PAGE, Number(query.get('maxResults') ?? PAGE));
  const items = matching.slice(start, end);
  return {
    kind: `storage#${kind}`,
    ...(items.length > 0 && { items }),
    ...(end < matching.length && { nextPageToken: String(end) }),
  };
}
