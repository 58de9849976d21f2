/**
 * Runs the official conformance suite of Connect, gRPC and gRPC-Web against servers that are made of the gateway's own
 * code: every case that `config.yaml` selects must pass. The suite is a Go program, which is installed at its pinned
 * version once, and cached beside npm's packages; what its service looks like is read from its own files. Arguments
 * go to the suite (`--trace`, `--run PATTERN`). Needs Go 1.21 or newer.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const MODULE = 'connectrpc.com/conformance';
const VERSION = 'v1.0.7';

const CACHE = resolve(`node_modules/.cache/conformance-${VERSION}`);
const SUITE = join(CACHE, 'connectconformance');
const SCHEMA = join(CACHE, 'schema.binpb');

/** Servers at a time: each is a process of its own. */
const SERVERS = 2;

install();
const [, , ...forSuite] = process.argv;
const started = Date.now();
const server = ['node', 'test/support/run-typescript.mjs', 'test/conformance/server.ts', SCHEMA];
const { status, error } = spawnSync(
  SUITE,
  [
    ...['--mode', 'server', '--conf', 'test/conformance/config.yaml', '--max-servers', String(SERVERS)],
    ...forSuite,
    '--',
    ...server,
  ],
  { stdio: 'inherit' },
);
if (error !== undefined) throw error;
process.stdout.write(`${Math.round((Date.now() - started) / 1000)} s\n`);
process.exitCode = status ?? 1;

function install(): void {
  if (existsSync(SUITE) && existsSync(SCHEMA)) return;
  mkdirSync(CACHE, { recursive: true });
  go('install', `${MODULE}/cmd/connectconformance@${VERSION}`);
  const { Dir: folder } = JSON.parse(go('mod', 'download', '-json', `${MODULE}@${VERSION}`)) as {
    Dir: string;
  };
  execFileSync('buf', ['build', join(folder, 'proto'), '-o', SCHEMA], { stdio: 'inherit' });
}

function go(...command: string[]): string {
  // The suite wants a newer Go than distributions have: from 1.21 on it fetches the one that a module asks for.
  const env = { ...process.env, GOBIN: CACHE, GOTOOLCHAIN: 'auto' };
  return execFileSync('go', command, {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: CACHE,
  });
}
