import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCluster, newestPrograms } from '../../support/postgres-cluster.js';
import type { Bench } from '../bench.js';
import { median } from '../compare.js';
import type { Figure } from '../figure.js';
import { type Load, send } from '../load.js';
import { prepareSubject, startSubject } from '../subject.js';
import { shortChat } from './chat.js';

const ROUNDS = 5;
const WARM_UP = { seconds: 2 };
const ROUND = { seconds: 2 };

/**
 * Chats of two processes on one PostgreSQL database beside those of one, all of them of one account. Nothing is pinned
 * but the loader: the figure tells something where there are more processors than these programs keep busy.
 */
export async function measurePostgres({ folder }: Bench): Promise<Figure[]> {
  const programs = newestPrograms();
  if (programs === undefined) {
    process.stderr.write('No PostgreSQL is installed: nothing is measured on it.\n');
    return [];
  }
  const dataDir = join(folder, 'postgres');
  mkdirSync(dataDir);
  // Not below our folder: the server may have to run as somebody else.
  const home = mkdtempSync(join(tmpdir(), 'byway-bench-'));
  const cluster = await makeCluster(programs, home, {});
  await cluster.start();
  try {
    const subject = await prepareSubject(dataDir, cluster.url);
    const servers = [await startSubject(subject, [], null), await startSubject(subject, [], null)];
    const loads = servers.map((server) => shortChat(server, subject.apiKey));
    await throughput(loads, WARM_UP);
    const rounds: { readonly one: number; readonly two: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push({ one: await throughput(loads.slice(0, 1), ROUND), two: await throughput(loads, ROUND) });
    }
    await Promise.all(servers.map((server) => server.stop()));
    return [
      {
        title: 'Chats of two processes on PostgreSQL',
        unit: 'a second',
        byway: median(rounds.map(({ two }) => two)),
        peer: median(rounds.map(({ one }) => one)),
        peerIs: 'one process on it',
      },
    ];
  } finally {
    await cluster.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

async function throughput(loads: readonly Load[], extent: { readonly seconds: number }): Promise<number> {
  const loaded = await Promise.all(loads.map((load) => send(load, extent)));
  return loaded.reduce((sum, { perSecond }) => sum + perSecond, 0);
}
