import type { Bench } from '../bench.js';
import { median, warmUp } from '../compare.js';
import type { Load } from '../load.js';
import type { Measurement } from '../measurement.js';
import { runScript, type Server } from '../processes.js';
import { PIECES } from '../subject.js';
import { byokChat, providerChat } from './byok.js';

const STREAMS = 500;
const ROUNDS = 3;
/** Of the short streams that compile a server's code: each thousand is a piece that comes as fast as it is taken. */
const WARM_UP_TOKENS = 4_000;
/** The streams begin over this time, so that their pieces don't come in step. */
const SPREAD_MS = 1_000;

/** How late pieces came, in ms after the provider wrote them, and what each cost the server. */
interface Streamed {
  readonly p50: number;
  readonly p99: number;
  readonly pieces: number;
  readonly errors: number;
  readonly cpuMicros: number;
}

/** A server, its streams, and short ones of the same kind. */
interface Side {
  readonly server: Server;
  readonly load: Load;
  readonly short: Load;
}

/**
 * Many streams at once over a BYOK key beside a proxy that looks at nothing; the floor is one that reads and writes them
 * with the same libraries, and parses each event. The first streams of processes that have just started are measured by
 * themselves: V8 compiles as they run, most of all what surrounds a stream, which a proxy has next to nothing of.
 */
export async function measureStreams(bench: Bench): Promise<Measurement[]> {
  const { provider, apiKey } = bench.subject;
  const server = await bench.startByway();
  const proxy = await bench.startPeer('byte-proxy', { origin: provider.url });
  const parsing = await bench.startPeer('event-proxy', { origin: provider.url });
  const sideOf = (at: Server, chat: (maxTokens?: number) => Load): Side => ({
    server: at,
    load: chat(),
    short: chat(WARM_UP_TOKENS),
  });
  const sides = {
    byway: sideOf(server, (maxTokens) => byokChat(server, apiKey, true, maxTokens)),
    floor: sideOf(parsing, (maxTokens) => providerChat(parsing, {}, true, maxTokens)),
    peer: sideOf(proxy, (maxTokens) => providerChat(proxy, {}, true, maxTokens)),
  };
  const first = [await measureRound(sides)];
  for (const { short } of Object.values(sides)) await warmUp(short);
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measureRound(sides));
  return [
    measurement(rounds, 'age of a piece, p50', 'ms', 'p50'),
    measurement(rounds, 'age of a piece, p99', 'ms', 'p99'),
    measurement(rounds, 'floor: node:http + undici, age of a piece, p99', 'ms', 'p99', 'floor'),
    measurement(rounds, 'CPU a piece', 'us', 'cpuMicros'),
    measurement(rounds, 'floor: node:http + undici, CPU a piece', 'us', 'cpuMicros', 'floor'),
    measurement(first, 'the first of a process, age of a piece, p99', 'ms', 'p99'),
    measurement(first, 'the first of a process, CPU a piece', 'us', 'cpuMicros'),
    measurement(first, 'floor: the first of a process, CPU a piece', 'us', 'cpuMicros', 'floor'),
  ];
}

type Round = Readonly<Record<'byway' | 'floor' | 'peer', Streamed>>;

async function measureRound(sides: Readonly<Record<keyof Round, Side>>): Promise<Round> {
  return {
    byway: await openStreams(sides.byway),
    floor: await openStreams(sides.floor),
    peer: await openStreams(sides.peer),
  };
}

function measurement(
  rounds: readonly Round[],
  title: string,
  unit: Measurement['unit'],
  of: 'p50' | 'p99' | 'cpuMicros',
  side: 'byway' | 'floor' = 'byway',
): Measurement {
  return {
    title: `${STREAMS} streams of ${PIECES.perSecond} pieces a second, ${title}`,
    unit,
    byway: median(rounds.map((round) => round[side][of])),
    peer: median(rounds.map(({ peer }) => peer[of])),
    peerIs: 'proxy that passes bytes',
    errors: rounds.reduce((sum, round) => sum + round[side].errors + round.peer.errors, 0),
  };
}

async function openStreams({ server, load: { url, headers, body } }: Side): Promise<Streamed> {
  const before = server.cpuMs() ?? Number.NaN;
  const size = { streams: STREAMS, pieces: PIECES.count, spreadMs: SPREAD_MS };
  const streamed = await runScript<Streamed>('streams', { url, headers, body, ...size });
  const cpuMs = (server.cpuMs() ?? Number.NaN) - before;
  return { ...streamed, cpuMicros: (cpuMs * 1000) / streamed.pieces };
}
