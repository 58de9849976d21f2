import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asAdministrator, makeCluster, newestPrograms } from '../../support/postgres/postgres-cluster.js';
import { answerTo, type Bench, bearer, JSON_BODY } from '../bench.js';
import { BYOK_MODEL } from '../catalog.js';
import { median } from '../compare.js';
import type { Measurement } from '../measurement.js';
import type { Server } from '../processes.js';
import { type BookSize, type GrownKeys, growBooks } from '../scale/books.js';
import { type KeyedLoad, readBeside, readUntil, sendKeyed, writeRows } from '../scale/load.js';
import { prepareSubject, type Subject, startSubject } from '../subject.js';

/** The share of the full size that is made, from `BENCH_SCALE`. */
const SCALE = Number(process.env.BENCH_SCALE ?? '1');

/** What is measured, from `BENCH_ENGINES`, by comma. */
const ENGINES = (process.env.BENCH_ENGINES ?? 'sqlite,postgres').split(',');

const FULL: BookSize = { records: 2_000_000, apiKeys: 10_000, providerKeys: 10_000, workspaces: 2_000 };
const SIZE: BookSize = {
  records: Number(process.env.BENCH_RECORDS ?? Math.ceil(FULL.records * SCALE)),
  apiKeys: Math.ceil(FULL.apiKeys * SCALE),
  providerKeys: Math.ceil(FULL.providerKeys * SCALE),
  workspaces: Math.ceil(FULL.workspaces * SCALE),
};

const STARTS = 3;
const CLOSED = { seconds: 4, connections: 32 };
const PACED_SECONDS = 6;
const CHANGES = 5;
const EXPLAINS = { seconds: 3, connections: 1 };
const MIB = 1024 * 1024;

/** As a server is run that keeps what it is given. */
const POSTGRES = {
  fsync: 'on',
  full_page_writes: 'on',
  autovacuum: 'on',
  shared_buffers: '1GB',
  max_wal_size: '4GB',
};

/** What administrators read: first pages, filters without an index, and a year of activity. */
const READS: readonly (readonly [string, string])[] = [
  ['a year of activity by date', '/activity?group_by=date&limit=100'],
  ['activity, first page', '/activity'],
  ['generations, first page', '/generations'],
  ['generations by a filter without an index', '/generations?model=nothing'],
  ['an export as CSV, first page', '/generations/export?format=csv'],
  ['an export by a filter without an index, first page', '/generations/export?model=test/m1'],
  ['API keys, first page', '/keys?limit=100'],
  ['provider keys, first page', '/byok?limit=100'],
  ['workspaces, first page', '/workspaces?limit=100'],
  ['guardrails, first page', '/guardrails?limit=100'],
];

/** The same work on small books, which a first start has made, and after they have grown, on SQLite and PostgreSQL. */
export async function measureScale({ folder }: Bench): Promise<Measurement[]> {
  return [
    ...(ENGINES.includes('sqlite') ? await measureOnSqlite(folder) : []),
    ...(ENGINES.includes('postgres') ? await measureOnPostgres(folder) : []),
  ];
}

function measureOnSqlite(folder: string): Promise<Measurement[]> {
  const dataDir = join(folder, 'scale-sqlite');
  mkdirSync(dataDir);
  return measureOn('SQLite', dataDir, undefined);
}

async function measureOnPostgres(folder: string): Promise<Measurement[]> {
  const programs = newestPrograms();
  if (programs === undefined) {
    process.stderr.write('No PostgreSQL is installed: nothing is measured on it.\n');
    return [];
  }
  const postgresDir = join(folder, 'scale-postgres');
  mkdirSync(postgresDir);
  // Not below our folder: the server may have to run as somebody else.
  const home = mkdtempSync(join(tmpdir(), 'byway-bench-'));
  const cluster = await makeCluster(programs, home, POSTGRES);
  await cluster.start();
  try {
    return await measureOn('PostgreSQL', postgresDir, cluster.url);
  } finally {
    await cluster.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

async function measureOn(
  engine: string,
  dataDir: string,
  databaseUrl: string | undefined,
): Promise<Measurement[]> {
  const subject = await prepareSubject(dataDir, databaseUrl);
  try {
    const one = [subject.apiKey];
    const small = await figuresOf(subject, { apiKeys: one, withProviderKey: one });
    const startedAt = performance.now();
    const keys = await growBooks(subject, databaseUrl ?? `sqlite:${join(dataDir, 'byway.db')}`, SIZE);
    // As autovacuum does some time later.
    if (databaseUrl !== undefined) await asAdministrator(databaseUrl, 'vacuum analyze');
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    process.stderr.write(`${engine}: books of ${JSON.stringify(SIZE)} made in ${seconds} s\n`);
    const grown = await figuresOf(subject, keys);
    return [...grown].map(([title, { value, unit, errors }]) => ({
      title: `${title}, ${engine}`,
      unit,
      byway: value,
      peer: small.get(title)?.value ?? Number.NaN,
      peerIs: 'small books',
      errors: errors + (small.get(title)?.errors ?? 0),
    }));
  } finally {
    await subject.provider.stop();
  }
}

interface Figure {
  readonly value: number;
  readonly unit: Measurement['unit'];
  readonly errors: number;
}

/** By title. */
async function figuresOf(
  subject: Subject,
  { apiKeys, withProviderKey }: GrownKeys,
): Promise<Map<string, Figure>> {
  const figures = new Map<string, Figure>();
  const starts: number[] = [];
  for (let start = 1; start < STARTS; start++) {
    const started = await startSubject(subject);
    starts.push(started.readyAfterMs);
    await started.stop();
  }
  const server = await startSubject(subject);
  starts.push(server.readyAfterMs);
  figures.set('Start', { value: median(starts), unit: 'ms', errors: 0 });
  const demo = await addChats(figures, server, 'Chats of one API key', [subject.apiKey], 'demo/echo');
  await addChats(figures, server, 'Chats of all API keys in turn', apiKeys, 'demo/echo');
  await addChats(figures, server, 'Chats over a provider key of their own', withProviderKey, BYOK_MODEL);
  const explain = {
    ...loadOf(server, withProviderKey, BYOK_MODEL),
    url: `${server.url}/api/v1/routing/explain`,
  };
  const { p50, errors } = await sendKeyed(explain, EXPLAINS);
  figures.set('Explain, p50', { value: p50, unit: 'ms', errors });
  for (const [title, path] of READS) {
    const read = await readBeside(server, path, subject.managementKey);
    figures.set(`Read of ${title}`, { value: read.medianMs, unit: 'ms', errors: read.errors });
    figures.set(`/healthz beside it: ${title}`, { value: read.healthMs, unit: 'ms', errors: 0 });
  }
  await addKeyChanges(figures, server, subject.managementKey);
  await addChatsBesideReads(figures, server, subject, demo);
  figures.set('Resident memory', {
    value: (server.residentBytes() ?? Number.NaN) / MIB,
    unit: 'MiB',
    errors: 0,
  });
  await server.stop();
  if (subject.databaseUrl === undefined) await addRows(figures, subject, apiKeys);
  return figures;
}

/** What chats of all API keys in turn can't do without. */
async function addRows(
  figures: Map<string, Figure>,
  { dataDir }: Subject,
  secrets: readonly string[],
): Promise<void> {
  const rows = await writeRows(join(dataDir, 'byway.db'), {
    secrets,
    model: 'demo/echo',
    seconds: CLOSED.seconds,
  });
  const floor = 'Floor: the rows of chats of all API keys in turn, better-sqlite3 alone';
  figures.set(floor, { value: rows.perSecond, unit: 'a second', errors: 0 });
  figures.set(`${floor}, processor time`, { value: rows.cpuMicros, unit: 'us', errors: 0 });
}

/** As many as there can be, then how long they take at half of that rate, which is returned. */
async function addChats(
  figures: Map<string, Figure>,
  server: Server,
  title: string,
  secrets: readonly string[],
  model: string,
): Promise<number> {
  const load = loadOf(server, secrets, model);
  const first = await sendKeyed(load, { ...CLOSED, requests: secrets.length });
  figures.set(`${title}, the first ones`, {
    value: first.perSecond,
    unit: 'a second',
    errors: first.errors,
  });
  const closed = await sendKeyed(load, CLOSED);
  figures.set(title, { value: closed.perSecond, unit: 'a second', errors: closed.errors });
  const perSecond = Math.max(1, Math.floor(closed.perSecond / 2));
  const paced = await sendKeyed(load, { seconds: PACED_SECONDS, perSecond });
  for (const percentile of ['p50', 'p99'] as const) {
    figures.set(`${title}, ${percentile} at half of that`, {
      value: paced[percentile],
      unit: 'ms',
      errors: paced.errors,
    });
  }
  return perSecond;
}

/** The newest provider key is moved to the front, so that every other one moves; then one is stored. */
async function addKeyChanges(
  figures: Map<string, Figure>,
  server: Server,
  managementKey: string,
): Promise<void> {
  const moves: number[] = [];
  const additions: number[] = [];
  const change = async (times: number[], method: string, path: string, body: object) => {
    const startedAt = performance.now();
    const headers = { ...bearer(managementKey), ...JSON_BODY };
    const url = `${server.url}/api/v1/byok${path}`;
    await (await answerTo(url, { method, headers, body: JSON.stringify(body) })).arrayBuffer();
    times.push(performance.now() - startedAt);
  };
  for (let count = 0; count < CHANGES; count++) {
    await change(additions, 'POST', '', { provider: 'openai', key: 'sk-bench-abcdefghijklmnopqrstuvwxyz' });
    await change(moves, 'PATCH', `/${await newestProviderKey(server, managementKey)}`, { sort_order: 0 });
  }
  figures.set('Storing a provider key', { value: median(additions), unit: 'ms', errors: 0 });
  figures.set('Moving a provider key over all others', { value: median(moves), unit: 'ms', errors: 0 });
}

async function newestProviderKey({ url }: Server, managementKey: string): Promise<string> {
  const page = async (offset: number) => {
    const path = `/api/v1/byok?limit=1&offset=${offset}`;
    const answer = await answerTo(`${url}${path}`, { headers: bearer(managementKey) });
    return (await answer.json()) as { data: readonly { id: string }[]; total_count: number };
  };
  const [newest] = (await page((await page(0)).total_count - 1)).data;
  return newest?.id ?? '';
}

async function addChatsBesideReads(
  figures: Map<string, Figure>,
  server: Server,
  { apiKey, managementKey }: Subject,
  perSecond: number,
): Promise<void> {
  let isOver = false;
  const paths = READS.map(([, path]) => path);
  const reading = readUntil(server, paths, managementKey, () => isOver);
  const load = loadOf(server, [apiKey], 'demo/echo');
  await sendKeyed(load, { seconds: CLOSED.seconds, perSecond });
  const { p99, errors } = await sendKeyed(load, { seconds: PACED_SECONDS, perSecond });
  isOver = true;
  await reading;
  figures.set('Chats of one API key while all that is read, p99', { value: p99, unit: 'ms', errors });
}

function loadOf(server: Server, secrets: readonly string[], model: string): KeyedLoad {
  const messages = [{ role: 'user', content: 'hello' }];
  const body = JSON.stringify({ model, messages, max_tokens: 20 });
  return { url: `${server.url}/api/v1/chat/completions`, body, secrets };
}
