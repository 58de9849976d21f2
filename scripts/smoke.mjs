// Runs the README like a reader: starts the built server with nothing configured, runs every block marked
// <!-- smoke --> with the keys of the first start, and stops the server with SIGTERM.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { smokeBlocks } from './readme-blocks.mjs';

const START_MS = 30_000;
const BLOCKS_MS = 180_000;
const STOP_MS = 10_000;

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const blocks = smokeBlocks(readFileSync('README.md', 'utf8'));
if (blocks.length === 0) throw new Error('README.md has no block marked <!-- smoke -->');

const dataDir = mkdtempSync(join(tmpdir(), 'byway-smoke-'));
const port = await freePort();
const server = start({ ...process.env, PORT: String(port), HOST: '127.0.0.1', BYWAY_DATA_DIR: dataDir });
try {
  const keys = await keysOfFirstStart(server);
  await untilReady(server, `http://127.0.0.1:${port}/readyz`);
  await walkThrough({ ...keys, BASE_URL: `http://127.0.0.1:${port}/api/v1`, BYWAY_DATA_DIR: dataDir });
  await stop(server);
  console.log(`${blocks.length} blocks of README.md work, and the server stops when told`);
} catch (error) {
  console.error(`${error.message}\n--- output of the server ---\n${server.output}`);
  process.exitCode = 1;
} finally {
  server.process.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}

function start(env) {
  const child = spawn(process.execPath, ['dist/src/main.js', 'serve'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const server = { process: child, output: '', exited: once(child, 'exit') };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      server.output += text;
    });
  }
  return server;
}

/** Reads the keys from their file. None of them may be in the output, which is no terminal here and may be stored anywhere. */
async function keysOfFirstStart(server) {
  const file = join(dataDir, 'first-start.json');
  await eventually(server, `the first start did not say that its keys are in ${file}`, () =>
    server.output.includes(file),
  );
  const keys = JSON.parse(readFileSync(file, 'utf8'));
  const { api_key: API_KEY, management_key: MANAGEMENT_KEY, operator_key: OPERATOR_KEY } = keys;
  if (/bw-[a-z0-9]+-[0-9a-f]{64}/.test(server.output)) throw new Error('the first start printed a key');
  return { API_KEY, MANAGEMENT_KEY, OPERATOR_KEY };
}

function untilReady(server, url) {
  return eventually(server, `${url} did not answer 200`, async () => {
    const answer = await fetch(url).catch(() => undefined);
    return answer?.ok;
  });
}

async function eventually(server, failure, probe) {
  for (const deadline = Date.now() + START_MS; Date.now() < deadline; await pause(100)) {
    const result = await probe();
    if (result) return result;
    if (server.process.exitCode !== null) throw new Error(`${failure}: the server ended`);
  }
  throw new Error(`${failure} within ${START_MS / 1000} s`);
}

/** Runs the blocks as one script, since a later one may use what an earlier one exported. */
async function walkThrough(env) {
  const script = blocks.map(({ line, commands }) => `echo '${mark(line)}'\n${commands}`).join('\n');
  const bash = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: BLOCKS_MS,
  });
  let output = '';
  for (const stream of [bash.stdout, bash.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
      process.stdout.write(text);
    });
  }
  const [code, signal] = await once(bash, 'close');
  const last = blocks.findLast(({ line }) => output.includes(mark(line)));
  if (code !== 0)
    throw new Error(`the block at README.md:${last?.line} failed (${signal ?? `exit code ${code}`})`);
  const wrong = blocks.find(({ line }, index) => {
    const end = blocks[index + 1];
    return output
      .slice(output.indexOf(mark(line)), end && output.indexOf(mark(end.line)))
      .match(/"error":\s*\{/);
  });
  if (wrong) throw new Error(`the block at README.md:${wrong.line} answered with an error`);
}

function mark(line) {
  return `--- README.md:${line} ---`;
}

async function stop(server) {
  server.process.kill('SIGTERM');
  const late = new AbortController();
  const ended = await Promise.race([server.exited, pause(STOP_MS, undefined, { signal: late.signal })]);
  late.abort();
  if (ended === undefined) throw new Error(`the server did not stop within ${STOP_MS / 1000} s of SIGTERM`);
  const [code, signal] = ended;
  if (code !== 0) throw new Error(`the server stopped with ${signal ?? `exit code ${code}`} instead of 0`);
}
