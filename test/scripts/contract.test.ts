import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const run = promisify(execFile);

it('the contract builds as it is cloned, so that others can generate their clients from it', async () => {
  const { stdout } = await run('git', ['ls-files', 'proto', 'buf.yaml']);
  const folder = mkdtempSync(join(tmpdir(), 'byway-contract-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const path of stdout.trim().split('\n')) cpSync(path, join(folder, path));
  await run(resolve('node_modules/.bin/buf'), ['build'], { cwd: folder });
  expect(stdout).toContain('proto/byway/v1/chat.proto');
});
