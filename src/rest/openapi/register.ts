import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LruMap } from '../../base/memory/lru-map.js';
import { once } from '../../base/memory/once.js';
import { JSON_ANSWER, Rendered, sendRendered } from '../rendered.js';
import type { RestPluginOptions } from '../rest-plugin.js';

/** Cached texts, each with the root of its own host: half a megabyte each. */
const MAX_TEXTS = 8;

/**
 * `GET /openapi.json`: the document of the operations, without authentication. The first request builds it, and loads
 * what that takes, above all the comments of the contract. For a request to another host it is only written anew.
 */
export function registerOpenApi(
  server: FastifyInstance,
  { operations, apis, aliases }: Pick<RestPluginOptions, 'operations' | 'apis' | 'aliases'>,
  rootOf: (request: FastifyRequest) => string,
): void {
  const texts = new LruMap<string, Rendered>(MAX_TEXTS);
  const build = once(async () => (await import('./document.js')).openApiDocument(operations, apis, aliases));
  server.get('/openapi.json', async (request, reply) => {
    const document = await build();
    const url = rootOf(request);
    const text = texts.getOrMake(url, () => {
      return new Rendered(JSON.stringify({ ...document, servers: [{ url }] }), JSON_ANSWER);
    });
    return sendRendered(text, 'public, no-cache', request, reply);
  });
}
