import { fastify } from 'fastify';
import { describe, expect, test } from 'vitest';
import { registerHealth } from '../../src/server/health/health.js';
import { createReadiness, type ReadinessDependencies } from '../../src/server/health/readiness.js';

async function ask(path: string, dependencies: Partial<ReadinessDependencies>) {
  const app = fastify();
  registerHealth(
    app,
    createReadiness({ draining: () => false, check: async () => {}, checkTimeoutMs: 30, ...dependencies }),
  );
  const answer = await app.inject(path);
  await app.close();
  return { status: answer.statusCode, body: answer.json(), caching: answer.headers['cache-control'] };
}

const failing: readonly (readonly [string, Partial<ReadinessDependencies>, string])[] = [
  ['while draining', { draining: () => true }, 'shutting_down'],
  ['when the check fails', { check: () => Promise.reject(new Error('secret host')) }, 'not_ready'],
  [
    'when the check throws',
    {
      check: () => {
        throw new Error('secret host');
      },
    },
    'not_ready',
  ],
  ['when the check does not settle', { check: () => new Promise(() => {}) }, 'not_ready'],
];

describe('health', () => {
  test('/readyz is 200 when requests can be served', async () => {
    expect(await ask('/readyz', {})).toEqual({ status: 200, body: { status: 'ok' }, caching: 'no-store' });
  });

  test.each(failing)('/readyz is 503 with the envelope %s', async (_name, dependencies, reason) => {
    const answer = await ask('/readyz', dependencies);
    expect(answer.status).toBe(503);
    expect(answer.body).toEqual({ error: { code: 503, message: expect.any(String), metadata: { reason } } });
    expect(JSON.stringify(answer.body)).not.toContain('secret');
  });

  test.each(failing)('/healthz is 200 %s', async (_name, dependencies) => {
    expect(await ask('/healthz', dependencies)).toEqual({
      status: 200,
      body: { status: 'ok' },
      caching: 'no-store',
    });
  });
});
