import type { FastifyInstance } from 'fastify';
import type { Aliases } from '../../protobuf/write.js';
import type { Operation } from '../operation.js';
import { JSON_ANSWER, Rendered, sendRendered } from '../rendered.js';

/**
 * `GET /openapi.json`: the description of the operations, without authentication. The first request builds it, and
 * reads what builds it, comments of the contract above all.
 */
export function registerOpenApi(
  server: FastifyInstance,
  operations: readonly Operation[],
  publicUrl: string | null,
  aliases: Aliases,
): void {
  let document: Rendered | undefined;
  server.get('/openapi.json', async (request, reply) => {
    const { openApiDocument } = await import('./document.js');
    document ??= new Rendered(JSON.stringify(openApiDocument(operations, publicUrl, aliases)), JSON_ANSWER);
    return sendRendered(document, 'public, no-cache', request, reply);
  });
}
