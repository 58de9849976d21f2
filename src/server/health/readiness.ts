/** Whether requests can be served now: the same answer for `/readyz` and gRPC health. */
import { Code, ConnectError } from '@connectrpc/connect';
import type { Readiness } from './grpc-health.js';
import { type HealthDependencies, unreadiness } from './health.js';

/** How often readiness is checked while it is watched. */
const CHECK_INTERVAL_MS = 1_000;

export interface ReadinessDependencies extends HealthDependencies {
  readonly checkIntervalMs?: number;
}

/** Readiness of a server, from its start to its stop. */
export interface ServerReadiness extends Readiness {
  /** Aborted when the server stops; ends the streams that would never end by themselves. */
  readonly shutdownSignal: AbortSignal;
  /** Call it when the server stops. */
  end(): void;
}

/**
 * The readiness that `/readyz` answers with. Simultaneous callers share a check; without listeners it never checks by
 * itself.
 */
export function createReadiness(dependencies: ReadinessDependencies): ServerReadiness {
  const listeners = new Set<() => void>();
  const controller = new AbortController();
  const notify = () => {
    for (const listener of listeners) listener();
  };
  let pending: Promise<boolean> | undefined;
  const isReady = async () => {
    pending ??= unreadiness(dependencies)
      .then((problem) => problem === undefined)
      .finally(() => {
        pending = undefined;
      });
    return (await pending) && !controller.signal.aborted;
  };
  let lastKnown: boolean | undefined;
  const poll = async () => {
    const current = await isReady();
    if (current === lastKnown) return;
    lastKnown = current;
    notify();
  };
  let polling: NodeJS.Timeout | undefined;
  return {
    isReady,
    onChange(listener) {
      listeners.add(listener);
      polling ??= setInterval(poll, dependencies.checkIntervalMs ?? CHECK_INTERVAL_MS).unref();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(polling);
        polling = undefined;
      };
    },
    shutdownSignal: controller.signal,
    end() {
      controller.abort(new ConnectError('The server is shutting down', Code.Unavailable));
      notify();
    },
  };
}
