// Makes a checkout ready to run, with Node alone: installs packages and builds, each only where that is due. Runs before
// `npm start`, for which it installs what it takes to build and serve, and with the argument `test` before `npm test`,
// for which it installs the workspace of test/package.json too. Two at once take turns.
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
const SOURCES = [
  'src',
  'gen',
  'scripts/bundle.mjs',
  'tsconfig.json',
  'tsconfig.build.json',
  'package.json',
  'package-lock.json',
];

/** Where npm says what it has installed. */
const INSTALLED = 'node_modules/.package-lock.json';
const TEST_WORKSPACE = 'node_modules/byway-test';
const OPTIONS = ['--include=dev', '--no-audit', '--no-fund'];

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
refuseOldNode();
const forTests = process.argv[2] === 'test';
if (dueInstall() !== undefined || buildDue()) await locked(prepare);

async function prepare() {
  // Another process may have done either while this one waited.
  const install = dueInstall();
  if (install !== undefined) await run('Installing dependencies', 'npm', install);
  if (buildDue()) await run('Building', 'npm', ['run', '--silent', 'build']);
}

function refuseOldNode() {
  const needed = /\d+\.\d+\.\d+/.exec(JSON.parse(readFileSync('package.json', 'utf8')).engines.node)[0];
  const [major, minor, patch] = process.versions.node.split('.').map(Number);
  const [neededMajor, neededMinor, neededPatch] = needed.split('.').map(Number);
  if ((major - neededMajor || minor - neededMinor || patch - neededPatch) >= 0) return;
  fail(`Byway needs Node ${needed} or newer; this is ${process.version}.`);
}

/** What npm has to be told to install what is missing; undefined where nothing is. */
function dueInstall() {
  // Whoever has had the tests keeps them.
  const workspaces = forTests || existsSync(TEST_WORKSPACE) ? [] : ['--workspaces=false'];
  const afresh = ['ci', ...OPTIONS, ...workspaces];
  if (!existsSync(INSTALLED)) return afresh;
  const have = JSON.parse(readFileSync(INSTALLED, 'utf8')).packages;
  const wanted = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
  const isStale = ([path, entry]) => have[path] !== undefined && have[path].version !== entry.version;
  if (Object.entries(wanted).some(isStale)) return afresh;
  const needed = workspaces.length === 0 ? Object.keys(wanted) : directlyNeeded(wanted['']);
  const isMissing = (path) => path !== '' && !wanted[path]?.optional && have[path] === undefined;
  // Beside what is there: `npm ci` would begin with its removal.
  return needed.some(isMissing) ? ['install', '--no-save', ...OPTIONS, ...workspaces] : undefined;
}

/** npm installs all or nothing, so what the program names itself tells of the rest. */
function directlyNeeded({ dependencies, devDependencies }) {
  return Object.keys({ ...dependencies, ...devDependencies }).map((name) => `node_modules/${name}`);
}

/** Whether the build is missing, was not finished, or is older than one of its sources. */
function buildDue() {
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
