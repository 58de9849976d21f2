import type { Bench } from '../bench.js';
import { type Load, sendUpTo } from '../load.js';
import type { Measurement } from '../measurement.js';
import type { Server } from '../processes.js';
import { byokChat, providerChat } from './byok.js';

const REQUESTS = 100_000;
const SLICE = 10_000;
/** When not all requests are sent by then, the measurement is of those that were. */
const MAX_DELAY_MS = 120_000;
const MIB = 1024 * 1024;

/** The memory of the gateway over many chats on a BYOK key, beside a bare proxy's. */
export async function measureMemory(bench: Bench): Promise<Measurement[]> {
  const { provider, apiKey } = bench.subject;
  const server = await bench.startByway();
  const proxy = await bench.startPeer('undici-proxy', { origin: provider.url });
  const byway = await grow(server, byokChat(server, apiKey), REQUESTS);
  const peer = await grow(proxy, providerChat(proxy), byway.sent);
  const peerIs = 'node:http + undici proxy that parses and forwards';
  return [
    { title: `Resident memory after ${SLICE} chats on a BYOK key`, early: true },
    { title: `Resident memory after ${byway.sent} chats on a BYOK key`, early: false },
  ].map(({ title, early }) => ({
    title,
    unit: 'MiB',
    peerIs,
    byway: early ? byway.early : byway.late,
    peer: early ? peer.early : peer.late,
  }));
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
