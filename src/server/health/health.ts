import type { FastifyInstance } from 'fastify';
import type { Problem } from '../../base/problem.js';
import { sendError } from '../../http/error-envelope.js';

/** Why requests can't be served now; undefined when they can. */
export interface HealthSource {
  /** `shutting_down` or `not_ready`, whose cause is only logged. Never rejects. */
  unreadiness(): Promise<Problem | undefined>;
}

/**
 * `GET /healthz`: 200 while the process lives. `GET /readyz`: 200 when requests can be served, else 503 with the error
 * envelope and the reason `shutting_down` or `not_ready`. What a failed check has found is logged once, however many
 * ask.
 */
export function registerHealth(app: FastifyInstance, source: HealthSource): void {
  app.get('/healthz', (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }));

  let logged: Problem | undefined;
  app.get('/readyz', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const problem = await source.unreadiness();
    if (problem === undefined) return { status: 'ok' };
    if (problem.cause !== undefined && problem !== logged)
      request.log.warn({ err: problem.cause }, 'not ready');
    logged = problem;
    return sendError(problem, request, reply);
  });
}
