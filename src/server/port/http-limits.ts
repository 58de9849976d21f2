/**
 * Limits on what one client can cost the server before any handler runs. The defaults suit a gateway behind a load
 * balancer as well as one that faces clients directly.
 */
export interface HttpLimits {
  /** From accept to the first bytes that tell HTTP/1.1 from HTTP/2, and for a TLS handshake. */
  readonly firstBytesTimeoutMs: number;
  /** For all headers of an HTTP/1.1 request. At most `requestTimeoutMs`. */
  readonly headersTimeoutMs: number;
  /** For receiving a whole request, headers and body. Answering it may take longer. */
  readonly requestTimeoutMs: number;
  /** How long a connection without a request stays open, on both HTTP versions. */
  readonly keepAliveTimeoutMs: number;
  /** How often the HTTP/1.1 timeouts above are checked: a request may exceed them by this much. */
  readonly timeoutCheckIntervalMs: number;
  /** Request line and headers together (HTTP/1.1), or the uncompressed header list (HTTP/2). */
  readonly maxHeaderBytes: number;
  readonly maxHeaderCount: number;
  readonly maxConnections: number;
  readonly maxStreamsPerSession: number;
  /** Memory for frames and headers that one HTTP/2 session may hold; beyond it new streams are refused. */
  readonly maxSessionMemoryMiB: number;
}

/**
 * Keep-alive outlasts the 60 s of idle time that load balancers commonly have, so that the balancer is the one to end a
 * connection, and not the server under one of its requests. In 5 minutes 32 MiB come through at 1 Mbit/s.
 */
export const DEFAULT_HTTP_LIMITS: HttpLimits = {
  firstBytesTimeoutMs: 10_000,
  headersTimeoutMs: 20_000,
  requestTimeoutMs: 300_000,
  keepAliveTimeoutMs: 75_000,
  timeoutCheckIntervalMs: 1_000,
  maxHeaderBytes: 16_384,
  maxHeaderCount: 100,
  maxConnections: 10_000,
  maxStreamsPerSession: 256,
  maxSessionMemoryMiB: 32,
};
