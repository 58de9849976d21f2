import type { FastifyInstance } from 'fastify';
import { Problem, shuttingDown } from '../../base/problem.js';
import { sendError } from '../../http/envelope.js';

export interface HealthDependencies {
  readonly draining: () => boolean;
  /** Rejects, or does not settle in time, when requests can't be served now; the cause is only logged. */
  readonly check: () => Promise<void>;
  readonly checkTimeoutMs?: number;
}

/** Shorter than the 1 s after which common probes give up. */
const CHECK_TIMEOUT_MS = 800;

/**
 * `GET /healthz`: 200 while the process lives. `GET /readyz`: 200 when requests can be served, else 503 with the
 * error envelope and the reason `shutting_down` or `not_ready`, within the check's time limit.
 */
export function registerHealth(app: FastifyInstance, dependencies: HealthDependencies): void {
  app.get('/healthz', (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }));

  app.get('/readyz', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const problem = await unreadiness(dependencies);
    if (problem === undefined) return { status: 'ok' };
    if (problem.cause !== undefined) request.log.warn({ err: problem.cause }, 'not ready');
    return sendError(problem, request, reply);
  });
}

/** Why requests can't be served now: `shutting_down` or `not_ready`; undefined when they can. Never rejects. */
export async function unreadiness(dependencies: HealthDependencies): Promise<Problem | undefined> {
  if (dependencies.draining()) return shuttingDown();
  try {
    await within(dependencies.checkTimeoutMs ?? CHECK_TIMEOUT_MS, dependencies.check());
    return undefined;
  } catch (cause) {
    return new Problem('not_ready', 'The server is not ready', { cause });
  }
}

async function within(timeoutMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
