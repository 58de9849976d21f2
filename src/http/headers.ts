import type { FastifyReply, FastifyRequest } from 'fastify';

/** Headers of every answer. */
export const FIXED_HEADERS = { 'X-Content-Type-Options': 'nosniff', 'X-Frame-Options': 'DENY' } as const;

/** The header of a request that services read; undefined without it. No other one of a client's reaches them. */
export function readHeaders({ headers }: FastifyRequest): Record<string, string> | undefined {
  const betas = headers['anthropic-beta'];
  return betas === undefined ? undefined : { 'anthropic-beta': String(betas) };
}

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
