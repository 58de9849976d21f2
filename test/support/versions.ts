import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
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
    if (isOneBehind && paths.some((path) => path.startsWith(`${STORE}/engine/postgres`))) return commit;
  }
  return undefined;
}

/** Builds the commit with the installed packages and returns the path of its program; removed after the test. */
export async function buildCommit(commit: string): Promise<string> {
  const folder = folderWithPackages();
  const archive = join(folder, 'before.tar');
  await run('git', ['archive', '--output', archive, commit]);
  await run('tar', ['-x', '-C', folder, '-f', archive]);
  if (existsSync(join(folder, 'scripts/bundle.mjs'))) {
    await run(process.execPath, ['scripts/bundle.mjs'], { cwd: folder });
  } else {
    await run(resolve('node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json'], { cwd: folder });
    await run(process.execPath, ['scripts/copy-assets.mjs'], { cwd: folder });
  }
  return join(folder, 'dist/src/main.js');
}

/** Builds the version after this one, whose migration adds to every table; its path, which goes with the test. */
export async function buildNext(): Promise<string> {
  const folder = folderWithPackages();
  copyFileSync('package.json', join(folder, 'package.json'));
  const migrations = 'src/store/migrations/index.ts=test/support/next-migrations.ts';
  await run(process.execPath, ['scripts/bundle.mjs', folder, migrations]);
  return join(folder, 'main.js');
}

function folderWithPackages(): string {
  const folder = mkdtempSync(join(tmpdir(), 'byway-version-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  return folder;
}

function migrationsAmong(names: readonly string[]): string[] {
  return names.filter((name) => /^\d{4}-.*\.ts$/.test(name));
}
