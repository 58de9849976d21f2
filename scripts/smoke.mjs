// Runs the README like a reader: does what `npm start` does, with nothing configured, runs every block marked
// <!-- smoke --> with the keys of the first start, and stops the server with SIGTERM. What `npm start` has not installed
// is not there where the checkout is fresh, as it is in CI.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.mjs';
import { smokeBlocks } from './readme-blocks.mjs';
import { keysOfFirstStart, startServer, stopServer, untilReady } from './serving.mjs';

const BLOCKS_MS = 180_000;

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const blocks = smokeBlocks(readFileSync('README.md', 'utf8'));
if (blocks.length === 0) throw new Error('README.md has no block marked <!-- smoke -->');

const dataDir = mkdtempSync(join(tmpdir(), 'byway-smoke-'));
const port = await freePort();
execFileSync(process.execPath, ['scripts/prepare.mjs'], { stdio: 'inherit' });
const env = { ...process.env, PORT: String(port), HOST: '127.0.0.1', BYWAY_DATA_DIR: dataDir };
const server = startServer(process.execPath, ['dist/src/main.js', 'serve'], { env });
try {
  const keys = await keysOfFirstStart(server, dataDir);
  await untilReady(server, `http://127.0.0.1:${port}/readyz`);
  await walkThrough({ ...keys, BASE_URL: `http://127.0.0.1:${port}/api/v1`, BYWAY_DATA_DIR: dataDir });
  await stopServer(server);
  console.log(`${blocks.length} blocks of README.md work, and the server stops when told`);
} catch (error) {
  console.error(`${error.message}\n--- output of the server ---\n${server.output}`);
  process.exitCode = 1;
} finally {
  server.process.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
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
