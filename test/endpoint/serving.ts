import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { testCatalog } from '../support/catalog.js';
import { type Child, startChild } from '../support/child-process.js';
import { temporaryDatabaseUrl, usualKind } from '../support/database.js';
import { send } from '../support/rest.js';

/** A gateway in a process of its own. */
export interface ServingProcess {
  readonly rest: string;
  readonly databaseUrl: string;
  /** The keys that its output shows; it never settles while there are none. */
  readonly keys: Promise<PrintedKeys>;
  /** Ends the process without giving it a moment. */
  kill(): Promise<void>;
}

interface PrintedKeys {
  readonly apiKey: string;
  readonly managementKey: string;
}

/** An empty data directory that goes with the test. */
export function temporaryDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'byway-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Serves the data directory, and that database or a new one, from a further process; resolves once it is ready. */
export async function serveFrom(dataDir: string, sharedUrl?: string): Promise<ServingProcess> {
  const catalogFile = join(dataDir, 'catalog.json');
  writeFileSync(catalogFile, JSON.stringify(testCatalog()));
  const databaseUrl = sharedUrl ?? (await databaseFor(dataDir));
  const port = await freePort();
  const child = startChild(
    new URL('serving-process.ts', import.meta.url),
    dataDir,
    String(port),
    catalogFile,
    databaseUrl,
  );
  // Lines that nobody waits for are lost.
  const keys = printedKeys(child);
  const url = `http://127.0.0.1:${port}`;
  await ready(url, child);
  return {
    rest: `${url}/api/v1`,
    databaseUrl,
    keys,
    async kill() {
      child.process.kill('SIGKILL');
      await child.exited;
    },
  };
}

async function databaseFor(dataDir: string): Promise<string> {
  return usualKind() === 'sqlite' ? `sqlite:${join(dataDir, 'byway.db')}` : temporaryDatabaseUrl();
}

async function printedKeys({ lines }: Child): Promise<PrintedKeys> {
  let [apiKey, managementKey] = ['', ''];
  for await (const line of lines) {
    apiKey ||= /API key +(bw-v1-\w+)/.exec(line)?.[1] ?? '';
    managementKey ||= /management key +(bw-mgmt-\w+)/.exec(line)?.[1] ?? '';
    if (apiKey !== '' && managementKey !== '') return { apiKey, managementKey };
  }
  return new Promise(() => {});
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function ready(url: string, child: Child): Promise<void> {
  while (child.process.exitCode === null) {
    const answer = await send(`${url}/readyz`, 'GET').catch(() => undefined);
    if (answer?.status === 200) return;
    await sleep(20);
  }
  throw new Error(`the process has ended with ${child.process.exitCode}`);
}
