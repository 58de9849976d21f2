import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** Takes the answer over from Fastify, with the headers set on it so far, to write it to the raw response. */
export function hijackReply(reply: FastifyReply): ServerResponse {
  reply.hijack();
  // 'close' reports a broken connection; an 'error' without a listener would end the process.
  reply.raw.on('error', () => {});
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  return reply.raw;
}
