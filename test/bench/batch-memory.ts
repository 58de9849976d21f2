/**
 * How much memory a gateway needs to stage a batch of 32 MiB and to collect a result of 200 MB, the client reading it
 * beside: `npm run build && node test/support/run-typescript.mjs test/bench/batch-memory.ts`.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { batchCatalog, GEMINI, request } from '../batch/world.js';
import { startFakeGoogle } from '../support/fake-google-storage.js';

const BODY_BYTES = 32 * 1024 * 1024;
const RESULT_BYTES = 200 * 1000 * 1000;
const REQUEST_CHARACTERS = Number(process.argv[2] ?? 2000);

const google = await startFakeGoogle();
const folder = mkdtempSync(join(tmpdir(), 'byway-memory-'));
const catalogFile = join(folder, 'catalog.json');
writeFileSync(catalogFile, JSON.stringify(batchCatalog(google.origin)));
const child = spawn(process.execPath, ['dist/src/main.js', 'serve'], {
  env: {
    ...process.env,
    ...{ HOST: '127.0.0.1', PORT: '0', BYWAY_DATA_DIR: join(folder, 'data'), BYWAY_CATALOG: catalogFile },
    ...{ BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1', BYWAY_ADMIN_RATE_PER_MINUTE: '0', BYWAY_LOG_LEVEL: 'warn' },
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [port, key] = await started();
const rest = `http://127.0.0.1:${port}/api/v1`;
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
try {
  say('after the start');
  await call('/byok', { provider: 'google-vertex', key: google.serviceAccount() });
  const body = bodyText();
  google.jobs.plan = { words: ['y'.repeat(Math.ceil(RESULT_BYTES / body.count) - REQUEST_CHARACTERS - 700)] };
  const { data } = await call('/batches', body.text);
  say(`with ${body.count} requests staged (${body.text.length} bytes)`);
  let record = data;
  while (record.status !== 'completed') record = (await call(`/batches/${data.id}`)).data;
  say('metered');
  const answer = await fetch(`${rest}/batches/${data.id}/results`, { headers });
  let bytes = 0;
  for await (const piece of answer.body ?? []) bytes += piece.length;
  say(`with ${bytes} bytes of results sent to the client`);
} finally {
  child.kill('SIGTERM');
  await google.stop();
  rmSync(folder, { recursive: true, force: true });
}

function bodyText() {
  const rows: string[] = [];
  for (let bytes = 100; ; ) {
    const row = JSON.stringify(request(`row ${rows.length}`, 'word '.repeat(REQUEST_CHARACTERS / 5)));
    bytes += row.length + 1;
    if (bytes > BODY_BYTES) break;
    rows.push(row);
  }
  return { count: rows.length, text: `{"model":"${GEMINI}","requests":[${rows.join(',')}]}` };
}

async function call(path: string, body?: object | string) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const begun = performance.now();
  const answer = await fetch(rest + path, {
    ...{ method: body === undefined ? 'GET' : 'POST', headers },
    ...(body !== undefined && { body: text }),
  });
  const json = await answer.json();
  if (!answer.ok) throw new Error(JSON.stringify(json).slice(0, 2000));
  process.stdout.write(`${path}: ${Math.round(performance.now() - begun)} ms\n`);
  return json as { data: { id: string; status: string } };
}

function say(when: string): void {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  const peak = Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1024;
  process.stdout.write(`${peak.toFixed(0)} MiB at most ${when}\n`);
}

async function started(): Promise<[string, string]> {
  let port = '';
  for await (const line of createInterface({ input: child.stdout })) {
    port = /^Byway is ready at https?:\/\/[^:]+:(\d+)\./.exec(line)?.[1] ?? port;
    const key = /^ {2}management key +(\S+)$/.exec(line)?.[1];
    if (key !== undefined) return [port, key];
  }
  throw new Error('the gateway has ended');
}
