import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { freePort } from '../../../scripts/free-port.mjs';
import type { OwnCluster } from '../../support/postgres/own-cluster.js';
import { runCluster } from '../../support/postgres/postgres-cluster.js';

/** A copy of the primary that follows it; stopped after the test. */
export async function standbyOf(programs: string, primary: OwnCluster): Promise<OwnCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'byway-standby-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const data = join(folder, 'data');
  const source = `host=${primary.folder} port=${primary.port} user=byway`;
  execFileSync(join(programs, 'pg_basebackup'), [
    '-D',
    data,
    '-d',
    source,
    '-R',
    '-X',
    'stream',
    '--no-sync',
    '-c',
    'fast',
  ]);
  const port = await freePort();
  const cluster = await runCluster(programs, folder, {
    hba_file: join(primary.folder, 'pg_hba.conf'),
    listen_addresses: '127.0.0.1',
    port: String(port),
    wal_level: 'replica',
    max_wal_senders: '10',
  });
  onTestFinished(() => cluster.stop());
  await cluster.start();
  return { ...cluster, folder, port };
}
