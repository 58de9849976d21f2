import cluster from 'node:cluster';
import { create } from '@bufbuild/protobuf';
import type { FastifyInstance } from 'fastify';
import { MethodRuleSchema, Plane, Role } from '../../../gen/byway/options/v1/options_pb.js';
import { exposition, type Family } from './families.js';
import { mergedText } from './merged.js';
import { processMetrics } from './process.js';
import { askSupervisor } from './workers.js';

/** The metrics are of all accounts together, so no key of a single account may read them. */
const RULE = create(MethodRuleSchema, { roles: [Role.OPERATOR_KEY], plane: Plane.ADMINISTRATION });

/**
 * `GET /metrics`: the families and the process metrics in the text format of Prometheus, for operator keys; under a
 * supervisor, of all its workers.
 */
export function registerMetrics(server: FastifyInstance, families: readonly Family[]): void {
  const ownProcess = processMetrics();
  const ownText = async () => exposition(families) + (await ownProcess.metrics());
  const ask = cluster.worker === undefined ? undefined : askSupervisor(cluster.worker, ownText);
  server.get('/metrics', { config: { rule: RULE } }, async (_request, reply) => {
    const text = ask === undefined ? await ownText() : mergedText(await ask());
    return reply.header('Cache-Control', 'no-store').type(ownProcess.contentType).send(text);
  });
}
