import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it, vi } from 'vitest';
import { buildByway, emptyDataDir, spawnByway } from '../support/byway.js';

beforeAll(buildByway, 180_000);

const GARBAGE = fileURLToPath(new URL('young-heap.mjs', import.meta.url));

const MIB = 1024 * 1024;

it('the young generation of a server grows to 32 MiB, and no further', async () => {
  const server = spawnByway(['serve'], {
    BYWAY_DATA_DIR: emptyDataDir(),
    HOST: '127.0.0.1',
    PORT: '0',
    NODE_OPTIONS: `--import ${GARBAGE}`,
  });
  const printed = (pattern: RegExp) =>
    vi.waitUntil(() => pattern.exec(server.stdout()), { timeout: 30_000, interval: 50 });
  await printed(/Byway is ready/);
  server.process.kill('SIGUSR2');
  const [, bytes] = await printed(/young generation: (\d+) bytes/);
  expect(Number(bytes)).toBe(32 * MIB);
});
