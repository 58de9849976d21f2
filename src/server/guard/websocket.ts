import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../base/problem.js';

/** What a client is asked for in its place (RFC 9110 section 15.5.22), on a connection that carries nothing more. */
const HTTP = { Upgrade: 'HTTP/1.1', Connection: 'Upgrade, close' };

/**
 * An onRequest hook that refuses to open a WebSocket (RFC 6455 section 4.1), on any path and before authentication. Clients that can
 * do without, such as Codex, go on over HTTP at once after this status, and after any other try again for a while. Any other
 * `Upgrade` is ignored, as RFC 9110 section 7.8 allows.
 */
export function refuseWebSockets(
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  if (!opensWebSocket(request)) {
    done();
    return;
  }
  reply.headers(HTTP);
  done(
    new Problem('upgrade_required', 'WebSockets are not offered by this gateway; send the request over HTTP'),
  );
}

/** A proxy that drops `Upgrade`, which holds for one connection alone, lets the key of the handshake pass. */
function opensWebSocket({ method, raw, headers }: FastifyRequest): boolean {
  if (method !== 'GET' || raw.httpVersionMajor !== 1) return false;
  return headers['sec-websocket-key'] !== undefined || namesWebSocket(headers.upgrade);
}

/** Protocols are listed by name, each perhaps with a version. */
function namesWebSocket(upgrade: string | undefined): boolean {
  if (upgrade === undefined) return false;
  return upgrade
    .toLowerCase()
    .split(',')
    .some((protocol) => protocol.split('/', 1)[0]?.trim() === 'websocket');
}
