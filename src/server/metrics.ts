import { create } from '@bufbuild/protobuf';
import type { FastifyInstance } from 'fastify';
import { MethodRuleSchema, Plane, Role } from '../../gen/byway/options/v1/options_pb.js';
import { exposition, type Family } from './metrics-families.js';
import { processMetrics } from './metrics-process.js';

/** The figures are of all accounts together, and so for those who administer. */
const RULE = create(MethodRuleSchema, { roles: [Role.MANAGEMENT_KEY], plane: Plane.ADMINISTRATION });

/** `GET /metrics`: the families and the process in the text that Prometheus scrapes, for management keys. */
export function registerMetrics(server: FastifyInstance, families: readonly Family[]): void {
  const ofProcess = processMetrics();
  server.get('/metrics', { config: { rule: RULE } }, async (_request, reply) => {
    const text = exposition(families) + (await ofProcess.metrics());
    return reply.header('Cache-Control', 'no-store').type(ofProcess.contentType).send(text);
  });
}
