import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** A handle on a database, within a process of some machine, under a name that no other and no later one has. */
export interface ProcessLease {
  readonly id: string;
  /** What this process can tell of the holder of that id by itself: `elsewhere` = nothing. */
  statusOf(id: string): 'here' | 'gone' | 'elsewhere';
  /** This one is no more. */
  end(): void;
}

/** The holders of this process. */
const here = new Set<string>();

/** A new holder of this process. */
export function createProcessLease(): ProcessLease {
  const id = `${MACHINE}.${process.pid}.${randomUUID()}`;
  here.add(id);
  return {
    id,
    statusOf(other) {
      const [machine, pid] = other.split('.');
      if (machine !== MACHINE) return 'elsewhere';
      // A process with this one's number that is not this one was before it: numbers are used again.
      const isThere = Number(pid) === process.pid ? here.has(other) : isRunning(Number(pid));
      return isThere ? 'here' : 'gone';
    },
    end: () => void here.delete(id),
  };
}

/**
 * Among whose processes the numbers are told apart: containers of one machine have numbers of their own, machines may
 * share a name, and one that was started again has none of its former processes.
 */
const MACHINE = createHash('sha256')
  .update(`${hostname()} ${bootId()} ${processNamespace()}`)
  .digest('hex')
  .slice(0, 16);

/** Empty where the system has no such thing. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/** As above. */
function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
