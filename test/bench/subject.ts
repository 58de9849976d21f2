import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogOf } from './catalog.js';
import { type Server, startByway, startProvider } from './processes.js';

/** The gateway that is measured: its data, and the keys that its first start has printed. */
export interface Subject {
  readonly dataDir: string;
  readonly apiKey: string;
  readonly managementKey: string;
  /** The fake provider that the account has a BYOK key for. It runs as long as the benchmark. */
  readonly provider: Server;
  /** How long the first start took, with its import of the catalogue. */
  readonly firstStartMs: number;
}

/** How many models the gateway has. */
export const MODEL_COUNT = 1000;

/** Pieces of each stream of the fake provider, and how many of them come in a second. */
export const PIECES = { count: 100, perSecond: 20 } as const;

/** Starts a gateway for the first time, in an empty folder, gives it a BYOK key, and stops it. */
export async function prepareSubject(dataDir: string): Promise<Subject> {
  const provider = await startProvider('openai', { pieces: PIECES });
  const catalogFile = join(dataDir, 'catalog.json');
  writeFileSync(catalogFile, catalogOf(MODEL_COUNT, provider.url));
  const server = await startByway({ BYWAY_DATA_DIR: dataDir, BYWAY_CATALOG: catalogFile });
  const apiKey = /bw-v1-[0-9a-f]{64}/.exec(server.output())?.[0];
  const managementKey = /bw-mgmt-[0-9a-f]{64}/.exec(server.output())?.[0];
  if (apiKey === undefined || managementKey === undefined) throw new Error('the first start printed no keys');
  await addByokKey(server, managementKey);
  await server.stop();
  return { dataDir, apiKey, managementKey, provider, firstStartMs: server.readyAfterMs };
}

async function addByokKey({ url }: Server, managementKey: string): Promise<void> {
  const answer = await fetch(`${url}/api/v1/byok`, {
    method: 'POST',
    headers: { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ provider: 'openai', key: 'sk-bench-0123456789abcdefghijkl' }),
  });
  if (!answer.ok) throw new Error(`the BYOK key was not taken: ${await answer.text()}`);
}

/** Starts it again, with its data; `preloads` are modules that are loaded before it. */
export function startSubject({ dataDir }: Subject, preloads: string[] = []): Promise<Server> {
  return startByway({ BYWAY_DATA_DIR: dataDir }, preloads);
}
