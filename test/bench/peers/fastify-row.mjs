// What libraries alone take for a key over JSON: Fastify, both rows, fixed bytes.
import { readFileSync } from 'node:fs';
import { fastify } from 'fastify';
import { keyRows } from './key-rows.mjs';
import { listen, settings } from './settings.mjs';

const bytes = readFileSync(settings.bodyFile);
const read = keyRows(settings);

const server = fastify();
const answer = ({ headers }, reply) => {
  read(headers.authorization);
  return reply.type('application/json; charset=utf-8').send(bytes);
};
server.get('/key', answer);
server.post('/key', answer);
await server.ready();
listen(server.server);
