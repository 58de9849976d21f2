import { join } from 'node:path';
import { answerTo, type Bench, bearer, JSON_BODY } from '../bench.js';
import type { Comparison } from '../compare.js';
import type { Load } from '../load.js';

/** SQLite's synchronous modes, and how to start the gateway with them. */
const MODES = [
  { synchronous: 'NORMAL', preloads: [] },
  { synchronous: 'FULL', preloads: ['synchronous-full.mjs'] },
];

/** The update of a key, where every request changes it, beside a server that changes a row. */
export async function compareKeys(bench: Bench): Promise<Comparison[]> {
  const headers = bearer(bench.subject.managementKey);
  const comparisons: Comparison[] = [];
  for (const { synchronous, preloads } of MODES) {
    const server = await bench.startByway(preloads);
    const databaseFile = join(bench.folder, `row-${synchronous}.db`);
    const peer = await bench.startPeer('sqlite', { databaseFile, synchronous });
    const keys = (await (await answerTo(`${server.url}/api/v1/keys`, { headers })).json()) as {
      data: readonly { hash: string }[];
    };
    const load = (url: string): Load => ({
      protocol: 'http',
      method: 'PATCH',
      url,
      headers: { ...headers, ...JSON_BODY },
      body: '{"name":"Key {n}"}',
    });
    comparisons.push({
      title: `PATCH /keys/{hash}, synchronous ${synchronous}`,
      peerIs: 'Fastify route that updates one row in a transaction',
      byway: { server, load: load(`${server.url}/api/v1/keys/${keys.data[0]?.hash}`) },
      peer: { server: peer, load: load(`${peer.url}/row`) },
    });
  }
  return comparisons;
}
