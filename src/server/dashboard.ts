/** Serves the built dashboard at `/`. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptsGzip } from '../http/accept-encoding.js';
import { pathOf } from './port/public-path.js';
import { originForm } from './port/request-target.js';

/** Where the build puts the dashboard: beside the compiled code, so it is absent when TypeScript runs directly. */
export const BUILT_DASHBOARD = fileURLToPath(new URL('../../dashboard/', import.meta.url));

interface Asset {
  readonly type: string;
  readonly cacheControl: string;
  readonly etag: string;
  readonly plain: Buffer;
  /** Made once, with the first request for it; undefined where compression saves nothing. */
  readonly gzipped: () => Promise<Buffer | undefined>;
}

/** Everything comes from this server, there are no inline scripts or styles, and no other page may frame this one. */
const HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The name of an asset changes with its content; the page itself is revalidated each time. */
const FOREVER = 'public, max-age=31536000, immutable';
const REVALIDATED = 'no-cache';

/**
 * Serves the page at `/` and its files below `/assets/`, from memory. Each has a route of its own; any other path
 * there is unknown. Without a build `/` is unknown too, and the log says so.
 */
export function registerDashboard(server: FastifyInstance, directory: string): void {
  const page = join(directory, 'index.html');
  if (!existsSync(page)) {
    server.log.info('the dashboard is not built; `npm run build` builds it');
    return;
  }
  const asset = readAsset(page, REVALIDATED);
  server.get('/', (request, reply) => {
    const path = pathOf(originForm(request.originalUrl));
    // Its files and calls are relative to where it is: below `/llm/`, not below `/`.
    if (!path.endsWith('/')) return reply.header('Cache-Control', REVALIDATED).redirect(`${path}/`, 308);
    return send(asset, request, reply);
  });
  for (const name of readdirSync(join(directory, 'assets'))) {
    const file = readAsset(join(directory, 'assets', name), FOREVER);
    server.get(`/assets/${name}`, (request, reply) => send(file, request, reply));
  }
}

/** Throws an Error naming the file when its kind has no content type here. */
function readAsset(path: string, cacheControl: string): Asset {
  const type = TYPES[extname(path)];
  if (type === undefined) throw new Error(`no content type is known for ${path}`);
  const plain = readFileSync(path);
  let gzipped: Promise<Buffer | undefined> | undefined;
  return {
    type,
    cacheControl,
    etag: `"${createHash('sha256').update(plain).digest('base64url')}"`,
    plain,
    gzipped: () => (gzipped ??= compress(plain)),
  };
}

async function compress(plain: Buffer): Promise<Buffer | undefined> {
  const gzipped = await promisify(gzip)(plain, { level: 9 });
  return gzipped.length < plain.length ? gzipped : undefined;
}

async function send(asset: Asset, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  // One tag for both codings must be a weak one.
  const etag = `W/${asset.etag}`;
  reply.headers({ ...HEADERS, ETag: etag, 'Cache-Control': asset.cacheControl, Vary: 'Accept-Encoding' });
  if (request.headers['if-none-match']?.includes(asset.etag) === true) return reply.code(304).send();
  const gzipped = acceptsGzip(request.headers['accept-encoding']) ? await asset.gzipped() : undefined;
  if (gzipped !== undefined) reply.header('Content-Encoding', 'gzip');
  return reply.type(asset.type).send(gzipped ?? asset.plain);
}
