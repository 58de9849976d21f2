// Makes a checkout ready to run, with Node alone: installs the dependencies and builds, each only when needed. Runs before
// `npm start` and `npm test`; concurrent runs wait for each other.
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const LOCK = 'dist/.preparing';
const HEARTBEAT_MS = 2_000;
// A lock that was not touched for so long belongs to a process that was killed.
const STALE_MS = 30_000;
const BUILT = 'dist/.built';
const SOURCES = ['src', 'gen', 'tsconfig.json', 'tsconfig.build.json', 'package.json'];

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
refuseOldNode();
if (needsInstall() || needsBuild()) await locked(prepare);

async function prepare() {
  // Another process may have done either while this one waited.
  if (needsInstall())
    await run('Installing dependencies', 'npm', ['ci', '--include=dev', '--no-audit', '--no-fund']);
  if (needsBuild()) await run('Building', 'npm', ['run', '--silent', 'build']);
}

function refuseOldNode() {
  const needed = /\d+\.\d+\.\d+/.exec(JSON.parse(readFileSync('package.json', 'utf8')).engines.node)[0];
  const [major, minor, patch] = process.versions.node.split('.').map(Number);
  const [neededMajor, neededMinor, neededPatch] = needed.split('.').map(Number);
  if ((major - neededMajor || minor - neededMinor || patch - neededPatch) >= 0) return;
  fail(`Byway needs Node ${needed} or newer; this is ${process.version}.`);
}

/** Whether node_modules is missing or does not match the lockfile. */
function needsInstall() {
  const installed = 'node_modules/.package-lock.json';
  if (!existsSync(installed)) return true;
  if (modifiedMs(installed) >= modifiedMs('package-lock.json')) return false;
  // A checkout moves the lockfile's time without changing it.
  const have = JSON.parse(readFileSync(installed, 'utf8')).packages;
  const wanted = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
  return Object.entries(wanted).some(
    ([path, entry]) => path !== '' && !entry.optional && have[path]?.version !== entry.version,
  );
}

/** Whether the build is missing, was not finished, or is older than one of its sources. */
function needsBuild() {
  return !existsSync(BUILT) || SOURCES.some((path) => newestMs(path) > modifiedMs(BUILT));
}

/** The time of the newest file or folder below; a folder counts since removing a file changes only that. */
function newestMs(path) {
  const own = modifiedMs(path);
  if (!statSync(path).isDirectory()) return own;
  return Math.max(own, ...readdirSync(path).map((name) => newestMs(join(path, name))));
}

function modifiedMs(path) {
  return statSync(path).mtimeMs;
}

async function locked(work) {
  mkdirSync('dist', { recursive: true });
  for (let waited = false; !tryLock(); waited = true) {
    if (!waited) console.log('Waiting for another process that prepares this checkout ...');
    await pause(250);
  }
  const heartbeat = setInterval(() => utimesSync(LOCK, new Date(), new Date()), HEARTBEAT_MS);
  process.on('exit', () => rmSync(LOCK, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));
  await work();
  clearInterval(heartbeat);
}

function tryLock() {
  try {
    mkdirSync(LOCK);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    dropStaleLock();
    return false;
  }
}

function dropStaleLock() {
  const aside = `${LOCK}-${process.pid}`;
  try {
    if (Date.now() - modifiedMs(LOCK) < STALE_MS) return;
    renameSync(LOCK, aside);
    rmSync(aside, { recursive: true });
  } catch (error) {
    // Its owner or another waiting process was faster.
    if (error.code !== 'ENOENT') throw error;
  }
}

function run(title, command, args) {
  console.log(`${title} (${command} ${args.join(' ')}) ...`);
  const startedMs = Date.now();
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'inherit', shell: process.platform === 'win32' });
    process.once('exit', () => child.kill());
    child.on('error', (error) => fail(`${title} failed: ${error.message}`));
    child.on('exit', (code, signal) => {
      if (code !== 0) fail(`${title} failed (${signal ?? `exit code ${code}`}).`);
      console.log(`${title}: done in ${Math.round((Date.now() - startedMs) / 1000)} s`);
      resolve();
    });
  });
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
