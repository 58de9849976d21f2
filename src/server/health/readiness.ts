/** Whether requests can be served now, told in the same way to `/readyz` and to gRPC health. */
import { Code, ConnectError } from '@connectrpc/connect';
import type { Readiness } from './grpc-health.js';
import { type HealthDependencies, unreadiness } from './health.js';

/** How often it is looked while somebody watches. */
const LOOK_INTERVAL_MS = 1_000;

/** What readiness depends on, and how often it is looked for watchers when not once a second. */
export interface ReadinessDependencies extends HealthDependencies {
  readonly lookIntervalMs?: number;
}

/** Readiness of a server, from its start to its stop. */
export interface ServerReadiness extends Readiness {
  /** Aborted when the server stops; ends the streams that would never end by themselves. */
  readonly shutdownSignal: AbortSignal;
  /** The server stops. */
  end(): void;
}

/**
 * The readiness that `/readyz` answers with. Many who ask at once share a look; without watchers it never looks by
 * itself.
 */
export function createReadiness(dependencies: ReadinessDependencies): ServerReadiness {
  const listeners = new Set<() => void>();
  const controller = new AbortController();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  let underway: Promise<boolean> | undefined;
  const isReady = async () => {
    underway ??= unreadiness(dependencies)
      .then((problem) => problem === undefined)
      .finally(() => {
        underway = undefined;
      });
    return (await underway) && !controller.signal.aborted;
  };
  let told: boolean | undefined;
  const look = async () => {
    const found = await isReady();
    if (found === told) return;
    told = found;
    tell();
  };
  let looking: NodeJS.Timeout | undefined;
  return {
    isReady,
    onChange(listener) {
      listeners.add(listener);
      looking ??= setInterval(look, dependencies.lookIntervalMs ?? LOOK_INTERVAL_MS).unref();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(looking);
        looking = undefined;
      };
    },
    shutdownSignal: controller.signal,
    end() {
      controller.abort(new ConnectError('The server is shutting down', Code.Unavailable));
      tell();
    },
  };
}
