import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runScript, type Server } from '../processes.js';

/** Requests that differ in who makes them: each is made with the next of the secrets. */
export interface KeyedLoad {
  readonly url: string;
  readonly body: string;
  readonly secrets: readonly string[];
}

/** As fast as they are answered for so many seconds, and at least so many, or so many a second. */
export type Pace =
  | { readonly seconds: number; readonly connections: number; readonly requests?: number }
  | { readonly seconds: number; readonly perSecond: number };

export interface KeyedResult {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly errors: number;
}

/** Sends the load from a process of its own. */
export function sendKeyed({ url, body, secrets }: KeyedLoad, pace: Pace): Promise<KeyedResult> {
  return withFileOf(secrets, (secretsFile) =>
    runScript<KeyedResult>('keyed', { url, body, secretsFile, ...pace }),
  );
}

export interface WrittenRows {
  readonly perSecond: number;
  /** Processor time of the rows of a chat, in microseconds. */
  readonly cpuMicros: number;
}

/** As many chats as share a commit at 32 connections. */
const CHATS_A_COMMIT = 7;

/**
 * Writes the rows of chats of all the keys in turn, with better-sqlite3 alone. No gateway may serve from the file; each key
 * must have a chat of the model there.
 */
export function writeRows(
  file: string,
  { secrets, model, seconds }: { secrets: readonly string[]; model: string; seconds: number },
): Promise<WrittenRows> {
  return withFileOf(secrets, (secretsFile) =>
    runScript<WrittenRows>('rows', { file, secretsFile, model, seconds, perGroup: CHATS_A_COMMIT }),
  );
}

/** They are too long for an argument. */
async function withFileOf<T>(secrets: readonly string[], use: (file: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'byway-load-'));
  try {
    const file = join(folder, 'secrets');
    writeFileSync(file, secrets.join('\n'));
    return await use(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export interface Read {
  readonly medianMs: number;
  /** The longest that `/healthz` took meanwhile. */
  readonly healthMs: number;
  readonly errors: number;
}

const READS = 9;
const HEALTH_EVERY_MS = 5;

/** Reads the path a few times, with `/healthz` beside it. */
export async function readBeside(server: Server, path: string, managementKey: string): Promise<Read> {
  const headers = { authorization: `Bearer ${managementKey}` };
  const times: number[] = [];
  let healthMs = 0;
  let errors = 0;
  let isReading = true;
  const beside = async () => {
    while (isReading) {
      healthMs = Math.max(healthMs, (await timed(`${server.url}/healthz`)).ms);
      await pause(HEALTH_EVERY_MS);
    }
  };
  const watching = beside();
  for (let count = 0; count < READS; count++) {
    const { ms, isOk } = await timed(`${server.url}/api/v1${path}`, { headers });
    times.push(ms);
    if (!isOk) errors += 1;
  }
  isReading = false;
  await watching;
  return { medianMs: times.sort((a, b) => a - b)[Math.floor(READS / 2)] ?? Number.NaN, healthMs, errors };
}

/** Reads the paths in turn until `isOver`. */
export async function readUntil(
  server: Server,
  paths: readonly string[],
  managementKey: string,
  isOver: () => boolean,
): Promise<void> {
  const headers = { authorization: `Bearer ${managementKey}` };
  while (!isOver()) {
    for (const path of paths) {
      if (!isOver()) await timed(`${server.url}/api/v1${path}`, { headers });
    }
  }
}

/** Of an export, only the first page is waited for; the rest is not wanted. */
async function timed(url: string, init: RequestInit = {}): Promise<{ ms: number; isOk: boolean }> {
  const startedAt = performance.now();
  const response = await fetch(url, init);
  const isExport = response.headers.has('content-disposition');
  const reader = response.body?.getReader();
  if (isExport) await reader?.read();
  else while ((await reader?.read())?.done === false);
  const ms = performance.now() - startedAt;
  await reader?.cancel();
  return { ms, isOk: response.ok };
}
