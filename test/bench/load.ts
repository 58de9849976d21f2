import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInstalled, runLoader, runScript } from './processes.js';

/** Equal requests, but for `{n}` in the body, which becomes the request's number. */
export interface Load {
  readonly protocol: 'http' | 'grpc';
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Concurrent requests; 32 when left out. */
  readonly connections?: number;
  /** Where its loader runs; beside the servers when left out. */
  readonly cpus?: string;
}

/** How long or how large a load is. */
export type LoadSize = { readonly seconds: number } | { readonly requests: number };

/** The result of a load. */
export interface Loaded {
  /** Successful requests. */
  readonly requests: number;
  readonly perSecond: number;
  /** Failed requests. */
  readonly errors: number;
}

/** How many requests are sent at once. */
export const CONNECTIONS = 32;

/** Whether loads come from h2load; where it is missing, a slower loader in Node takes its place. */
export const hasH2load = isInstalled('h2load');

/** Sends the load from a process of its own. Throws when no request succeeds. */
export async function send(load: Load, size: LoadSize): Promise<Loaded> {
  const folder = mkdtempSync(join(tmpdir(), 'byway-load-'));
  try {
    const bodyFile = join(folder, 'body');
    writeFileSync(bodyFile, load.body ?? '');
    return await (canH2load(load) ? withH2load : withNode)(load, size, bodyFile);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Sends so many requests in slices, or as many as the time allows. Returns how many. */
export async function sendUpTo(load: Load, max: number, slice: number, maxMs: number): Promise<number> {
  const endsAt = performance.now() + maxMs;
  let sent = 0;
  while (sent < max && performance.now() < endsAt) sent += (await send(load, { requests: slice })).requests;
  return sent;
}

function canH2load({ method, body }: Load): boolean {
  return hasH2load && method !== 'PATCH' && !body?.toString().includes('{n}');
}

async function withH2load(
  { protocol, url, headers, method, connections = CONNECTIONS, cpus }: Load,
  size: LoadSize,
  bodyFile: string,
): Promise<Loaded> {
  const args = [
    ...(protocol === 'http'
      ? ['--h1', '-c', String(connections)]
      : ['-c', '4', '-m', String(CONNECTIONS / 4)]),
    ...('seconds' in size ? ['-D', `${size.seconds * 1000}ms`] : ['-n', String(size.requests)]),
    ...(method === 'GET' ? [] : ['-d', bodyFile]),
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    url,
  ];
  const output = await runLoader('h2load', args, cpus);
  const [, perSecond] = /finished in [^,]+, ([\d.]+) req\/s/.exec(output) ?? [];
  const [, good, unchanged, refused, failed] =
    /status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx/.exec(output) ?? [];
  const requests = Number(good) + Number(unchanged);
  if (!(requests > 0)) throw new Error(`h2load at ${url}:\n${output}`);
  return { requests, perSecond: Number(perSecond), errors: Number(refused) + Number(failed) };
}

function withNode({ body, cpus: _, ...load }: Load, size: LoadSize, bodyFile: string): Promise<Loaded> {
  const settings = {
    connections: CONNECTIONS,
    ...load,
    ...size,
    ...(body === undefined ? {} : { bodyFile }),
  };
  return runScript<Loaded>('closed', settings);
}
