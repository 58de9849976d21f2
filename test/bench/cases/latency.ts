import { join } from 'node:path';
import type { Bench } from '../bench.js';
import { median } from '../compare.js';
import { type Load, send } from '../load.js';
import type { Measurement } from '../measurement.js';
import { runScript } from '../processes.js';
import { byokChat, providerChat } from './byok.js';

const PER_SECOND = 1_000;
const ROUNDS = 5;
const SECONDS = 2;

interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly errors: number;
}

/**
 * What the gateway adds to the provider's own time at a fixed rate of requests, and what its libraries alone add, beside
 * what a bare proxy adds.
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
  const sides = { byway, floor: providerChat(libraries), peer: providerChat(proxy) };
  for (const load of Object.values(sides)) await latencyOf(load);
  const rounds: Record<keyof typeof sides, Latency>[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const base = await latencyOf(providerChat(provider));
    rounds.push({
      byway: beyond(await latencyOf(sides.byway), base),
      floor: beyond(await latencyOf(sides.floor), base),
      peer: beyond(await latencyOf(sides.peer), base),
    });
  }
  const added = (of: string, side: keyof typeof sides, percentile: 'p50' | 'p99'): Measurement => ({
    title: `${of} at ${PER_SECOND} chats a second on a BYOK key, ${percentile}`,
    unit: 'ms',
    byway: median(rounds.map((round) => round[side][percentile])),
    peer: median(rounds.map(({ peer }) => peer[percentile])),
    peerIs: 'node:http + undici proxy that parses and forwards',
    errors: rounds.reduce((sum, round) => sum + round[side].errors + round.peer.errors, 0),
  });
  return (['p50', 'p99'] as const).flatMap((percentile) => [
    added('Added latency', 'byway', percentile),
    added('Floor of added latency: Fastify, undici and better-sqlite3 alone', 'floor', percentile),
  ]);
}

function latencyOf({ url, method, headers, body }: Load): Promise<Latency> {
  const size = { perSecond: PER_SECOND, requests: PER_SECOND * SECONDS };
  return runScript<Latency>('paced', { url, method, headers, body, ...size });
}

function beyond(latency: Latency, base: Latency): Latency {
  return {
    p50: latency.p50 - base.p50,
    p99: latency.p99 - base.p99,
    errors: latency.errors + base.errors,
  };
}
