import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** Takes the answer from Fastify for what it has no means for, with the headers that were set on it so far. */
export function hijackReply(reply: FastifyReply): ServerResponse {
  reply.hijack();
  // A broken connection is told by 'close'; an 'error' that nobody hears would end the process.
  reply.raw.on('error', () => {});
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  return reply.raw;
}
