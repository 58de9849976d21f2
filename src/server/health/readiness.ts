/** Whether requests can be served now: the same answer for `/readyz` and gRPC health. */
import { Code, ConnectError } from '@connectrpc/connect';
import { Problem, shuttingDown } from '../../base/problem.js';
import type { Readiness } from './grpc-health.js';
import type { HealthSource } from './health.js';

/** How long an answer counts, for all who ask, and how often readiness is checked while it is watched. */
const CHECK_INTERVAL_MS = 1_000;

/** Shorter than the 1 s after which common probes give up. */
const CHECK_TIMEOUT_MS = 800;

export interface ReadinessDependencies {
  readonly draining: () => boolean;
  /** Rejects, or does not settle in time, when requests can't be served now; the cause is only logged. */
  readonly check: () => Promise<void>;
  readonly checkTimeoutMs?: number;
  readonly checkIntervalMs?: number;
}

/** Readiness of a server, from its start to its stop. */
export interface ServerReadiness extends Readiness, HealthSource {
  /** Aborted when the server stops; ends the streams that would never end by themselves. */
  readonly shutdownSignal: AbortSignal;
  /** Call it when the server stops. */
  end(): void;
}

/**
 * One readiness for everybody who asks, over whatever transport. It checks at most once an interval, and without
 * listeners only when somebody asks. Listeners are told at once that the server drains.
 */
export function createReadiness(dependencies: ReadinessDependencies): ServerReadiness {
  const { draining, check, checkTimeoutMs = CHECK_TIMEOUT_MS } = dependencies;
  const { checkIntervalMs = CHECK_INTERVAL_MS } = dependencies;
  const listeners = new Set<() => void>();
  const controller = new AbortController();
  const notify = () => {
    for (const listener of listeners) listener();
  };
  let lastTold: boolean | undefined;
  const tell = (isReady: boolean) => {
    if (isReady === lastTold) return;
    lastTold = isReady;
    notify();
  };
  let checked: { readonly at: number; readonly outcome: Promise<Problem | undefined> } | undefined;
  let isChecking = false;
  /** Every outcome is told, whoever asked for it: a listener may have been answered with the one before. */
  const checkOnce = async () => {
    isChecking = true;
    const problem = await outcomeOf(check, checkTimeoutMs);
    isChecking = false;
    tell(problem === undefined);
    return problem;
  };
  const unreadiness = async () => {
    if (draining() || controller.signal.aborted) return shuttingDown();
    const now = performance.now();
    if (checked === undefined || (!isChecking && now - checked.at >= checkIntervalMs)) {
      checked = { at: now, outcome: checkOnce() };
    }
    return checked.outcome;
  };
  const isReady = async () => (await unreadiness()) === undefined && !controller.signal.aborted;
  const poll = async () => tell(await isReady());
  let polling: NodeJS.Timeout | undefined;
  return {
    unreadiness,
    isReady,
    onChange(listener) {
      listeners.add(listener);
      polling ??= setInterval(poll, checkIntervalMs).unref();
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

/** `not_ready` when the check rejects, throws, or does not settle in time. */
async function outcomeOf(check: () => Promise<void>, timeoutMs: number): Promise<Problem | undefined> {
  try {
    await within(timeoutMs, check());
    return undefined;
  } catch (cause) {
    return new Problem('not_ready', 'The server is not ready', { cause });
  }
}

async function within(timeoutMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
