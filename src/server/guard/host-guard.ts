import type { FastifyReply, FastifyRequest } from 'fastify';
import { Health } from '../../../gen/grpc/health/v1/health_pb.js';
import { pathOf } from '../port/public-path.js';
import type { CallerChecks } from './caller-checks.js';
import type { RefuseRequest } from './refuse.js';

/** What probes and scrapers ask by the address of a process. */
const FOR_ANY_HOST: ReadonlySet<string> = new Set([
  '/healthz',
  '/readyz',
  '/metrics',
  ...Health.methods.map(({ name }) => `/${Health.typeName}/${name}`),
]);

/** An `onRequest` hook that refuses requests to hosts that are none of the server's, whatever their path. */
export function createHostGuard({ checkHost }: Pick<CallerChecks, 'checkHost'>, refuse: RefuseRequest) {
  return (
    request: FastifyRequest,
    reply: FastifyReply,
    done: (error?: Error) => void,
  ): Promise<unknown> | undefined => {
    try {
      if (!FOR_ANY_HOST.has(pathOf(request.url))) checkHost(request);
    } catch (thrown) {
      return refuse(thrown, request, reply);
    }
    done();
    return undefined;
  };
}
