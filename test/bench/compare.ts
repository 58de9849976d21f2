import { type Load, type Loaded, send, sendUpTo } from './load.js';
import type { Server } from './processes.js';

/** One side of a comparison: a server and what it is asked. */
export interface Side {
  readonly server: Server;
  readonly load: Load;
}

/** Two ways to do the same thing. */
export interface Comparison {
  readonly title: string;
  /** What the peer is. */
  readonly peerIs: string;
  readonly byway: Side;
  readonly peer: Side;
  /** The least ratio to be proud of. */
  readonly aim?: number;
}

/** What one side came to: medians over the rounds, and what is left after them. */
export interface LatencyStatistics {
  readonly perSecond: number;
  /** Processor time per request in microseconds; undefined where the system does not tell. */
  readonly cpuMicros: number | undefined;
  /** Of all rounds. */
  readonly errors: number;
  /** Memory after all rounds, in bytes; undefined where the system does not tell. */
  readonly residentBytes: number | undefined;
}

/** Both sides of a comparison, measured. */
export interface Compared extends Comparison {
  readonly figures: { readonly byway: LatencyStatistics; readonly peer: LatencyStatistics };
  /** Median of each round's ratio: what disturbs the machine for longer than a round disturbs both sides of it. */
  readonly ratio: number;
}

const ROUNDS = 5;
/** Until both are compiled as far as they will be, but not for ever. */
const WARM_UP = { requests: 20_000, slice: 2_000, longestMs: 8_000 };
const ROUND_SECONDS = 1;

/** Measures both sides in turns, after a warm-up that does not count. */
export async function compare(comparison: Comparison): Promise<Compared> {
  const { byway, peer } = comparison;
  for (const { load } of [byway, peer]) {
    await sendUpTo(load, WARM_UP.requests, WARM_UP.slice, WARM_UP.longestMs);
  }
  const rounds: { readonly byway: Round; readonly peer: Round }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({ byway: await measure(byway), peer: await measure(peer) });
  }
  const figures = {
    byway: figuresOf(
      byway,
      rounds.map((r) => r.byway),
    ),
    peer: figuresOf(
      peer,
      rounds.map((r) => r.peer),
    ),
  };
  const ratio = median(rounds.map((round) => round.byway.perSecond / round.peer.perSecond));
  return { ...comparison, figures, ratio };
}

/** The middle of the values; of an even number the upper one of the middle. */
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

function figuresOf({ server }: Side, rounds: readonly Round[]): LatencyStatistics {
  const cpuMicros = rounds.map(({ cpuMs = Number.NaN, requests }) => (cpuMs * 1000) / requests);
  return {
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    cpuMicros: cpuMicros.some(Number.isNaN) ? undefined : median(cpuMicros),
    errors: rounds.reduce((sum, { errors }) => sum + errors, 0),
    residentBytes: server.residentBytes(),
  };
}
