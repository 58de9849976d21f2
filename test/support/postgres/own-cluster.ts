import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { freePort } from '../../../scripts/free-port.mjs';
import { type Cluster, makeCluster, newestPrograms } from './postgres-cluster.js';

/** A server of a test's own, which it may stop and configure as it likes. */
export interface OwnCluster extends Cluster {
  readonly folder: string;
  readonly port: number;
}

/** The rules of `pg_hba.conf` for TCP; over the socket everybody is the administrator. */
export interface OwnClusterOptions {
  readonly hba?: readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
  /** Where it is made; default: a temporary folder. */
  readonly folder?: string;
}

/** Listens on 127.0.0.1 too, and runs; stopped after the test. */
export async function startOwnCluster(options: OwnClusterOptions = {}): Promise<OwnCluster> {
  const { hba = [], settings = {}, folder = temporaryFolder() } = options;
  const rules = join(folder, 'pg_hba.conf');
  writeFileSync(rules, ['local all all trust', 'local replication all trust', ...hba, ''].join('\n'));
  const port = await freePort();
  const cluster = await makeCluster(newestPrograms() ?? '', folder, {
    hba_file: rules,
    listen_addresses: '127.0.0.1',
    port: String(port),
    ...settings,
  });
  onTestFinished(() => cluster.stop());
  await cluster.start();
  return { ...cluster, folder, port };
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'byway-own-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
