// Tests `byway provider add` against llama.cpp's server (https://github.com/ggml-org/llama.cpp), as xllamacpp's wheels have
// it built, with a model of random weights: test/local-server. Needs uv (https://docs.astral.sh/uv).
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const folder = mkdtempSync(join(tmpdir(), 'byway-local-server-'));
const run = (command, args, env = {}) =>
  execFileSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
try {
  run('uv', ['venv', '--quiet', '--no-project', '--python', '3.11', folder, '--allow-existing']);
  const python = join(folder, 'bin', 'python');
  const here = join('test', 'local-server');
  // A wheel or nothing: compiling llama.cpp takes an hour.
  const wheels = ['--only-binary', ':all:', '--require-hashes', '-r', join(here, 'requirements.txt')];
  run('uv', ['pip', 'install', '--quiet', '--python', python, ...wheels]);
  const model = join(folder, 'tiny.gguf');
  run(python, [join(here, 'model.py'), model]);
  run('npx', ['vitest', 'run', here], { LLAMA_CPP_PYTHON: python, LLAMA_CPP_MODEL: model });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
