import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Identifies one handle on a database, so that others can tell when the process behind it has ended. */
export interface ProcessLease {
  /** Never used again. */
  readonly id: string;
  /** The state of any lease as far as this process knows by itself; `unknown` for leases of other machines. */
  statusOf(id: string): 'held' | 'lost' | 'unknown';
  end(): void;
}

/** The leases that this process holds. */
const held = new Set<string>();

export function createProcessLease(): ProcessLease {
  const id = `${MACHINE}.${process.pid}.${randomUUID()}`;
  held.add(id);
  return {
    id,
    statusOf(other) {
      const [machine, pid] = other.split('.');
      if (machine !== MACHINE) return 'unknown';
      // Process ids are reused: another lease with this one's id may be of an earlier process.
      const isHeld = Number(pid) === process.pid ? held.has(other) : isRunning(Number(pid));
      return isHeld ? 'held' : 'lost';
    },
    end: () => void held.delete(id),
  };
}

/**
 * The scope in which process ids are unique: the host and its boot, since hosts may share a name and a reboot ends all
 * processes, and the process namespace, since each container has its own.
 */
const MACHINE = createHash('sha256')
  .update(`${hostname()} ${bootId()} ${processNamespace()}`)
  .digest('hex')
  .slice(0, 16);

/** Empty on systems without boot ids. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/** Empty on systems without process namespaces. */
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
