import cluster, { type Worker } from 'node:cluster';
import type { FastifyBaseLogger } from 'fastify';
import { MAX_AFTER_DRAIN_MS } from '../../server/health/drain.js';
import type { Signals } from '../../server/health/signals.js';
import { MetricsHub } from '../../server/metrics/workers.js';
import { framesOf } from '../../server/uncaught.js';

export interface SupervisedDependencies {
  /** Processes that serve. */
  readonly workers: number;
  /** How long workers let requests go on once they stop. */
  readonly drainMs: number;
  readonly signals: Signals;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'error'>;
}

/** A worker that has served for so long started properly: its death has another reason. */
const STEADY_MS = 60_000;

/** Pauses before a worker is replaced: each is twice the last one as long as workers keep dying. */
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 30_000;

/** How much longer a worker may take to stop than it needs. */
export const KILL_AFTER_MS = 3_000;

/**
 * Keeps so many processes running that run this same command on one port, each as a worker of `node:cluster`; serves
 * nothing itself. The first one starts alone, so that it does what a start does once, and fails where all would. A
 * worker that dies is replaced after a pause; when one dies before it listens while none serves, this process ends
 * with 1. On a signal to drain all workers drain and the process ends with 0, on a second one at once with 1; SIGHUP
 * is passed on. Workers get each other's metrics through it. Resolves as soon as the first worker listens.
 */
export function supervise({ workers, drainMs, signals, log }: SupervisedDependencies): Promise<void> {
  const listeningSince = new Map<Worker, number>();
  const metrics = new MetricsHub();
  let deaths = 0;
  let isStopping = false;
  let exitCode = 0;

  // A dead worker is listed until its channel is closed.
  const running = () => Object.values(cluster.workers ?? {}).filter((worker) => worker?.isDead() === false);
  const signal = (name: NodeJS.Signals) => {
    for (const worker of running()) worker?.process.kill(name);
  };
  const stop = () => {
    if (isStopping) {
      signal('SIGKILL');
      process.exit(1);
    }
    isStopping = true;
    log.info({ workers: running().length }, 'draining all workers');
    signal('SIGTERM');
    setTimeout(signal, drainMs + MAX_AFTER_DRAIN_MS + KILL_AFTER_MS, 'SIGKILL');
    if (running().length === 0) process.exit(0);
  };
  const replace = (worker: Worker, code: number | null, ended: string | null) => {
    const since = listeningSince.get(worker);
    listeningSince.delete(worker);
    metrics.remove(worker);
    if (isStopping) {
      if (since !== undefined && code !== 0) exitCode = 1;
      if (running().length === 0) process.exit(exitCode);
      return;
    }
    // The worker itself has reported why it could not start.
    if (since === undefined && listeningSince.size === 0) process.exit(1);
    deaths = since !== undefined && performance.now() - since > STEADY_MS ? 1 : deaths + 1;
    const pauseMs = pauseAfter(deaths);
    log.error(
      { worker: worker.process.pid, code, signal: ended, pauseMs },
      'a worker ended, starting another',
    );
    setTimeout(() => isStopping || fork(), pauseMs);
  };

  const fork = () => {
    const worker = cluster.fork();
    // Emitted before 'fork'. A process that can't be started never emits 'exit'.
    worker.on('error', (error: NodeJS.ErrnoException) => {
      log.error({ worker: worker.process.pid, code: error.code }, 'a worker could not be started or told');
      if (worker.process.pid === undefined) replace(worker, null, null);
    });
  };

  signals.use({ drain: stop, reread: () => signal('SIGHUP') });
  cluster.on('exit', replace);
  return new Promise((resolve) => {
    cluster.once('listening', () => {
      for (let count = 1; count < workers; count++) fork();
      // As in a worker: an error of one of them must not end the others.
      process.on('uncaughtException', (error) => log.error(framesOf(error), 'an error that nobody caught'));
      resolve();
    });
    cluster.on('listening', (worker) => {
      listeningSince.set(worker, performance.now());
      metrics.add(worker);
      if (listeningSince.size === workers) log.info({ workers }, 'all workers serve');
    });
    fork();
  });
}

/** Milliseconds to wait after so many deaths in a row. */
export function pauseAfter(deaths: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (deaths - 1), MAX_PAUSE_MS);
}
