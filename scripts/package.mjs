// Packs the package as `npm publish` would, installs it in an empty folder like whoever gets it, and uses it there: the
// command line, the server with its dashboard, a backup. Needs a registry, for the packages that it depends on.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.mjs';
import { keysOfFirstStart, startServer, stopServer, untilReady } from './serving.mjs';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const folder = mkdtempSync(join(tmpdir(), 'byway-package-'));
const own = join(folder, 'own');
const dataDir = join(folder, 'data');
const run = (command, args, cwd) =>
  execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, BYWAY_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
let server;
try {
  run('npm', ['pack', '--silent', '--pack-destination', folder]);
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  mkdirSync(own);
  run('npm', ['install', '--silent', '--no-audit', '--no-fund', join(folder, tarball)], own);
  const byway = (...args) => run('npx', ['--no', '--', 'byway', ...args], own);
  console.log(`byway ${byway('--version').trim()}, from ${tarball}`);

  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { ...process.env, PORT: String(port), HOST: '127.0.0.1', BYWAY_DATA_DIR: dataDir };
  server = startServer('node_modules/.bin/byway', ['serve'], { cwd: own, env });
  const { API_KEY } = await keysOfFirstStart(server, dataDir);
  await untilReady(server, `${url}/readyz`);
  const page = await (await fetch(url)).text();
  if (!page.includes('/assets/')) throw new Error('the dashboard is not in the package');
  const answer = await fetch(`${url}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo/echo', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  if (answer.status !== 200) throw new Error(`a chat was answered with ${answer.status}`);
  console.log(byway('db', 'backup', join(folder, 'backup.db')).trim());
  await stopServer(server);
  // What clients in TypeScript import.
  const client = "import('byway/client').then(({ createByway }) => console.log(typeof createByway))";
  if (run(process.execPath, ['-e', client], own).trim() !== 'function')
    throw new Error('byway/client is missing');
} finally {
  server?.process.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
