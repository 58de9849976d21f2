import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInstalled, runLoader, runScript } from './processes.js';

/** Requests that are all the same, but for `{n}` in the body: there the request's number stands. */
export interface Load {
  readonly protocol: 'http' | 'grpc';
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** At once; 32 when left out. */
  readonly connections?: number;
  /** Where its loader runs; beside the servers when left out. */
  readonly cpus?: string;
}

/** When a load is over. */
export type Extent = { readonly seconds: number } | { readonly requests: number };

/** What became of a load. */
export interface Loaded {
  /** Those that were answered well. */
  readonly requests: number;
  readonly perSecond: number;
  /** Those that were not. */
  readonly errors: number;
}

/** How many requests are sent at once. */
export const CONNECTIONS = 32;

/** Whether loads come from h2load; where it is missing, a slower loader in Node takes its place. */
export const hasH2load = isInstalled('h2load');

/** Sends the load from a process of its own. Throws when no answer is a good one. */
export async function send(load: Load, extent: Extent): Promise<Loaded> {
  const folder = mkdtempSync(join(tmpdir(), 'byway-load-'));
  try {
    const bodyFile = join(folder, 'body');
    writeFileSync(bodyFile, load.body ?? '');
    return await (canH2load(load) ? withH2load : withNode)(load, extent, bodyFile);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Sends so many requests in slices, or as many as the time allows. Gives how many. */
export async function sendUpTo(load: Load, most: number, slice: number, longestMs: number): Promise<number> {
  const endsAt = performance.now() + longestMs;
  let sent = 0;
  while (sent < most && performance.now() < endsAt) sent += (await send(load, { requests: slice })).requests;
  return sent;
}

function canH2load({ method, body }: Load): boolean {
  return hasH2load && method !== 'PATCH' && !body?.toString().includes('{n}');
}

async function withH2load(
  { protocol, url, headers, method, connections = CONNECTIONS, cpus }: Load,
  extent: Extent,
  bodyFile: string,
): Promise<Loaded> {
  const args = [
    ...(protocol === 'http'
      ? ['--h1', '-c', String(connections)]
      : ['-c', '4', '-m', String(CONNECTIONS / 4)]),
    ...('seconds' in extent ? ['-D', `${extent.seconds * 1000}ms`] : ['-n', String(extent.requests)]),
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

function withNode({ body, cpus: _, ...load }: Load, extent: Extent, bodyFile: string): Promise<Loaded> {
  const settings = {
    connections: CONNECTIONS,
    ...load,
    ...extent,
    ...(body === undefined ? {} : { bodyFile }),
  };
  return runScript<Loaded>('closed', settings);
}
