/**
 * The storage JSON API over HTTP (https://cloud.google.com/storage/docs/json_api/v1): the calls that the gateway makes, and
 * those of the official client.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { StorageRefusal } from './error.js';
import type { BucketBody, FakeStorage } from './storage.js';

const BUCKETS = /^\/storage\/v1\/b$/;
const BUCKET = /^\/storage\/v1\/b\/([^/]+)$/;
const OBJECTS = /^\/storage\/v1\/b\/([^/]+)\/o$/;
const OBJECT = /^(?:\/download)?\/storage\/v1\/b\/([^/]+)\/o\/([^/]+)$/;
const UPLOAD = /^\/upload\/storage\/v1\/b\/([^/]+)\/o$/;

/** Whether the path is the storage service's. */
export function isStoragePath(path: string): boolean {
  return /^\/(?:upload\/|download\/)?storage\/v1\//.test(path);
}

/** A response to send. */
export interface Reply {
  readonly status: number;
  readonly type: string;
  readonly content: Buffer;
}

/** Answers one request. */
export function answerStorage(
  storage: FakeStorage,
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
): void {
  const { status, type, content } = replyTo(storage, request, body);
  response.writeHead(status, { 'content-type': type, 'content-length': content.length });
  if (content.length <= PIECE_BYTES) response.end(content);
  // In pieces, so that it can be seen how far it was read.
  else Readable.from(piecesOf(content)).pipe(response);
}

const PIECE_BYTES = 64 * 1024;

function* piecesOf(content: Buffer): Generator<Buffer> {
  for (let from = 0; from < content.length; from += PIECE_BYTES) {
    yield content.subarray(from, from + PIECE_BYTES);
  }
}

/** The response to one request. */
export function replyTo(storage: FakeStorage, request: IncomingMessage, body: Buffer): Reply {
  try {
    return route(storage, request, body);
  } catch (error) {
    if (error instanceof StorageRefusal) return json(error.body, error.status);
    throw error;
  }
}

function route(storage: FakeStorage, request: IncomingMessage, body: Buffer): Reply {
  const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://fake');
  const { method } = request;
  const matched = (pattern: RegExp) => pattern.exec(pathname)?.slice(1).map(decodeURIComponent);
  const project = query.get('project') ?? '';
  const [bucket, object] = matched(OBJECT) ?? [];
  const upload = matched(UPLOAD)?.[0];
  const listed = matched(OBJECTS)?.[0];
  const named = matched(BUCKET)?.[0];
  if (BUCKETS.test(pathname)) {
    if (method !== 'POST') return json(storage.listBuckets(project, query));
    return json(storage.createBucket(project, JSON.parse(body.toString()) as BucketBody));
  }
  if (named !== undefined) return json(storage.getBucket(named));
  if (listed !== undefined) return json(storage.listObjects(listed, query));
  if (upload !== undefined && method === 'POST') {
    const { name, content } = uploaded(request, query, body);
    return json(storage.insert(upload, name, content, query));
  }
  if (bucket === undefined || object === undefined) throw new StorageRefusal(404, 'notFound', 'Not Found');
  if (method === 'DELETE') {
    storage.remove(bucket, object);
    return { status: 204, type: 'text/plain', content: Buffer.alloc(0) };
  }
  const { content, metadata } = storage.get(bucket, object);
  return query.get('alt') === 'media' ? range(content, request.headers.range) : json(metadata);
}

/** An upload in one piece, or as metadata and content in a body of two parts. */
function uploaded(request: IncomingMessage, query: URLSearchParams, body: Buffer) {
  const type = query.get('uploadType');
  if (type === 'media') return { name: query.get('name') ?? '', content: body };
  const boundary = /boundary="?([^";]+)/.exec(request.headers['content-type'] ?? '')?.[1];
  if (type !== 'multipart' || boundary === undefined) {
    throw new StorageRefusal(400, 'invalid', `Unsupported upload type: ${type}`);
  }
  const [, metadata = Buffer.alloc(0), content = Buffer.alloc(0)] = parts(body, `--${boundary}`);
  const { name = query.get('name') ?? '' } = JSON.parse(metadata.toString()) as { name?: string };
  return { name, content };
}

function parts(body: Buffer, delimiter: string): Buffer[] {
  const all: Buffer[] = [];
  let start = 0;
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, start)) {
    const part = body.subarray(start, at);
    const head = part.indexOf('\r\n\r\n');
    all.push(head < 0 ? part : part.subarray(head + 4, part.length - 2));
    start = at + delimiter.length;
  }
  return all;
}

function range(content: Buffer, wanted: string | undefined): Reply {
  const type = 'application/octet-stream';
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(wanted ?? '') ?? [];
  if (from === undefined) return { status: 200, type, content };
  const end = to === '' ? undefined : Number(to) + 1;
  return { status: 206, type, content: content.subarray(Number(from), end) };
}

function json(body: object, status = 200): Reply {
  return { status, type: 'application/json; charset=UTF-8', content: Buffer.from(JSON.stringify(body)) };
}
