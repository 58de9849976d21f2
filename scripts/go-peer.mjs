// Tests against programs that others have written in Go, each in the folder of tests of its name. Needs Go, which
// installs the program, and keeps it in the folder that BYWAY_PEERS names, if it does.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const PEERS = {
  toxiproxy: {
    program: 'github.com/Shopify/toxiproxy/v2/cmd/server@v2.12.0',
    executable: 'server',
    variable: 'TOXIPROXY',
  },
  gcs: {
    program: 'github.com/fsouza/fake-gcs-server@v1.56.1',
    executable: 'fake-gcs-server',
    variable: 'FAKE_GCS_SERVER',
  },
  helm: { program: 'helm.sh/helm/v3/cmd/helm@v3.17.3', executable: 'helm', variable: 'HELM' },
};

const [, , name = ''] = process.argv;
if (!Object.hasOwn(PEERS, name)) throw new Error(`name one of ${Object.keys(PEERS).join(', ')}`);
const { program, executable, variable } = PEERS[name];

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const { BYWAY_PEERS: kept } = process.env;
const folder = kept
  ? resolve(kept, `${name}-${program.slice(program.indexOf('@') + 1)}`)
  : mkdtempSync(join(tmpdir(), `byway-${name}-`));
const run = (command, args, env) =>
  execFileSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
try {
  // A program may want a newer Go than is installed: from 1.21 on Go fetches the one that a module asks for.
  if (!existsSync(join(folder, executable))) {
    run('go', ['install', program], { GOBIN: folder, GOTOOLCHAIN: 'auto' });
  }
  run('npx', ['vitest', 'run', `test/${name}`], { [variable]: join(folder, executable) });
} finally {
  if (!kept) rmSync(folder, { recursive: true, force: true });
}
