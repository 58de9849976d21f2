// What libraries alone take for a list: Fastify, the rows of the caller's key and policy, fixed bytes or 304.
import { readFileSync } from 'node:fs';
import { fastify } from 'fastify';
import { policyRows } from './key-rows.mjs';
import { listen, settings } from './settings.mjs';

const lists = { plain: readFileSync(settings.plainFile), gzip: readFileSync(settings.gzipFile) };
const read = policyRows(settings);

const server = fastify();
server.get('/list', ({ headers }, reply) => {
  read(headers.authorization);
  if (headers['if-none-match'] !== undefined) return reply.code(304).send();
  const isGzip = headers['accept-encoding'] === 'gzip';
  if (isGzip) reply.header('content-encoding', 'gzip');
  return reply.type('application/json; charset=utf-8').send(isGzip ? lists.gzip : lists.plain);
});
await server.ready();
listen(server.server);
