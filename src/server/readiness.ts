import { Code, ConnectError } from '@connectrpc/connect';
import type { Readiness } from './grpc-health.js';

/** Readiness of a server that is ready until it stops. */
export interface ServerReadiness extends Readiness {
  /** Aborted when the server stops; ends the streams that would never end by themselves. */
  readonly shutdownSignal: AbortSignal;
  /** The server stops. */
  end(): void;
}

/** Starts ready. */
export function createReadiness(): ServerReadiness {
  const listeners = new Set<() => void>();
  const controller = new AbortController();
  return {
    isReady: () => !controller.signal.aborted,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    shutdownSignal: controller.signal,
    end() {
      controller.abort(new ConnectError('The server is shutting down', Code.Unavailable));
      for (const listener of listeners) listener();
    },
  };
}
