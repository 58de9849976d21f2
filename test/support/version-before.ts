import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

const run = promisify(execFile);

const STORE = 'src/store';

/**
 * The last commit that can share a database with this one and whose schema is one migration behind. Undefined where the
 * checkout has too little history.
 */
export async function commitBefore(): Promise<string | undefined> {
  const ours = migrationsAmong(readdirSync(join(STORE, 'migrations')));
  // Without git, or its trust in the folder, there is no history.
  const { stdout } = await run('git', ['rev-list', 'HEAD', '--', '.']).catch(() => ({ stdout: '' }));
  for (const commit of stdout.split('\n').filter(Boolean)) {
    const { stdout: listed } = await run('git', ['ls-tree', '-r', '--name-only', commit, STORE]);
    const paths = listed.split('\n');
    const theirs = migrationsAmong(paths.map((path) => basename(path)));
    const isOneBehind = theirs.length === ours.length - 1 && theirs.every((name) => ours.includes(name));
    if (isOneBehind && paths.includes(`${STORE}/engine/postgres.ts`)) return commit;
  }
  return undefined;
}

/** Builds the commit with the installed packages and returns the path of its program; removed after the test. */
export async function buildCommit(commit: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'byway-before-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const archive = join(folder, 'before.tar');
  await run('git', ['archive', '--output', archive, commit]);
  await run('tar', ['-x', '-C', folder, '-f', archive]);
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  await run(resolve('node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json'], { cwd: folder });
  await run(process.execPath, ['scripts/copy-assets.mjs'], { cwd: folder });
  return join(folder, 'dist/src/main.js');
}

function migrationsAmong(names: readonly string[]): string[] {
  return names.filter((name) => /^\d{4}-.*\.ts$/.test(name));
}
