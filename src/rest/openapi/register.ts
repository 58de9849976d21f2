import type { FastifyInstance } from 'fastify';
import type { Aliases } from '../../protobuf/write.js';
import type { Operation } from '../operation.js';
import { JSON_ANSWER, render, sendRendered } from '../revalidate.js';
import { openApiDocument } from './document.js';

/**
 * `GET /openapi.json`: the description of the operations, without authentication. It is built once, here; a description
 * that can't be built throws and so stops the start.
 */
export function registerOpenApi(
  server: FastifyInstance,
  operations: readonly Operation[],
  publicUrl: string | null,
  aliases: Aliases,
): void {
  const document = render(JSON.stringify(openApiDocument(operations, publicUrl, aliases)), JSON_ANSWER);
  server.get('/openapi.json', (request, reply) => sendRendered(document, 'public, no-cache', request, reply));
}
