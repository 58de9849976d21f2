import { type Kysely, sql } from 'kysely';
import type { ClientBase } from 'pg';
import type { Tables } from '../../schema.js';
import type { ProcessLease } from '../process-lease.js';
import { lockLiteral, lockNumber } from './locks.js';

/**
 * How long a holder's lock must have been free before the holder counts as gone: longer than whoever has lost its
 * connection takes to make a new one.
 */
const LEASE_LOST_AFTER_MS = 5_000;

/**
 * Tells the holders of a database from those that are no more. Each holds a lock for as long as any of its sessions
 * lasts, which the server ends with the process, and takes it again with every new one: with that which listens, and
 * with those that read, so that who can't listen for a while is not taken for gone. What a process knows of others of
 * its own machine, it knows at once; of the others only by two looks, between which it was connected all the time:
 * when the server was away itself, everybody's lock is free for a moment.
 */
export class PostgresLeases {
  readonly #self: ProcessLease;
  readonly #reader: Kysely<Tables>;
  /** Since when the locks were found free. */
  readonly #freeSince = new Map<string, number>();
  #isConnected = false;

  constructor(reader: Kysely<Tables>, self: ProcessLease) {
    this.#reader = reader;
    this.#self = self;
  }

  get id(): string {
    return this.#self.id;
  }

  /** Takes the lock on the connection. It is shared: the server may not have noticed yet that the last one is lost. */
  async acquire(client: ClientBase): Promise<void> {
    await client.query(leaseStatement(this.id));
    this.#freeSince.clear();
    this.#isConnected = true;
  }

  /** The connection is lost. */
  disconnected(): void {
    this.#isConnected = false;
  }

  /** This one is no more. */
  end(): void {
    this.#self.end();
  }

  async lostLeases(holders: readonly string[]): Promise<ReadonlySet<string>> {
    const lostLeases = holders.filter((id) => this.#self.statusOf(id) === 'gone');
    const elsewhere = holders.filter((id) => this.#self.statusOf(id) === 'elsewhere');
    if (elsewhere.length === 0 || !this.#isConnected) return new Set(lostLeases);
    const held = await this.#heldLocks();
    const now = performance.now();
    for (const id of elsewhere) {
      if (held.has(lockOf(id))) {
        this.#freeSince.delete(id);
        continue;
      }
      const since = this.#freeSince.get(id) ?? now;
      this.#freeSince.set(id, since);
      if (now - since >= LEASE_LOST_AFTER_MS && this.#isConnected) lostLeases.push(id);
    }
    for (const id of this.#freeSince.keys()) if (!elsewhere.includes(id)) this.#freeSince.delete(id);
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

/** The statement with which a session of the holder begins. */
export function leaseStatement(id: string): string {
  return `select pg_advisory_lock_shared(${lockLiteral(lockOf(id))})`;
}

function lockOf(id: string): bigint {
  return lockNumber(`holder/${id}`);
}
