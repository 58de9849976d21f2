// Tests the OpenAI and the Anthropic adapter against LiteLLM's proxy (https://docs.litellm.ai), an upstream that this
// project has not written: test/litellm. Needs uv (https://docs.astral.sh/uv), which installs the proxy.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const folder = mkdtempSync(join(tmpdir(), 'byway-litellm-'));
const run = (command, args, env = {}) =>
  execFileSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
try {
  run('uv', ['venv', '--quiet', '--no-project', '--python', '3.11', folder, '--allow-existing']);
  const python = join(folder, 'bin', 'python');
  const requirements = join('test', 'litellm', 'requirements.txt');
  run('uv', ['pip', 'install', '--quiet', '--python', python, '--require-hashes', '-r', requirements]);
  run('npx', ['vitest', 'run', 'test/litellm'], { LITELLM: join(folder, 'bin', 'litellm') });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
