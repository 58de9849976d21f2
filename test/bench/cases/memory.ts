import type { Bench } from '../bench.js';
import { type Load, sendUpTo } from '../load.js';
import type { Measurement } from '../measurement.js';
import type { Server } from '../processes.js';
import { byokChat, providerChat } from './byok.js';

const CHATS = 100_000;
const STREAMS = 20_000;
/** Events of a stream. */
const EVENTS = 32;
const SLICE = 10_000;
/** When not all requests are sent by then, the measurement is of those that were. */
const MAX_DELAY_MS = 120_000;
const MIB = 1024 * 1024;

/** The memory of the gateway over many chats on a BYOK key and then many streams, beside a proxy's. */
export async function measureMemory(bench: Bench): Promise<Measurement[]> {
  const { provider, apiKey } = bench.subject;
  const server = await bench.startByway();
  const proxy = await bench.startPeer('undici-proxy', { origin: provider.url });
  const maxTokens = EVENTS * 1000;
  return [
    ...measurements('chats', {
      byway: await grow(server, byokChat(server, apiKey), CHATS),
      peer: await grow(proxy, providerChat(proxy), CHATS),
    }),
    ...measurements(`streams of ${EVENTS} events`, {
      byway: await grow(server, byokChat(server, apiKey, true, maxTokens), STREAMS),
      peer: await grow(proxy, providerChat(proxy, {}, true, maxTokens), STREAMS),
    }),
  ];
}

type Growth = Awaited<ReturnType<typeof grow>>;

function measurements(of: string, { byway, peer }: Record<'byway' | 'peer', Growth>): Measurement[] {
  const peerIs = 'node:http + undici proxy that parses and forwards';
  const measurement = (sent: number, when: 'early' | 'late'): Measurement => ({
    title: `Resident memory after ${sent} ${of} on a BYOK key`,
    unit: 'MiB',
    byway: byway[when],
    peer: peer[when],
    peerIs,
  });
  return [measurement(SLICE, 'early'), measurement(byway.sent, 'late')];
}

async function grow(server: Server, load: Load, max: number) {
  const first = await sendUpTo(load, SLICE, SLICE, MAX_DELAY_MS);
  const early = megabytes(server);
  const sent = first + (await sendUpTo(load, max - first, SLICE, MAX_DELAY_MS));
  return { sent, early, late: megabytes(server) };
}

function megabytes(server: Server): number {
  return (server.residentBytes() ?? Number.NaN) / MIB;
}
