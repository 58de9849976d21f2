import { createHash, randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Who serves from a database, as reservations name them: a gateway within a process of some machine. */
export interface Holder {
  readonly id: string;
  /** Whether the gateway that goes by the id is still there, as far as can be known: another machine's always is. */
  isAlive(id: string): boolean;
  /** This one is no more. */
  end(): void;
}

/** The gateways of this process. */
const here = new Set<string>();

/** A new gateway of this process, under a name that no other and no later one has. */
export function newHolder(): Holder {
  const id = `${MACHINE}.${process.pid}.${randomUUID()}`;
  here.add(id);
  return {
    id,
    isAlive(other) {
      const [machine, pid] = other.split('.');
      if (machine !== MACHINE) return true;
      // A process with this one's number that is not this one was before it: numbers are used again.
      return Number(pid) === process.pid ? here.has(other) : isRunning(Number(pid));
    },
    end: () => void here.delete(id),
  };
}

/** Among whose processes the numbers are told apart: containers of one machine have numbers of their own. */
const MACHINE = createHash('sha256').update(`${hostname()} ${processNamespace()}`).digest('hex').slice(0, 16);

/** Empty where the system has no such thing. */
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
