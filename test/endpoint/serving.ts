import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFailed, onTestFinished } from 'vitest';
import { buildByway, spawnByway } from '../support/byway.js';
import { type TestCatalog, testCatalog } from '../support/catalog.js';
import { temporaryDatabaseUrl, usualKind } from '../support/database.js';

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
  /** PostgreSQL itself, where a pooler in transaction mode is behind `databaseUrl`. */
  readonly databaseDirectUrl?: string;
  readonly version?: Version;
  /** Further settings. */
  readonly env?: Readonly<Record<string, string>>;
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
  const environment = {
    BYWAY_DATA_DIR: dataDir,
    BYWAY_DATABASE_URL: databaseUrl,
    ...(options.databaseDirectUrl && { BYWAY_DATABASE_DIRECT_URL: options.databaseDirectUrl }),
    HOST: '127.0.0.1',
    PORT: '0',
    BYWAY_CATALOG: catalogFile,
    BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1',
    ...options.env,
  };
  const { program } = options.version ?? {};
  const child = spawnByway(['serve', '--print-keys'], environment, program);
  const exited = new Promise<number | null>((resolve) => child.process.once('exit', resolve));
  onTestFailed(() => reportEnd(child));
  const url = `http://127.0.0.1:${await readyPort(child)}`;
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

/** The port of which the process says that it is ready there. */
function readyPort(child: Child): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const port = /Byway is ready at http:\/\/localhost:(\d+)/.exec(child.stdout())?.[1];
      if (port !== undefined) resolve(port);
    };
    child.process.stdout?.on('data', look);
    child.process.once('close', (code) => {
      reject(new Error(`the process has ended with ${code}: ${child.stderr()}`));
    });
  });
}

/** Says of a process that has ended what it said last: what a test finds is often only that nobody listens any more. */
function reportEnd(child: Child): void {
  const { exitCode, signalCode, pid } = child.process;
  if (exitCode === null && signalCode === null) return;
  const said = `${child.stdout()}${child.stderr()}`.slice(-4_000);
  process.stderr.write(`process ${pid} ended with ${exitCode ?? signalCode}, saying last:\n${said}\n`);
}
