import type { FastifyReply, FastifyRequest } from 'fastify';

/** Headers of every answer. */
export const FIXED_HEADERS = { 'X-Content-Type-Options': 'nosniff', 'X-Frame-Options': 'DENY' } as const;

/**
 * Headers of an answer that comes in pieces, which nothing on its way may collect or rewrite. nginx collects unless
 * the first says otherwise (https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffering); compressing
 * proxies honour the second (RFC 9111 section 5.2.2.6).
 */
export const STREAM_HEADERS = {
  'X-Accel-Buffering': 'no',
  'Cache-Control': 'no-store, no-transform',
} as const;

/** The headers of a request that services read; no other one of a client's reaches them. */
const READ_HEADERS = [
  'x-byway-end-user',
  'x-byway-run',
  'x-byway-run-limit-usd',
  'session-id',
  'session_id',
  'x-session-affinity',
  'x-session-id',
  'x-claude-code-session-id',
  'x-claude-code-agent-id',
  'x-claude-code-parent-agent-id',
  'x-openai-subagent',
];

/** All headers that begin so are read too: what clients of another maker's API say of a request is an open list. */
const READ_PREFIX = 'anthropic-';

/** The headers among these that services read; undefined without any. */
export function serviceHeadersOf({
  headers,
}: Pick<FastifyRequest, 'headers'>): Record<string, string> | undefined {
  let read: Record<string, string> | undefined;
  const add = (name: string) => {
    const value = headers[name];
    if (value === undefined) return;
    read ??= {};
    read[name] = String(value);
  };
  for (const name of READ_HEADERS) add(name);
  for (const name in headers) if (name.startsWith(READ_PREFIX)) add(name);
  return read;
}

/** Headers of an RPC that REST passes on; any other is internal. */
const PASSED_HEADERS: ReadonlySet<string> = new Set([
  'x-byway-adapted',
  'x-byway-cache',
  'x-byway-remaining-usd',
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

/** Says that the answer depends on this header of the request, beside those that hooks have named. */
export function addVary(reply: FastifyReply, name: string): void {
  const vary = reply.raw.getHeader('vary');
  reply.header('Vary', vary === undefined ? name : `${String(vary)}, ${name}`);
}
