import cluster from 'node:cluster';
import { create } from '@bufbuild/protobuf';
import type { FastifyInstance } from 'fastify';
import { MethodRuleSchema, Plane, Role } from '../../../gen/byway/options/v1/options_pb.js';
import { exposition, type Family } from './families.js';
import { mergedText } from './merged.js';
import { processMetrics } from './process.js';
import { askSupervisor } from './workers.js';

/** The figures are of all accounts together, and so for nobody who belongs to one. */
const RULE = create(MethodRuleSchema, { roles: [Role.OPERATOR_KEY], plane: Plane.ADMINISTRATION });

/**
 * `GET /metrics`: the families and the process in the text that Prometheus scrapes, for operator keys; where there is
 * a supervisor, of all its workers.
 */
export function registerMetrics(server: FastifyInstance, families: readonly Family[]): void {
  const ofProcess = processMetrics();
  const ownText = async () => exposition(families) + (await ofProcess.metrics());
  const ask = cluster.worker === undefined ? undefined : askSupervisor(cluster.worker, ownText);
  server.get('/metrics', { config: { rule: RULE } }, async (_request, reply) => {
    const text = ask === undefined ? await ownText() : mergedText(await ask());
    return reply.header('Cache-Control', 'no-store').type(ofProcess.contentType).send(text);
  });
}
