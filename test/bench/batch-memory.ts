/**
 * How much memory a gateway needs to stage a batch of 32 MiB and to collect a result of 200 MB, the client reading it
 * beside, for every shape of requests and every transport:
 * `npm run build && node test/support/run-typescript.mjs test/bench/batch-memory.ts [shape or transport...]`.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { batchCatalog } from '../batch/world.js';
import { type FakeGoogle, startFakeGoogle } from '../support/fakes/fake-google-storage.js';
import { bodyOf, SHAPES, submit, TRANSPORTS, type TransportName } from './batch-bodies.js';

const RESULT_BYTES = 200 * 1000 * 1000;

/** Bytes of a result beside its request and the text of its answer, about. */
const RESULT_OVERHEAD = 700;

/** Min characters of an answer; the result is then larger than it has to be. */
const MIN_ANSWER = 10;

const wanted = process.argv.slice(2);
const isWanted = (name: string, all: readonly string[]) =>
  wanted.includes(name) || !wanted.some((one) => all.includes(one));
for (const [shape, characters] of Object.entries(SHAPES)) {
  if (!isWanted(shape, Object.keys(SHAPES))) continue;
  for (const transport of TRANSPORTS)
    if (isWanted(transport, TRANSPORTS)) await measure(shape, characters, transport);
}

async function measure(shape: string, characters: number, transport: TransportName): Promise<void> {
  const google = await startFakeGoogle();
  const folder = mkdtempSync(join(tmpdir(), 'byway-memory-'));
  const catalogFile = join(folder, 'catalog.json');
  writeFileSync(catalogFile, JSON.stringify(batchCatalog(google.origin)));
  const child = spawn(process.execPath, ['dist/src/main.js', 'serve', '--print-keys'], {
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: '0',
      BYWAY_DATA_DIR: join(folder, 'data'),
      BYWAY_CATALOG: catalogFile,
      BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1',
      BYWAY_ADMIN_RATE_PER_MINUTE: '0',
      BYWAY_LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [origin, key] = await started(child.stdout);
    const peak = () => peakMib(child.pid ?? 0);
    const measurements = [`${peak()} at the start`];
    const body = bodyOf(transport, characters);
    await stage({ google, origin, key }, transport, body, characters);
    measurements.push(`${peak()} staged`);
    const { metered, bytes } = await collect(origin, key);
    measurements.push(`${peak()} metered and ${Math.round(bytes / 1e6)} MB read`, `${metered} answered`);
    const what = `${shape} ${transport}: ${body.count} requests, ${body.bytes.length} bytes`;
    process.stdout.write(`${what}; MiB at most: ${measurements.join(', ')}\n`);
  } finally {
    child.kill('SIGTERM');
    await google.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Subject {
  readonly google: FakeGoogle;
  readonly origin: string;
  readonly key: string;
}

async function stage(
  { google, origin, key }: Subject,
  transport: TransportName,
  body: ReturnType<typeof bodyOf>,
  characters: number,
): Promise<void> {
  const answer = Math.ceil(RESULT_BYTES / body.count) - characters - RESULT_OVERHEAD;
  google.jobs.plan = { words: ['y'.repeat(Math.max(MIN_ANSWER, answer))] };
  await call(origin, key, '/byok', { provider: 'google-vertex', key: google.serviceAccount() });
  const begun = performance.now();
  await submit(transport, origin, key, body);
  process.stdout.write(`staged within ${Math.round(performance.now() - begun)} ms\n`);
}

interface Counts {
  readonly status: string;
  readonly request_counts: { readonly completed: number };
}

async function collect(origin: string, key: string) {
  const { data: all } = await call<{ id: string }[]>(origin, key, '/batches');
  const id = all[0]?.id ?? '';
  const look = () => call<Counts>(origin, key, `/batches/${id}`);
  let { data: counts } = await look();
  while (counts.status !== 'completed') ({ data: counts } = await look());
  const answer = await fetch(`${origin}/api/v1/batches/${id}/results`, { headers: headersOf(key) });
  let bytes = 0;
  for await (const piece of answer.body ?? []) bytes += piece.length;
  return { metered: counts.request_counts.completed, bytes };
}

async function call<T>(origin: string, key: string, path: string, body?: object): Promise<{ data: T }> {
  const answer = await fetch(`${origin}/api/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: headersOf(key),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text.slice(0, 2000));
  return JSON.parse(text);
}

function headersOf(key: string) {
  return { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
}

function peakMib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1024);
}

async function started(stdout: NodeJS.ReadableStream): Promise<[string, string]> {
  let origin = '';
  for await (const line of createInterface({ input: stdout })) {
    const port = /^Byway is ready at https?:\/\/[^:]+:(\d+)\./.exec(line)?.[1];
    if (port !== undefined) origin = `http://127.0.0.1:${port}`;
    const key = /^ {2}management key +(\S+)$/.exec(line)?.[1];
    if (key !== undefined) return [origin, key];
  }
  throw new Error('the gateway has ended');
}
