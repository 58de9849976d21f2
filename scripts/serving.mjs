// A server that a script starts, watches and stops.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const START_MS = 30_000;
const STOP_MS = 10_000;

/** Starts a server; `output` grows with what it prints. */
export function startServer(command, args, options) {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const server = { process: child, output: '', exited: once(child, 'exit') };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      server.output += text;
    });
  }
  return server;
}

/** Reads the keys from their file. None of them may be in the output, which is no terminal here and may be stored anywhere. */
export async function keysOfFirstStart(server, dataDir) {
  const file = join(dataDir, 'first-start.json');
  await eventually(server, `the first start did not say that its keys are in ${file}`, () =>
    server.output.includes(file),
  );
  const keys = JSON.parse(readFileSync(file, 'utf8'));
  const { api_key: API_KEY, management_key: MANAGEMENT_KEY, operator_key: OPERATOR_KEY } = keys;
  if (/bw-[a-z0-9]+-[0-9a-f]{64}/.test(server.output)) throw new Error('the first start printed a key');
  return { API_KEY, MANAGEMENT_KEY, OPERATOR_KEY };
}

export function untilReady(server, url) {
  return eventually(server, `${url} did not answer 200`, async () => {
    const answer = await fetch(url).catch(() => undefined);
    return answer?.ok;
  });
}

/** Stops the server as an orchestrator does. */
export async function stopServer(server) {
  server.process.kill('SIGTERM');
  const late = new AbortController();
  const ended = await Promise.race([server.exited, pause(STOP_MS, undefined, { signal: late.signal })]);
  late.abort();
  if (ended === undefined) throw new Error(`the server did not stop within ${STOP_MS / 1000} s of SIGTERM`);
  const [code, signal] = ended;
  if (code !== 0) throw new Error(`the server stopped with ${signal ?? `exit code ${code}`} instead of 0`);
}

async function eventually(server, failure, probe) {
  for (const deadline = Date.now() + START_MS; Date.now() < deadline; await pause(100)) {
    const result = await probe();
    if (result) return result;
    if (server.process.exitCode !== null) throw new Error(`${failure}: the server ended`);
  }
  throw new Error(`${failure} within ${START_MS / 1000} s`);
}
