import type { FastifyReply } from 'fastify';

/** Headers of every answer. */
export const FIXED_HEADERS = { 'X-Content-Type-Options': 'nosniff', 'X-Frame-Options': 'DENY' } as const;

/** Headers of an RPC that REST passes on; any other is internal. */
const PASSED_HEADERS: ReadonlySet<string> = new Set([
  'x-generation-id',
  'retry-after',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
]);

/** Copies the headers of an RPC's answer that callers may see. */
export function passHeaders(from: Headers, reply: FastifyReply): void {
  for (const [name, value] of from) if (PASSED_HEADERS.has(name)) reply.header(name, value);
}
