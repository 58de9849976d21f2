import { type Kysely, sql } from 'kysely';
import type { ClientBase } from 'pg';
import type { Tables } from '../../schema/schema.js';
import type { ProcessLease } from '../process-lease.js';
import { lockLiteral, lockNumber } from './connection/locks.js';

/** How long the lock of a lease must have been free: longer than a process takes to reconnect. */
const LEASE_LOST_AFTER_MS = 5_000;

/**
 * Finds lost leases. A lease is an advisory lock, which every reading session of its process and the listening one
 * take, and which the server releases with the last of them. Leases of this machine are checked by process id. The lock
 * of another one must have been free at two checks, with this process connected all the time in between: after a
 * restart of the server all locks are free for a moment.
 */
export class PostgresLeases {
  readonly #self: ProcessLease;
  readonly #reader: Kysely<Tables>;
  /** When a lock was first found free, by lease. */
  readonly #freeSince = new Map<string, number>();
  #isConnected = false;

  constructor(reader: Kysely<Tables>, self: ProcessLease) {
    this.#reader = reader;
    this.#self = self;
  }

  get id(): string {
    return this.#self.id;
  }

  /** The lock is shared, since the server may not have noticed yet that the previous connection is lost. */
  async acquire(client: ClientBase): Promise<void> {
    await client.query(leaseStatement(this.id));
    this.#freeSince.clear();
    this.#isConnected = true;
  }

  disconnected(): void {
    this.#isConnected = false;
  }

  end(): void {
    this.#self.end();
  }

  async lostLeases(leaseIds: readonly string[]): Promise<ReadonlySet<string>> {
    const lostLeases = leaseIds.filter((id) => this.#self.statusOf(id) === 'lost');
    const unknown = leaseIds.filter((id) => this.#self.statusOf(id) === 'unknown');
    if (unknown.length === 0 || !this.#isConnected) return new Set(lostLeases);
    const held = await this.#heldLocks();
    const now = performance.now();
    for (const id of unknown) {
      if (held.has(lockOf(id))) {
        this.#freeSince.delete(id);
        continue;
      }
      const since = this.#freeSince.get(id) ?? now;
      this.#freeSince.set(id, since);
      if (now - since >= LEASE_LOST_AFTER_MS && this.#isConnected) lostLeases.push(id);
    }
    for (const id of this.#freeSince.keys()) if (!unknown.includes(id)) this.#freeSince.delete(id);
    return new Set(lostLeases);
  }

  async #heldLocks(): Promise<ReadonlySet<bigint>> {
    const { rows } = await sql<{ number: string }>`
      select ((classid::bigint << 32) | objid::bigint)::text as number from pg_locks
      where locktype = 'advisory' and objsubid = 1 and granted
        and database = (select oid from pg_database where datname = current_database())`.execute(
      this.#reader,
    );
    return new Set(rows.map(({ number }) => BigInt(number)));
  }
}

/** The first statement of every session that holds the lease. */
export function leaseStatement(id: string): string {
  return `select pg_advisory_lock_shared(${lockLiteral(lockOf(id))})`;
}

/** The name must not change: processes of two versions run together during an upgrade. */
function lockOf(id: string): bigint {
  return lockNumber(`holder/${id}`);
}
