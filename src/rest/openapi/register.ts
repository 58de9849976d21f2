import type { FastifyInstance } from 'fastify';
import type { Aliases } from '../../protobuf/write.js';
import type { Operation } from '../operation.js';
import { JSON_ANSWER, Rendered, sendRendered } from '../rendered.js';
import { openApiDocument } from './document.js';

/** `GET /openapi.json`: the description of the operations, without authentication. The first request builds it. */
export function registerOpenApi(
  server: FastifyInstance,
  operations: readonly Operation[],
  publicUrl: string | null,
  aliases: Aliases,
): void {
  let document: Rendered | undefined;
  server.get('/openapi.json', (request, reply) => {
    document ??= new Rendered(JSON.stringify(openApiDocument(operations, publicUrl, aliases)), JSON_ANSWER);
    return sendRendered(document, 'public, no-cache', request, reply);
  });
}
