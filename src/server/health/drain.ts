import type { FastifyBaseLogger, FastifyInstance } from 'fastify';

export interface DrainDependencies {
  readonly app: Pick<FastifyInstance, 'server'> & { close(): Promise<unknown> };
  /** How long requests in flight may go on. */
  readonly timeoutMs?: number;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
}

/** The graceful stop of a server. */
export interface Drain {
  /** True from the first call of `stop`; readiness follows it. */
  readonly draining: boolean;
  /**
   * Accepts no more connections, sends GOAWAY to HTTP/2 sessions, closes idle connections, lets requests in flight
   * finish, and runs the app's `onClose` hooks. What is left after the timeout is cut off, and the hooks then have one
   * more second. Always settles, never rejects, and runs once.
   */
  stop(): Promise<void>;
}

/** With the second for the hooks, a draining process ends within 10 s, as orchestrators expect. */
const TIMEOUT_MS = 8_000;
const HOOKS_MS = 1_000;

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

async function drain({ app, timeoutMs = TIMEOUT_MS, log }: DrainDependencies): Promise<void> {
  log.info({ timeoutMs }, 'draining');
  const closed = close(app, log);
  if (await settlesWithin(timeoutMs, closed)) return;
  log.warn('requests are still open, cutting them off');
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
