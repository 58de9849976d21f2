/** Requests whose answers have not ended, whatever serves them. */
import type { Problem } from '../../base/problem.js';

/** An answer that may not have begun: Fastify's reply, or one that was never Fastify's. */
export interface OpenAnswer {
  readonly raw: {
    readonly headersSent: boolean;
    readonly destroyed: boolean;
    /** Whether the connection goes on after the answer, which its head says; HTTP/1.1 only. */
    shouldKeepAlive?: boolean;
  };
  readonly sent: boolean;
  /** Answers with an error. */
  send(problem: Problem): unknown;
}

export function isUnanswered({ raw, sent }: OpenAnswer): boolean {
  return !sent && !raw.headersSent && !raw.destroyed;
}

/** Answers with the error every request that has no answer yet. */
export function refuseUnanswered(open: Iterable<OpenAnswer>, problem: Problem): void {
  for (const reply of [...open].filter(isUnanswered)) reply.send(problem);
}

/** Makes every answer that has not begun the last one of its connection, and lets it say so. */
export function endConnections(open: Iterable<OpenAnswer>): void {
  for (const { raw } of open) if (raw.shouldKeepAlive === true) raw.shouldKeepAlive = false;
}
