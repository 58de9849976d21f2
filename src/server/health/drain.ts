import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';

export interface DrainDependencies {
  readonly app: Pick<FastifyInstance, 'server'> & { close(): Promise<unknown> };
  /** How long requests in flight may go on, in milliseconds. */
  readonly timeoutMs: number;
  /** Makes what is in flight the last of its connections. */
  endConnections(): void;
  /** Ends what is in flight then; it has `ENDING_MS` to say so. */
  endAnswers(): void;
  /** Answers the requests that have no answer by then. */
  refuseRest(): void;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
}

/** The graceful stop of a server. */
export interface Drain {
  /** True from the first call of `stop`; readiness follows it, and new requests are refused. */
  readonly draining: boolean;
  /**
   * Accepts no more connections, sends GOAWAY to HTTP/2 sessions, closes idle connections, lets requests in flight
   * finish, and runs the app's `onClose` hooks. What is left after the timeout is ended, what is left then is cut off,
   * and the hooks have one more second. It takes at most `MAX_AFTER_DRAIN_MS` beyond the timeout. Always settles, never
   * rejects, and runs once.
   */
  stop(): Promise<void>;
}

/** For what has connected before the stop, and is refused in the words of its API: closing the port would reset it. */
const SETTLING_MS = 100;
/** For answers to say that they end, and for their records. */
const ENDING_MS = 3_000;
/** For answers that have just been given. */
const LEAVING_MS = 500;
const HOOKS_MS = 1_000;

/** The longest that stopping takes beyond the timeout. */
export const MAX_AFTER_DRAIN_MS = SETTLING_MS + ENDING_MS + LEAVING_MS + HOOKS_MS;

export function createDrain(dependencies: DrainDependencies): Drain {
  let stopped: Promise<void> | undefined;
  return {
    get draining() {
      return stopped !== undefined;
    },
    stop() {
      stopped ??= drain(dependencies);
      return stopped;
    },
  };
}

async function drain(dependencies: DrainDependencies): Promise<void> {
  const { app, timeoutMs, endAnswers, refuseRest, log } = dependencies;
  log.info({ timeoutMs }, 'draining');
  dependencies.endConnections();
  await sleep(SETTLING_MS);
  const closed = close(app, log);
  if (await settlesWithin(timeoutMs, closed)) return;
  log.warn('requests are still open, ending them');
  endAnswers();
  if (await settlesWithin(ENDING_MS, closed)) return;
  refuseRest();
  if (await settlesWithin(LEAVING_MS, closed)) return;
  log.warn('answers are still open, cutting them off');
  app.server.closeAllConnections();
  if (await settlesWithin(HOOKS_MS, closed)) return;
  log.error('still not closed, giving up');
}

async function close(app: DrainDependencies['app'], log: DrainDependencies['log']): Promise<void> {
  try {
    await app.close();
    log.info('drained');
  } catch (err) {
    log.error({ err }, 'closing failed');
  }
}

async function settlesWithin(timeoutMs: number, work: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs);
  });
  const settled = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return settled;
}
