import { join } from 'node:path';
import type { Bench } from '../bench.js';
import { median } from '../compare.js';
import type { Measurement } from '../measurement.js';
import { runProgram, startPeer } from '../processes.js';
import { startSubject } from '../subject.js';

const STARTS = 7;

/**
 * How long the server and the shortest command take from their start, in turns with what does the least; and the floor of
 * the server, which is what its libraries alone take to read the same catalogue and the contract.
 */
export async function measureStarts(bench: Bench): Promise<Measurement[]> {
  const databaseFile = join(bench.folder, 'start.db');
  const catalogFile = join(bench.subject.dataDir, 'byway.db');
  const serve: Pair[] = [];
  const floor: Pair[] = [];
  const help: Pair[] = [];
  for (let start = 0; start < STARTS; start++) {
    const byway = await startSubject(bench.subject);
    await byway.stop();
    const peer = await readyAfter('fastify-sqlite', databaseFile);
    serve.push({ byway: byway.readyAfterMs, peer });
    floor.push({ byway: await readyAfter('contract', catalogFile), peer });
    help.push({
      byway: await runProgram('../../dist/src/main.js', '--help'),
      peer: await runProgram('peers/nothing.mjs'),
    });
  }
  const peerIs = 'bare Fastify that opens a SQLite file';
  return [
    { title: '`byway serve`, from spawn to /readyz 200', unit: 'ms', ...mediansOf(serve), peerIs },
    {
      title: 'Floor of the start: Fastify, Connect and better-sqlite3 alone, the same catalogue and contract',
      unit: 'ms',
      ...mediansOf(floor),
      peerIs,
    },
    { title: '`byway --help`', unit: 'ms', ...mediansOf(help), peerIs: 'an empty program' },
  ];
}

async function readyAfter(peer: string, databaseFile: string): Promise<number> {
  const server = await startPeer(peer, { databaseFile }, '/readyz');
  await server.stop();
  return server.readyAfterMs;
}

interface Pair {
  readonly byway: number;
  readonly peer: number;
}

function mediansOf(pairs: readonly Pair[]): Pair {
  return { byway: median(pairs.map(({ byway }) => byway)), peer: median(pairs.map(({ peer }) => peer)) };
}
