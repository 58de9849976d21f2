// Tests the gateway with clients that this project has not written, each in a folder of its own: SDKs and agents of
// OpenAI and Anthropic, Claude Code (https://code.claude.com/docs), Codex (https://developers.openai.com/codex), the AI SDK,
// LangChain, LiteLLM's SDK, instructor, pydantic-ai, opencode and Continue's command line: test/clients. Needs uv (https://docs.astral.sh/uv).
// CLAUDE_CODE_HOSTS=all has a session of Claude Code at every host that is known, and not only at three; CODEX_HOSTS=all one of
// Codex, and not only at one of each adapter and format.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLAUDE_CODE = ['@anthropic-ai/claude-code@2.1.330'];
const CODEX = ['@openai/codex@0.171.0'];
const LANGCHAIN = ['@langchain/core@1.4.0', '@langchain/openai@1.6.0', '@langchain/anthropic@1.5.11'];
const RESPONSES = [
  'ai@6.0.326',
  '@ai-sdk/openai@3.0.141',
  '@openai/agents@0.20.0',
  'openai@7.57.0',
  ...LANGCHAIN.slice(0, 2),
];
// The program alone, whose package would fetch it by a script.
const OPENCODE = `opencode-${process.platform}-${process.arch}`;
const CONTINUE = ['@continuedev/cli@1.5.47'];

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const folder = mkdtempSync(join(tmpdir(), 'byway-clients-'));
const run = (command, args, env = {}) =>
  execFileSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
/** A folder with these packages; each its own, since they want other versions of the same. */
const installed = (name, packages) => {
  const home = join(folder, name);
  mkdirSync(home);
  writeFileSync(join(home, 'package.json'), '{"private": true}');
  run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefix', home, ...packages]);
  return home;
};
/** A Python with what a file of `test/clients/python` names; each its own, for the same reason. */
const pythonWith = (requirements) => {
  const venv = join(folder, requirements);
  run('uv', ['venv', '--quiet', '--no-project', '--python', '3.11', venv]);
  const python = join(venv, 'bin', 'python');
  const file = join('test', 'clients', 'python', requirements);
  run('uv', ['pip', 'install', '--quiet', '--python', python, '--require-hashes', '-r', file]);
  return python;
};
try {
  run('npx', ['vitest', 'run', 'test/clients', ...process.argv.slice(2)], {
    CLIENTS_PYTHON: pythonWith('requirements.txt'),
    INSTRUCTOR_PYTHON: pythonWith('requirements-instructor.txt'),
    CLAUDE_CODE: join(installed('claude-code', CLAUDE_CODE), 'node_modules', '.bin', 'claude'),
    CODEX: join(installed('codex', CODEX), 'node_modules', '.bin', 'codex'),
    LANGCHAIN: installed('langchain', LANGCHAIN),
    RESPONSES_CLIENTS: installed('responses', RESPONSES),
    OPENCODE: join(
      installed('opencode', [`${OPENCODE}@1.18.33`]),
      'node_modules',
      OPENCODE,
      'bin',
      'opencode',
    ),
    CONTINUE: join(installed('continue', CONTINUE), 'node_modules', '.bin', 'cn'),
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
