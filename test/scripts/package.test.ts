import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildByway, byway, emptyDataDir } from '../support/byway.js';

/** Packages with a scope are folders of folders; these are linked as they are. */
const OURS = 'byway';
const NATIVE = 'better-sqlite3';

describe('the package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'byway-package-'));
  const own = join(folder, 'own');
  const packed = join(own, 'node_modules', OURS);
  const program = join(packed, 'dist/src/main.js');

  beforeAll(async () => {
    await buildByway();
    execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder]);
    const [tarball = ''] = readdirSync(folder);
    mkdirSync(packed, { recursive: true });
    execFileSync('tar', ['-xzf', join(folder, tarball), '--strip-components=1', '-C', packed]);
    // What npm would install: the dependencies, and theirs.
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
    for (const [path, entry] of Object.entries<{ dev?: boolean; link?: boolean }>(packages)) {
      if (!/^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path) || entry.dev || entry.link) continue;
      if (!existsSync(path) || path === `node_modules/${NATIVE}`) continue;
      mkdirSync(join(own, path, '..'), { recursive: true });
      symlinkSync(join(process.cwd(), path), join(own, path));
    }
    cpSync(`node_modules/${NATIVE}`, join(own, 'node_modules', NATIVE), {
      recursive: true,
      dereference: true,
    });
  }, 180_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('has the program, the dashboard, the contract, the documentation and what deploys it, and nothing of a checkout', () => {
    expect(readdirSync(packed).sort()).toEqual(
      [
        'CHANGELOG.md',
        'LICENSE',
        'README.md',
        'SECURITY.md',
        'deploy',
        'dist',
        'docs',
        'package.json',
        'proto',
      ].sort(),
    );
    expect(readdirSync(join(packed, 'dist')).sort()).toEqual(['dashboard', 'gen', 'src']);
    for (const path of ['dist/dashboard/index.html', 'proto/byway/v1/chat.proto', 'docs/operations.md']) {
      expect(existsSync(join(packed, path)), path).toBe(true);
    }
    expect(existsSync(join(packed, 'deploy/.env'))).toBe(false);
  });

  it('runs in a folder that has nothing but it and its dependencies', async () => {
    const env = { BYWAY_DATA_DIR: emptyDataDir() };
    expect(await byway(['db', 'migrate'], env, '', program)).toMatchObject({ code: 0, stderr: '' });
    expect(await byway(['account', 'create', '--name', 'Mine'], env, '', program)).toMatchObject({ code: 0 });
    expect(await byway(['db', 'check'], env, '', program)).toMatchObject({ code: 0, stderr: '' });
  });

  it('gives clients in TypeScript the contract', () => {
    const script = "import('byway/client').then(({ createByway }) => console.log(typeof createByway))";
    expect(execFileSync(process.execPath, ['-e', script], { cwd: own, encoding: 'utf8' })).toBe('function\n');
  });

  it('says in one line what to do where npm has left the binary of SQLite out', async () => {
    rmSync(join(own, 'node_modules', NATIVE, 'build'), { recursive: true });
    const ended = await byway(['db', 'migrate'], { BYWAY_DATA_DIR: emptyDataDir() }, '', program);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(
      /^byway: BYWAY_DATABASE_URL: better-sqlite3 has no binary for Node \S+ on \S+; "npm rebuild better-sqlite3" .*\n$/,
    );
  });
});
