import type { Drain } from './drain.js';

/** The part of `process` that stopping needs. */
export interface StoppableProcess {
  on(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  exit(code: number): void;
}

/**
 * On the first SIGTERM or SIGINT the drain begins and the process exits 0 after it; a second signal of either
 * kind ends the process at once, with 1.
 */
export function stopOnSignals(process: StoppableProcess, drain: Drain): void {
  const onSignal = () => {
    if (drain.draining) process.exit(1);
    else void drain.stop().then(() => process.exit(0));
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

/**
 * The same for a process that another one supervises: SIGTERM begins the drain, however often it comes, and SIGINT is
 * the supervisor's. Terminals and service managers send signals to both, and the supervisor passes them on.
 */
export function stopWithSupervisor(process: StoppableProcess, drain: Drain): void {
  process.on('SIGTERM', () => void drain.stop().then(() => process.exit(0)));
  process.on('SIGINT', () => {});
}
