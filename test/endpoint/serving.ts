import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { buildByway, spawnByway } from '../support/byway.js';
import { type TestCatalog, testCatalog } from '../support/catalog.js';
import { temporaryDatabaseUrl, usualKind } from '../support/database.js';
import { send } from '../support/rest.js';

/** A gateway in a process of its own. */
export interface ServingProcess {
  readonly rest: string;
  readonly databaseUrl: string;
  /** The keys that its output shows; pending while there are none. */
  readonly keys: Promise<PrintedKeys>;
  /** Kills the process (SIGKILL). */
  kill(): Promise<void>;
  /** Stops the process (SIGTERM) and waits for it; the exit code, null when a signal ended it. */
  stop(): Promise<number | null>;
}

type Child = ReturnType<typeof spawnByway>;

interface PrintedKeys {
  readonly apiKey: string;
  readonly managementKey: string;
}

/** An empty data directory that is removed after the test. */
export function temporaryDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'byway-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Defaults to a catalogue for tests and a database of its own. */
export interface ServeOptions {
  readonly catalog?: TestCatalog;
  readonly databaseUrl?: string;
  readonly version?: Version;
}

/** A version of the program; default: this one. */
export interface Version {
  /** Another build. */
  readonly program?: string;
}

/** Serves the data directory from another process, which runs the built program; resolves once it is ready. */
export async function serveFrom(dataDir: string, options: ServeOptions = {}): Promise<ServingProcess> {
  await buildByway();
  const catalogFile = join(dataDir, 'catalog.json');
  writeFileSync(catalogFile, JSON.stringify(options.catalog ?? testCatalog()));
  const databaseUrl = options.databaseUrl ?? (await databaseFor(dataDir));
  const port = await freePort();
  const environment = {
    BYWAY_DATA_DIR: dataDir,
    BYWAY_DATABASE_URL: databaseUrl,
    HOST: '127.0.0.1',
    PORT: String(port),
    BYWAY_CATALOG: catalogFile,
    BYWAY_LOG_LEVEL: 'silent',
    BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1',
  };
  const { program } = options.version ?? {};
  const child = spawnByway(['serve', '--print-keys'], environment, program);
  const exited = new Promise<number | null>((resolve) => child.process.once('exit', resolve));
  const url = `http://127.0.0.1:${port}`;
  await ready(url, child);
  const end = (signal: NodeJS.Signals) => {
    child.process.kill(signal);
    return exited;
  };
  return {
    rest: `${url}/api/v1`,
    databaseUrl,
    keys: printedKeys(child),
    async kill() {
      await end('SIGKILL');
    },
    stop: () => end('SIGTERM'),
  };
}

async function databaseFor(dataDir: string): Promise<string> {
  return usualKind() === 'sqlite' ? `sqlite:${join(dataDir, 'byway.db')}` : temporaryDatabaseUrl();
}

function printedKeys({ process, stdout }: Child): Promise<PrintedKeys> {
  return new Promise((resolve) => {
    const look = () => {
      const apiKey = /API key +(bw-v1-\w+)/.exec(stdout())?.[1];
      const managementKey = /management key +(bw-mgmt-\w+)/.exec(stdout())?.[1];
      if (apiKey !== undefined && managementKey !== undefined) resolve({ apiKey, managementKey });
    };
    process.stdout?.on('data', look);
    look();
  });
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
  throw new Error(`the process has ended with ${child.process.exitCode}: ${child.stderr()}`);
}
