import { randomUUID } from 'node:crypto';

/** Who serves from a database, as reservations name them: a gateway within a process of this machine. */
export interface Holder {
  readonly id: string;
  /** Whether the gateway that goes by the id is still there. */
  isAlive(id: string): boolean;
  /** This one is no more. */
  end(): void;
}

/** The gateways of this process. */
const here = new Set<string>();

/** A new gateway of this process, under a name that no other and no later one has. */
export function newHolder(): Holder {
  const id = `${process.pid}.${randomUUID()}`;
  here.add(id);
  return {
    id,
    isAlive(other) {
      const pid = Number(other.split('.')[0]);
      // A process with this one's number that is not this one was before it: numbers are used again.
      return pid === process.pid ? here.has(other) : isRunning(pid);
    },
    end: () => void here.delete(id),
  };
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
