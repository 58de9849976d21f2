import { type CompiledQuery, type Kysely, sql } from 'kysely';
import { preparedStatement } from '../../query/prepared.js';
import type { Tables } from '../../schema/schema.js';
import type { ExclusiveAccess } from '../engine.js';
import type { Connection, Statement } from './connection/connection.js';
import { asUnavailable } from './connection/errors.js';
import type { DirectReads } from './driver.js';
import type { InstanceLock } from './instance-lock.js';

interface Connections {
  readonly writing: Connection;
  readonly reads: DirectReads;
  /** Compiles queries. */
  readonly compiler: Kysely<Tables>;
}

/** One process serves from a file, and its statements are synchronous. */
export class ExclusiveSqlite implements ExclusiveAccess {
  readonly #reads: DirectReads;
  readonly #takeLock: () => InstanceLock | undefined;
  readonly #version: Statement;
  readonly #changedSince: (parameters: { readonly version: number }) => CompiledQuery;
  #claimed: { readonly lock: InstanceLock | undefined } | undefined;

  /** `lock`: where the process has it already; `takeLock` finds none where no other process can open the file. */
  constructor(
    { writing, reads, compiler }: Connections,
    lock: InstanceLock | undefined,
    takeLock: () => InstanceLock | undefined,
  ) {
    this.#reads = reads;
    this.#claimed = lock && { lock };
    this.#takeLock = takeLock;
    this.#changedSince = preparedStatement(compiler, (db, { version }: { readonly version: number }) =>
      sql`select 1 as one from pragma_data_version where data_version <> ${version}`.compile(db),
    );
    // On the write connection, since data_version ignores the commits of its own connection.
    this.#version = writing.statement('PRAGMA data_version');
  }

  get isClaimed(): boolean {
    return this.#claimed !== undefined;
  }

  claim(): void {
    this.#claimed ??= { lock: this.#takeLock() };
  }

  release(): void {
    this.#claimed?.lock?.release();
  }

  dataVersion(): number {
    return this.#orUnavailable(() => Number(this.#version.all([])[0]?.data_version));
  }

  changedSince(version: number): CompiledQuery {
    return this.#changedSince({ version });
  }

  rows<R>(query: CompiledQuery<R>): readonly R[] {
    // The query builder has compiled the statement from the table types, so the rows have type R.
    return this.#orUnavailable(() => this.#reads.rows(query) as R[]);
  }

  #orUnavailable<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw asUnavailable(error);
    }
  }
}
