import { type Load, type Loaded, send, sendUpTo } from './load.js';
import type { Server } from './processes.js';

/** One side of a comparison: a server and its load. */
export interface Side {
  readonly server: Server;
  readonly load: Load;
}

/** Two servers under the same load. */
export interface Comparison {
  readonly title: string;
  /** A description of the peer. */
  readonly peerIs: string;
  readonly byway: Side;
  readonly peer: Side;
  /** The min ratio to reach. */
  readonly aim?: number;
}

/** The results of one side: medians over the rounds, and its memory after them. */
export interface SideResults {
  readonly perSecond: number;
  /** Processor time per request in microseconds; undefined where the system does not report it. */
  readonly cpuMicros: number | undefined;
  /** Of all rounds. */
  readonly errors: number;
  /** Memory after all rounds, in bytes; undefined where the system does not report it. */
  readonly residentBytes: number | undefined;
}

/** Both sides of a comparison, measured. */
export interface Compared extends Comparison {
  readonly measurements: { readonly byway: SideResults; readonly peer: SideResults };
  /** Median of the ratios of the rounds: a disturbance that is longer than a round affects both sides. */
  readonly ratio: number;
}

const ROUNDS = 5;
/** Until both are compiled as far as they will be, but limited. */
const WARM_UP = { requests: 20_000, slice: 2_000, maxMs: 8_000 };
const ROUND_SECONDS = 1;

/** Sends the load until its server is compiled, or for as long as that may take. */
export async function warmUp(load: Load): Promise<void> {
  await sendUpTo(load, WARM_UP.requests, WARM_UP.slice, WARM_UP.maxMs);
}

/** Measures both sides alternately, after a warm-up that does not count. */
export async function compare(comparison: Comparison): Promise<Compared> {
  const { byway, peer } = comparison;
  for (const { load } of [byway, peer]) await warmUp(load);
  const rounds: { readonly byway: Round; readonly peer: Round }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({ byway: await measure(byway), peer: await measure(peer) });
  }
  const measurements = {
    byway: resultsOf(
      byway,
      rounds.map((r) => r.byway),
    ),
    peer: resultsOf(
      peer,
      rounds.map((r) => r.peer),
    ),
  };
  const ratio = median(rounds.map((round) => round.byway.perSecond / round.peer.perSecond));
  return { ...comparison, measurements, ratio };
}

/** The median; for an even number of values the upper one of the two in the middle. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

interface Round extends Loaded {
  readonly cpuMs: number | undefined;
}

async function measure({ server, load }: Side): Promise<Round> {
  const before = server.cpuMs();
  const loaded = await send(load, { seconds: ROUND_SECONDS });
  const after = server.cpuMs();
  return { ...loaded, cpuMs: before === undefined || after === undefined ? undefined : after - before };
}

function resultsOf({ server }: Side, rounds: readonly Round[]): SideResults {
  const cpuMicros = rounds.map(({ cpuMs = Number.NaN, requests }) => (cpuMs * 1000) / requests);
  return {
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    cpuMicros: cpuMicros.some(Number.isNaN) ? undefined : median(cpuMicros),
    errors: rounds.reduce((sum, { errors }) => sum + errors, 0),
    residentBytes: server.residentBytes(),
  };
}
