import { join } from 'node:path';
import type { Bench } from '../bench.js';
import { median } from '../compare.js';
import type { Measurement } from '../measurement.js';
import { runProgram, startPeer } from '../processes.js';
import { startSubject } from '../subject.js';

const STARTS = 7;

/** How long the server and the shortest command take from their start, in turns with what does the least. */
export async function measureStarts(bench: Bench): Promise<Measurement[]> {
  const databaseFile = join(bench.folder, 'start.db');
  const serve: Pair[] = [];
  const help: Pair[] = [];
  for (let start = 0; start < STARTS; start++) {
    const byway = await startSubject(bench.subject);
    await byway.stop();
    const peer = await startPeer('fastify-sqlite', { databaseFile }, '/readyz');
    await peer.stop();
    serve.push({ byway: byway.readyAfterMs, peer: peer.readyAfterMs });
    help.push({
      byway: await runProgram('../../dist/src/main.js', '--help'),
      peer: await runProgram('peers/nothing.mjs'),
    });
  }
  return [
    {
      title: '`byway serve`, from spawn to /readyz 200',
      unit: 'ms',
      ...mediansOf(serve),
      peerIs: 'bare Fastify that opens a SQLite file',
    },
    { title: '`byway --help`', unit: 'ms', ...mediansOf(help), peerIs: 'an empty program' },
  ];
}

interface Pair {
  readonly byway: number;
  readonly peer: number;
}

function mediansOf(pairs: readonly Pair[]): Pair {
  return { byway: median(pairs.map(({ byway }) => byway)), peer: median(pairs.map(({ peer }) => peer)) };
}
