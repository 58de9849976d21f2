/**
 * `npm run bench`: the built gateway beside peers that do the minimum for the same answer, alternately on the same
 * machine. Prints one Markdown table; nothing is asserted. An argument names the cases to run, all of them without.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Bench } from './bench.js';
import { measureAdapters } from './cases/adapters.js';
import { compareChat } from './cases/chat.js';
import { compareEmbeddings } from './cases/embeddings.js';
import { measureEndUsers } from './cases/end-users.js';
import { compareFastStreams } from './cases/fast-streams.js';
import { measureFit } from './cases/fit.js';
import { measureKeyReads } from './cases/key-reads.js';
import { compareKeys } from './cases/keys.js';
import { measureLatency } from './cases/latency.js';
import { compareLedger } from './cases/ledger.js';
import { measureMemory } from './cases/memory.js';
import { compareModels } from './cases/models.js';
import { measurePostgres } from './cases/postgres.js';
import { measureProcesses } from './cases/process.js';
import { compareProxy } from './cases/proxy.js';
import { measureRecordSize } from './cases/record-size.js';
import { measureReservations } from './cases/reservations.js';
import { compareRpc } from './cases/rpc.js';
import { measureScale } from './cases/scale.js';
import { measureStarts } from './cases/start.js';
import { measureStreams } from './cases/streams.js';
import { measureTenants } from './cases/tenants.js';
import { measureTricks } from './cases/tricks.js';
import { searchWorstAnswer } from './cases/worst-answer.js';
import { searchWorstRequest } from './cases/worst-request.js';
import { type Compared, type Comparison, compare } from './compare.js';
import type { Measurement } from './measurement.js';
import { environment, table } from './report.js';
import { prepareSubject } from './subject.js';

/** Two servers under the same load. */
const COMPARISONS: Readonly<Record<string, (bench: Bench) => Promise<Comparison[]>>> = {
  models: compareModels,
  chat: compareChat,
  rpc: compareRpc,
  keys: compareKeys,
  proxy: compareProxy,
  'fast-streams': compareFastStreams,
  embeddings: compareEmbeddings,
  ledger: compareLedger,
};

/** Other measurements. The last one fills the ledger. */
const MEASUREMENTS: Readonly<Record<string, (bench: Bench) => Promise<Measurement[]>>> = {
  start: measureStarts,
  process: measureProcesses,
  latency: measureLatency,
  streams: measureStreams,
  memory: measureMemory,
  adapters: measureAdapters,
  postgres: measurePostgres,
  'key-reads': measureKeyReads,
  tenants: measureTenants,
  tricks: measureTricks,
  'end-users': measureEndUsers,
  fit: measureFit,
  scale: measureScale,
};

/** What has a report of its own. */
const REPORTS: Readonly<Record<string, (bench: Bench) => Promise<string>>> = {
  'worst-request': searchWorstRequest,
  'worst-answer': searchWorstAnswer,
  'record-size': measureRecordSize,
  reservations: measureReservations,
};

const startedAt = performance.now();
const folder = mkdtempSync(join(tmpdir(), 'byway-bench-'));
try {
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  const bench = new Bench(folder, await prepareSubject(dataDir));
  const compared: Compared[] = [];
  for (const prepare of wanted(COMPARISONS)) {
    for (const comparison of await prepare(bench)) compared.push(await compare(comparison));
    await bench.stopServers();
  }
  const measurements: Measurement[] = [];
  for (const measure of wanted(MEASUREMENTS)) {
    measurements.push(...(await measure(bench)));
    await bench.stopServers();
  }
  const found: string[] = [];
  for (const search of wanted(REPORTS)) {
    found.push(await search(bench));
    await bench.stopServers();
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  process.stdout.write(
    `${environment()}; ${seconds} s in all\n\n${[table(compared, measurements), ...found].join('\n')}`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit();

function wanted<T>(cases: Readonly<Record<string, T>>): T[] {
  const names = process.argv.slice(2);
  return Object.entries(cases).flatMap(([name, one]) =>
    names.length === 0 || names.includes(name) ? [one] : [],
  );
}
