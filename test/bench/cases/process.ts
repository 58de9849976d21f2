import type { Bench } from '../bench.js';
import { median } from '../compare.js';
import { sendUpTo } from '../load.js';
import type { Measurement } from '../measurement.js';
import { type Server, startPeer } from '../processes.js';
import { startSubject } from '../subject.js';
import { shortChat } from './chat.js';

const STARTS = 5;
const REQUESTS = 100_000;
const SLICE = 10_000;
/** When not all requests are sent by then, the measurement is of those that were. */
const MAX_DELAY_MS = 60_000;
const MIB = 1024 * 1024;

/** How long both take to start, and the memory that they have then and after many requests. */
export async function measureProcesses(bench: Bench): Promise<Measurement[]> {
  const startPair = async () => [await startSubject(bench.subject), await startBareFastify(bench)] as const;
  const starts: { readonly byway: number; readonly peer: number }[] = [];
  for (let start = 1; start < STARTS; start++) {
    const [byway, peer] = await startPair();
    starts.push({ byway: byway.readyAfterMs, peer: peer.readyAfterMs });
    await Promise.all([byway.stop(), peer.stop()]);
  }
  const [byway, peer] = await startPair();
  starts.push({ byway: byway.readyAfterMs, peer: peer.readyAfterMs });
  const fresh = { byway: megabytes(byway), peer: megabytes(peer) };
  const sent = await sendUpTo(shortChat(byway, bench.subject.apiKey), REQUESTS, SLICE, MAX_DELAY_MS);
  await sendUpTo({ ...shortChat(peer, ''), url: `${peer.url}/bytes` }, sent, SLICE, MAX_DELAY_MS);
  const used = { byway: megabytes(byway), peer: megabytes(peer) };
  await Promise.all([byway.stop(), peer.stop()]);
  const peerIs = 'bare Fastify process';
  return [
    {
      title: 'Start, from spawn to /readyz 200',
      unit: 'ms',
      byway: median(starts.map((start) => start.byway)),
      peer: median(starts.map((start) => start.peer)),
      peerIs,
    },
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
