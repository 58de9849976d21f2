import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { catalogOf } from './catalog.js';
import { type Server, startByway, startProvider } from './processes.js';

/** The measured gateway: its data, and the keys that its first start has printed. */
export interface Subject {
  readonly dataDir: string;
  /** Where its database is, when that is not in the folder. */
  readonly databaseUrl: string | undefined;
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
export async function prepareSubject(dataDir: string, databaseUrl?: string): Promise<Subject> {
  const provider = await startProvider('openai', { pieces: PIECES });
  const catalogFile = join(dataDir, 'catalog.json');
  writeFileSync(catalogFile, catalogOf(MODEL_COUNT, provider.url));
  const server = await startByway({ ...dataOf({ dataDir, databaseUrl }), BYWAY_CATALOG: catalogFile });
  // They may be printed a moment after the port has answered.
  const printed = (key: RegExp) => untilFound(() => key.exec(server.output())?.[0]);
  const apiKey = await printed(/bw-v1-[0-9a-f]{64}/);
  const managementKey = await printed(/bw-mgmt-[0-9a-f]{64}/);
  if (apiKey === undefined || managementKey === undefined) throw new Error('the first start printed no keys');
  await addByokKey(server, managementKey);
  await server.stop();
  return { dataDir, databaseUrl, apiKey, managementKey, provider, firstStartMs: server.readyAfterMs };
}

async function addByokKey({ url }: Server, managementKey: string): Promise<void> {
  const answer = await fetch(`${url}/api/v1/byok`, {
    method: 'POST',
    headers: { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ provider: 'openai', key: 'sk-bench-0123456789abcdefghijkl' }),
  });
  if (!answer.ok) throw new Error(`the BYOK key was not taken: ${await answer.text()}`);
}

/** Starts it again, or another program, with its data, after modules that change it, on the servers' processor or any. */
export function startSubject(
  subject: Subject,
  preloads: string[] = [],
  cpu?: null,
  env: Readonly<Record<string, string>> = {},
  program?: string,
): Promise<Server> {
  return startByway({ ...dataOf(subject), ...env }, preloads, cpu, program);
}

function dataOf({ dataDir, databaseUrl }: Pick<Subject, 'dataDir' | 'databaseUrl'>): Record<string, string> {
  return { BYWAY_DATA_DIR: dataDir, ...(databaseUrl !== undefined && { BYWAY_DATABASE_URL: databaseUrl }) };
}

async function untilFound(find: () => string | undefined): Promise<string | undefined> {
  for (let look = 0; look < 500 && find() === undefined; look++) await pause(10);
  return find();
}
