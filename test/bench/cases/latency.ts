import { join } from 'node:path';
import type { Bench } from '../bench.js';
import { median, type Side, warmUp } from '../compare.js';
import { send } from '../load.js';
import type { Measurement } from '../measurement.js';
import { runScript } from '../processes.js';
import { byokChat, providerChat } from './byok.js';

const PER_SECOND = 1_000;
const ROUNDS = 5;
const SECONDS = 2;

interface Latency {
  readonly p50: number;
  readonly p99: number;
  /** Processor time of a chat in microseconds. */
  readonly cpu: number;
  readonly errors: number;
}

/**
 * What the gateway adds to the provider's own time at a fixed rate of requests, and what its libraries alone add, beside
 * what a bare proxy adds; and the processor time of requests at that rate, which come alone.
 */
export async function measureLatency(bench: Bench): Promise<Measurement[]> {
  const { provider, apiKey } = bench.subject;
  const server = await bench.startByway();
  const proxy = await bench.startPeer('undici-proxy', { origin: provider.url });
  const byway = byokChat(server, apiKey);
  await send(byway, { requests: 32 });
  const libraries = await bench.startPeer('libraries', {
    origin: provider.url,
    original: join(bench.subject.dataDir, 'byway.db'),
    copy: join(bench.folder, 'rows-latency.db'),
  });
  const sides = {
    byway: { server, load: byway },
    floor: { server: libraries, load: providerChat(libraries) },
    peer: { server: proxy, load: providerChat(proxy) },
  };
  for (const { load } of Object.values(sides)) await warmUp(load);
  const rounds: Record<keyof typeof sides, Latency>[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const base = await latencyOf({ server: provider, load: providerChat(provider) });
    rounds.push({
      byway: beyond(await latencyOf(sides.byway), base),
      floor: beyond(await latencyOf(sides.floor), base),
      peer: beyond(await latencyOf(sides.peer), base),
    });
  }
  const row = (of: string, side: keyof typeof sides, figure: 'p50' | 'p99' | 'cpu'): Measurement => ({
    title: `${of} at ${PER_SECOND} chats a second on a BYOK key${figure === 'cpu' ? '' : `, ${figure}`}`,
    unit: figure === 'cpu' ? 'us' : 'ms',
    byway: median(rounds.map((round) => round[side][figure])),
    peer: median(rounds.map(({ peer }) => peer[figure])),
    peerIs: 'node:http + undici proxy that parses and forwards',
    errors: rounds.reduce((sum, round) => sum + round[side].errors + round.peer.errors, 0),
  });
  const floor = 'of Fastify, undici and better-sqlite3 alone';
  return [
    ...(['p50', 'p99'] as const).flatMap((percentile) => [
      row('Added latency', 'byway', percentile),
      row(`Floor of added latency, ${floor},`, 'floor', percentile),
    ]),
    row('Processor time', 'byway', 'cpu'),
    row(`Floor of processor time, ${floor},`, 'floor', 'cpu'),
  ];
}

async function latencyOf({ server, load: { url, method, headers, body } }: Side): Promise<Latency> {
  const before = server.cpuMs() ?? Number.NaN;
  const size = { perSecond: PER_SECOND, requests: PER_SECOND * SECONDS };
  const latency = await runScript<Omit<Latency, 'cpu'>>('paced', { url, method, headers, body, ...size });
  const cpuMs = (server.cpuMs() ?? Number.NaN) - before;
  return { ...latency, cpu: (cpuMs * 1_000) / size.requests };
}

function beyond(latency: Latency, base: Latency): Latency {
  return {
    ...latency,
    p50: latency.p50 - base.p50,
    p99: latency.p99 - base.p99,
    errors: latency.errors + base.errors,
  };
}
