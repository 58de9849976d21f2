import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LruMap } from '../../base/memory/lru-map.js';
import type { Aliases } from '../../protobuf/write.js';
import type { Operation } from '../operation.js';
import { JSON_ANSWER, Rendered, sendRendered } from '../rendered.js';

/** Cached documents, each with the root of its own host: half a megabyte each. */
const MAX_DOCUMENTS = 8;

/**
 * `GET /openapi.json`: the description of the operations, without authentication. The first request to a host builds it,
 * and the very first one reads what builds it, comments of the contract above all.
 */
export function registerOpenApi(
  server: FastifyInstance,
  operations: readonly Operation[],
  rootOf: (request: FastifyRequest) => string,
  aliases: Aliases,
): void {
  const documents = new LruMap<string, Rendered>(MAX_DOCUMENTS);
  server.get('/openapi.json', async (request, reply) => {
    const { openApiDocument } = await import('./document.js');
    const root = rootOf(request);
    const document = documents.getOrMake(root, () => {
      return new Rendered(JSON.stringify(openApiDocument(operations, root, aliases)), JSON_ANSWER);
    });
    return sendRendered(document, 'public, no-cache', request, reply);
  });
}
