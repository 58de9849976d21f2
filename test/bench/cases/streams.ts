import type { Bench } from '../bench.js';
import { median } from '../compare.js';
import type { Load } from '../load.js';
import type { Measurement } from '../measurement.js';
import { runScript, type Server } from '../processes.js';
import { PIECES } from '../subject.js';
import { byokChat, providerChat } from './byok.js';

const STREAMS = 500;
const ROUNDS = 3;
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

/**
 * Many streams at once over a BYOK key beside a proxy that looks at nothing; the floor is one that reads and writes them
 * with the same libraries, and parses each event.
 */
export async function measureStreams(bench: Bench): Promise<Measurement[]> {
  const { provider, apiKey } = bench.subject;
  const server = await bench.startByway();
  const proxy = await bench.startPeer('byte-proxy', { origin: provider.url });
  const parsing = await bench.startPeer('event-proxy', { origin: provider.url });
  const rounds: { byway: Streamed; floor: Streamed; peer: Streamed }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({
      byway: await openStreams(server, byokChat(server, apiKey, true)),
      floor: await openStreams(parsing, providerChat(parsing, {}, true)),
      peer: await openStreams(proxy, providerChat(proxy, {}, true)),
    });
  }
  const measurement = (
    title: string,
    unit: Measurement['unit'],
    of: 'p50' | 'p99' | 'cpuMicros',
    side: 'byway' | 'floor',
  ): Measurement => ({
    title: `${STREAMS} streams of ${PIECES.perSecond} pieces a second, ${title}`,
    unit,
    byway: median(rounds.map((round) => round[side][of])),
    peer: median(rounds.map(({ peer }) => peer[of])),
    peerIs: 'proxy that passes bytes',
    errors: rounds.reduce((sum, round) => sum + round[side].errors + round.peer.errors, 0),
  });
  return [
    measurement('age of a piece, p50', 'ms', 'p50', 'byway'),
    measurement('age of a piece, p99', 'ms', 'p99', 'byway'),
    measurement('floor: node:http + undici, age of a piece, p99', 'ms', 'p99', 'floor'),
    measurement('CPU a piece', 'us', 'cpuMicros', 'byway'),
    measurement('floor: node:http + undici, CPU a piece', 'us', 'cpuMicros', 'floor'),
  ];
}

async function openStreams(server: Server, { url, headers, body }: Load): Promise<Streamed> {
  const before = server.cpuMs() ?? Number.NaN;
  const size = { streams: STREAMS, pieces: PIECES.count, spreadMs: SPREAD_MS };
  const streamed = await runScript<Streamed>('streams', { url, headers, body, ...size });
  const cpuMs = (server.cpuMs() ?? Number.NaN) - before;
  return { ...streamed, cpuMicros: (cpuMs * 1000) / streamed.pieces };
}
