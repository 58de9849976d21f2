/** What each signal does to a process that serves (docs/operations.md#signals). */
import type { Drain } from './drain.js';

/** The part of `process` that signals need. */
export interface SignalledProcess {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  exit(code: number): void;
}

/** What signals ask of a process that serves. */
export interface SignalActions {
  /** May be asked for again and again. */
  drain(): void;
  /** Reads again what is in files. */
  reread(): void;
}

type Action = keyof SignalActions | 'nothing';

/**
 * The signals that would otherwise end a process, or let anybody on the machine into it: Node opens its debugger at
 * SIGUSR1. With SIGXFSZ caught, the write fails instead. The system keeps the signals that nobody can catch, that
 * report a defect, or that do nothing by default, and SIGPROF, which V8's profiler needs.
 */
const ACTIONS: Readonly<Partial<Record<NodeJS.Signals, Action>>> = {
  SIGTERM: 'drain',
  SIGINT: 'drain',
  SIGQUIT: 'drain',
  SIGPWR: 'drain',
  SIGXCPU: 'drain',
  SIGHUP: 'reread',
  SIGUSR1: 'nothing',
  SIGUSR2: 'nothing',
  SIGALRM: 'nothing',
  SIGVTALRM: 'nothing',
  SIGIO: 'nothing',
  SIGSTKFLT: 'nothing',
  SIGXFSZ: 'nothing',
};

/** Terminals send these to all processes of a group, which a supervisor tells what to do. */
const OF_TERMINALS: readonly string[] = ['SIGINT', 'SIGQUIT'];

export interface Signals {
  /** From now on signals ask this of the process. */
  use(actions: SignalActions): void;
}

/**
 * The same signal is one and the same for so long: npm, by which `npm start` runs, passes on to its child what a terminal or
 * a service manager has sent to both (https://github.com/npm/cli/issues/5021).
 */
const ONE_SIGNAL_MS = 1_000;

/** Takes the signals. Until the process serves those that would drain end it at once, with 0: nothing is lost by then. */
export function takeSignals(process: SignalledProcess, { isSupervised }: { isSupervised: boolean }): Signals {
  let actions: SignalActions = { drain: () => process.exit(0), reread: () => undefined };
  for (const [signal, action] of Object.entries(ACTIONS) as [NodeJS.Signals, Action][]) {
    const isIgnored = action === 'nothing' || (isSupervised && OF_TERMINALS.includes(signal));
    const act = () => isIgnored || actions[action]();
    process.on(signal, action === 'drain' ? sparingRepeats(act) : act);
  }
  return {
    use(next) {
      actions = next;
    },
  };
}

/** Leaves out calls within `ONE_SIGNAL_MS` of the one before that was made. */
function sparingRepeats(act: () => unknown): () => void {
  let actedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - actedAt < ONE_SIGNAL_MS) return;
    actedAt = now;
    act();
  };
}

/** Drains at the first call and ends the process with 0 after it; a second call ends it at once, with 1. */
export function stopOnce(process: SignalledProcess, drain: Drain): () => void {
  return () => {
    if (drain.draining) process.exit(1);
    else void drain.stop().then(() => process.exit(0));
  };
}

/** The same for a process that another one supervises: service managers and the supervisor both ask it. */
export function stopWithSupervisor(process: SignalledProcess, drain: Drain): () => void {
  return () => void drain.stop().then(() => process.exit(0));
}

/** Keeps Node from opening its debugger at SIGUSR1, in a process that has taken no signals yet, or takes none. */
export function refuseDebugger(process: Pick<SignalledProcess, 'on'>): void {
  process.on('SIGUSR1', () => undefined);
}
