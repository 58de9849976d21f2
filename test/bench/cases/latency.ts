import type { Bench } from '../bench.js';
import { median } from '../compare.js';
import type { Load } from '../load.js';
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

/** What the gateway adds to the provider's own time at a fixed rate of requests, beside what a bare proxy adds. */
export async function measureLatency(bench: Bench): Promise<Measurement[]> {
  const { provider, apiKey } = bench.subject;
  const server = await bench.startByway();
  const proxy = await bench.startPeer('undici-proxy', { origin: provider.url });
  const providerLoad = providerChat(provider);
  const loads = { byway: byokChat(server, apiKey), peer: providerChat(proxy) };
  for (const load of Object.values(loads)) await latencyOf(load);
  const added: { byway: Latency; peer: Latency }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const base = await latencyOf(providerLoad);
    added.push({
      byway: beyond(await latencyOf(loads.byway), base),
      peer: beyond(await latencyOf(loads.peer), base),
    });
  }
  const errors = added.reduce((sum, { byway, peer }) => sum + byway.errors + peer.errors, 0);
  return (['p50', 'p99'] as const).map((percentile) => ({
    title: `Added latency at ${PER_SECOND} chats a second on a BYOK key, ${percentile}`,
    unit: 'ms',
    byway: median(added.map(({ byway }) => byway[percentile])),
    peer: median(added.map(({ peer }) => peer[percentile])),
    peerIs: 'node:http + undici proxy that parses and forwards',
    errors,
  }));
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
