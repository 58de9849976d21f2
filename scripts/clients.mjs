// Tests the Messages API with clients that this project has not written: Anthropic's SDK for Python and Claude Code
// (https://code.claude.com/docs), each in a folder of its own: test/clients. Needs uv (https://docs.astral.sh/uv).
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLAUDE_CODE_VERSION = '2.1.330';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const folder = mkdtempSync(join(tmpdir(), 'byway-clients-'));
const run = (command, args, env = {}) =>
  execFileSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
try {
  const venv = join(folder, 'python');
  run('uv', ['venv', '--quiet', '--no-project', '--python', '3.11', venv]);
  const python = join(venv, 'bin', 'python');
  const requirements = join('test', 'clients', 'requirements.txt');
  run('uv', ['pip', 'install', '--quiet', '--python', python, '--require-hashes', '-r', requirements]);
  const claudeCode = `@anthropic-ai/claude-code@${CLAUDE_CODE_VERSION}`;
  run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefix', folder, claudeCode]);
  run('npx', ['vitest', 'run', 'test/clients', ...process.argv.slice(2)], {
    ANTHROPIC_PYTHON: python,
    CLAUDE_CODE: join(folder, 'node_modules', '.bin', 'claude'),
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
