import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The dashboard, built from its sources into a folder of its own. */
export interface BuiltDashboard {
  readonly directory: string;
  remove(): void;
}

/** Builds the dashboard as `npm run build` does: in a process of its own, since tests run in another mode. */
export async function buildDashboard(): Promise<BuiltDashboard> {
  const directory = mkdtempSync(join(tmpdir(), 'byway-dashboard-'));
  const vite = 'node_modules/vite/bin/vite.js';
  const env = { ...process.env, NODE_ENV: 'production' };
  await promisify(execFile)(
    process.execPath,
    [vite, 'build', 'src/dashboard', '--logLevel', 'warn', '--outDir', directory],
    { env },
  );
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
