import type { Bench } from '../bench.js';
import { sendUpTo } from '../load.js';
import type { Measurement } from '../measurement.js';
import { type Server, startPeer } from '../processes.js';
import { startSubject } from '../subject.js';
import { shortChat } from './chat.js';

const REQUESTS = 100_000;
const SLICE = 10_000;
/** When not all requests are sent by then, the measurement is of those that were. */
const MAX_DELAY_MS = 60_000;
const MIB = 1024 * 1024;

/** The memory that both have after their start and after many requests. */
export async function measureProcesses(bench: Bench): Promise<Measurement[]> {
  const byway = await startSubject(bench.subject);
  const peer = await startBareFastify(bench);
  const fresh = { byway: megabytes(byway), peer: megabytes(peer) };
  const sent = await sendUpTo(shortChat(byway, bench.subject.apiKey), REQUESTS, SLICE, MAX_DELAY_MS);
  await sendUpTo({ ...shortChat(peer, ''), url: `${peer.url}/bytes` }, sent, SLICE, MAX_DELAY_MS);
  const used = { byway: megabytes(byway), peer: megabytes(peer) };
  await Promise.all([byway.stop(), peer.stop()]);
  const peerIs = 'bare Fastify process';
  return [
    { title: 'Resident memory after the start', unit: 'MiB', ...fresh, peerIs },
    { title: `Resident memory after ${sent} chats`, unit: 'MiB', ...used, peerIs },
  ];
}

function startBareFastify(bench: Bench): Promise<Server> {
  return startPeer('fastify', { bodyFile: bench.write('small.json', '{"data":{}}') }, '/readyz');
}

function megabytes(server: Server): number {
  return (server.residentBytes() ?? Number.NaN) / MIB;
}
