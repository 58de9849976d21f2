import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogOf } from './catalog.js';
import { type Server, startByway } from './processes.js';

/** The gateway that is measured: its data, and the keys that its first start has printed. */
export interface Subject {
  readonly dataDir: string;
  readonly apiKey: string;
  readonly managementKey: string;
  /** How long the first start took, with its import of the catalogue. */
  readonly firstStartMs: number;
}

/** How many models the gateway has. */
export const MODEL_COUNT = 1000;

/** Starts a gateway for the first time, in an empty folder, and stops it. */
export async function prepareSubject(dataDir: string): Promise<Subject> {
  const catalogFile = join(dataDir, 'catalog.json');
  writeFileSync(catalogFile, catalogOf(MODEL_COUNT));
  const server = await startByway({ BYWAY_DATA_DIR: dataDir, BYWAY_CATALOG: catalogFile });
  const apiKey = /bw-v1-[0-9a-f]{64}/.exec(server.output())?.[0];
  const managementKey = /bw-mgmt-[0-9a-f]{64}/.exec(server.output())?.[0];
  await server.stop();
  if (apiKey === undefined || managementKey === undefined) throw new Error('the first start printed no keys');
  return { dataDir, apiKey, managementKey, firstStartMs: server.readyAfterMs };
}

/** Starts it again, with its data; `preloads` are modules that are loaded before it. */
export function startSubject({ dataDir }: Subject, preloads: string[] = []): Promise<Server> {
  return startByway({ BYWAY_DATA_DIR: dataDir }, preloads);
}
