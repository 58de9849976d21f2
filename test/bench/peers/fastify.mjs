// A bare Fastify server that answers with fixed bytes.
import { readFileSync } from 'node:fs';
import { fastify } from 'fastify';
import { listen, settings } from './settings.mjs';

const server = fastify();
server.get('/readyz', (_, reply) => reply.send({ status: 'ok' }));
if (settings.bodyFile !== undefined) {
  const bytes = readFileSync(settings.bodyFile);
  const answer = (_, reply) => reply.type('application/json; charset=utf-8').send(bytes);
  server.get('/bytes', answer);
  server.post('/bytes', answer);
  server.get('/unchanged', (_, reply) => reply.code(304).send());
}
await server.ready();
listen(server.server);
