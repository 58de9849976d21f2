// Tests the built server against the OpenAPI document that it serves, with schemathesis
// (https://schemathesis.readthedocs.io): once with each kind of key, over the operations that it may call. Needs uv
// (https://docs.astral.sh/uv), which installs schemathesis. Further arguments go to `schemathesis run`.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.mjs';

const START_MS = 30_000;

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const folder = resolve('test/schemathesis');
const dataDir = mkdtempSync(join(tmpdir(), 'byway-schemathesis-'));
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const env = {
  ...process.env,
  HOST: '127.0.0.1',
  PORT: String(port),
  BYWAY_DATA_DIR: dataDir,
  BYWAY_LOG_LEVEL: 'warn',
  // The run makes thousands of administrative calls in a minute.
  BYWAY_ADMIN_RATE_PER_MINUTE: '0',
};
// An account for each, so that neither deletes what the other needs.
const { managementKey } = newAccount('Administered');
const { apiKey } = newAccount('Used');
const { operator_key: operatorKey } = byway('operator-key', 'create', '--name', 'Schemathesis');
const server = spawn(process.execPath, ['dist/src/main.js', 'serve'], {
  env,
  stdio: ['ignore', 'ignore', 'inherit'],
});
try {
  const document = await servedDocument();
  const failed = [];
  for (const [scheme, credential] of Object.entries({ managementKey, apiKey, operatorKey })) {
    console.log(`--- by ${scheme}`);
    if ((await schemathesis(operationsOf(document, scheme), credential)) !== 0) failed.push(scheme);
  }
  if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}`);
  if (failed.length > 0) process.exitCode = 1;
} finally {
  server.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
}

function byway(...args) {
  const text = execFileSync(process.execPath, ['dist/src/main.js', ...args, '--json'], {
    env,
    encoding: 'utf8',
  });
  return JSON.parse(text);
}

function newAccount(name) {
  const { account_id: account, management_key: managementKey } = byway(
    'account',
    'create',
    '--name',
    name,
    '--credits',
    '1000',
  );
  const { key: apiKey } = byway('key', 'create', '--account', account, '--name', name);
  return { managementKey, apiKey };
}

async function servedDocument() {
  for (const deadline = Date.now() + START_MS; Date.now() < deadline; await pause(100)) {
    const answer = await fetch(`${url}/openapi.json`).catch(() => undefined);
    if (answer?.ok) return answer.json();
  }
  throw new Error(`the server did not answer within ${START_MS / 1000} s`);
}

/** The operations that a credential of the scheme may call. */
function operationsOf({ paths }, scheme) {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  return operations
    .filter(({ security }) => security.length === 0 || security.some((one) => scheme in one))
    .map(({ operationId }) => operationId);
}

/** Runs schemathesis over the operations; returns its exit code. */
async function schemathesis(operations, credential) {
  const args = [
    ...[
      'run',
      '--quiet',
      '--no-project',
      '--python',
      '>=3.11',
      '--with-requirements',
      join(folder, 'requirements.txt'),
    ],
    ...[
      '--',
      'schemathesis',
      '--config-file',
      join(folder, 'schemathesis.toml'),
      'run',
      `${url}/openapi.json`,
    ],
    ...operations.flatMap((id) => ['--include-operation-id', id]),
    ...process.argv.slice(2),
  ];
  // Its database of earlier runs is deleted with the data.
  const child = spawn('uv', args, {
    cwd: dataDir,
    env: {
      ...process.env,
      BYWAY_URL: url,
      BYWAY_CREDENTIAL: credential,
      SCHEMATHESIS_HOOKS: 'hooks',
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONPATH: folder,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = await once(child, 'close');
  return code;
}
