import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { byway, emptyInstallation } from '../support/byway.js';
import { bodyOf, caller, send } from '../support/rest.js';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';

const MISTAKES = { NODE_OPTIONS: `--require=${resolve('test/faults/uncaught-errors.cjs')}` };

let server: ServerProcess;
let url: string;

beforeAll(async () => {
  server = await startServerProcess({ ...MISTAKES, BYWAY_TOTAL_TIMEOUT_MS: '500' });
  url = `http://127.0.0.1:${server.port}`;
}, 60_000);

afterAll(async () => {
  expect(await server.stop()).toBe(0);
});

async function counted(): Promise<Record<string, number>> {
  const authorization = `Bearer ${server.operatorKey}`;
  const { text } = await send(`${url}/metrics`, 'GET', { headers: { authorization } });
  const found = [...text.matchAll(/^byway_uncaught_errors_total\{kind="(\w+)"\} (\d+)$/gm)];
  return Object.fromEntries(found.map(([, kind, count]) => [kind, Number(count)]));
}

it('uncaught errors do not end a serving process: they are counted, and logged without their message', async () => {
  expect(await counted()).toEqual({ exception: 0, rejection: 0 });
  server.signal('SIGUSR2');
  await expect.poll(counted).toEqual({ exception: 1, rejection: 2 });
  const chat = { model: 'demo/echo', messages: [{ role: 'user', content: 'Hello' }] };
  const answer = await caller({ rest: `${url}/api/v1` }, server.apiKey)('POST', '/chat/completions', chat);
  expect(answer.status).toBe(200);
  const logged = server.output
    .filter((line) => line.includes('nobody caught'))
    .map((line) => JSON.parse(line));
  expect(logged).toHaveLength(3);
  expect(logged).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        level: 50,
        kind: 'exception',
        name: 'Error',
        frames: [expect.stringContaining('uncaught-errors.cjs'), expect.any(String)],
      }),
      expect.objectContaining({ level: 50, kind: 'rejection', name: 'TypeError' }),
      expect.objectContaining({ level: 50, kind: 'rejection', code: 'ERR_UNHANDLED_REJECTION' }),
    ]),
  );
  expect(server.output.join('\n')).not.toContain('canary-7d1f');
});

it('a request whose answer was lost with such an error is answered with 500 and does not hang', async () => {
  const answer = await send(`${url}/byway.v1.KeyService/GetCurrentKey`, 'POST', {
    headers: { authorization: `Bearer ${server.apiKey}`, 'content-encoding': 'gzip' },
    body: gzipSync('{}'),
  });
  expect([answer.status, bodyOf(answer).code]).toEqual([500, 'internal']);
  expect(await counted()).toMatchObject({ exception: expect.toSatisfy((count) => count >= 1) });
});

it('an uncaught error during the start ends the process', async () => {
  const options = `--import=data:text/javascript,setTimeout(()=>{throw(new(Error)("early"))},1)`;
  const ended = await byway(['serve'], {
    ...(await emptyInstallation()),
    NODE_OPTIONS: options,
    HOST: '127.0.0.1',
    PORT: '0',
  });
  expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining('early')]);
});
