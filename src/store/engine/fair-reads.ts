import type { CompiledQuery, DatabaseConnection, Driver, Kysely, QueryResult } from 'kysely';
import { FairPlaces } from '../../base/fair-places.js';
import { Problem } from '../../base/problem.js';
import type { Tables } from '../schema/schema.js';
import { REPORT_TIMEOUT_MS, type ReadsByAccount } from './engine.js';
import { StatementDriver } from './statement-driver.js';
import { databaseUnavailable } from './unavailable.js';

/** A longer queue would only time out. */
export const MAX_WAITING_READS = 100;

export interface FairReadOptions {
  /** Runs as many reads at once as are given to it. */
  readonly connection: DatabaseConnection;
  /** How many run at once. */
  readonly atOnce: number;
  /** The query builder over a driver. */
  builderOn(driver: Driver): Kysely<Tables>;
}

/**
 * Single reads that may take long, on few connections that accounts share. While others want to read, each account has
 * one read at a time, and those that wait are run account by account: a read waits for at most one of each other
 * account, however many that has sent. Where too many wait, the account with the most is refused: 429 `rate_limited`.
 */
export class FairReads implements ReadsByAccount {
  readonly #options: FairReadOptions;
  readonly #places: FairPlaces;

  constructor(options: FairReadOptions) {
    const { atOnce } = options;
    this.#options = options;
    this.#places = new FairPlaces({
      admits: ({ held, taken, isAlone }) => taken < atOnce && (isAlone || held === 0),
      maxWaiting: MAX_WAITING_READS,
    });
  }

  /** Reads of an account. Throws the Problem `database_unavailable` also for one that has waited too long. */
  of(accountId: string): Kysely<Tables> {
    const connection = new AccountReads(this.#options.connection, this.#places, accountId);
    return this.#options.builderOn(new StatementDriver(connection));
  }
}

class AccountReads implements DatabaseConnection {
  readonly #connection: DatabaseConnection;
  readonly #places: FairPlaces;
  readonly #accountId: string;

  constructor(connection: DatabaseConnection, places: FairPlaces, accountId: string) {
    this.#connection = connection;
    this.#places = places;
    this.#accountId = accountId;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (!this.#places.tryTake(this.#accountId)) await this.#wait();
    try {
      return await this.#connection.executeQuery<R>(query);
    } finally {
      this.#places.release(this.#accountId);
    }
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('read in pages instead of streaming');
  }

  #wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      let leave = () => {};
      const timer = setTimeout(() => {
        leave();
        reject(databaseUnavailable(new Error(`no turn within ${REPORT_TIMEOUT_MS} ms`)));
      }, REPORT_TIMEOUT_MS).unref();
      leave = this.#places.wait(this.#accountId, {
        granted() {
          clearTimeout(timer);
          resolve();
        },
        refused() {
          clearTimeout(timer);
          reject(tooManyReads());
        },
      });
    });
  }
}

/** Reads are short where they are few. */
const RETRY_AFTER_S = 1;

function tooManyReads(): Problem {
  const message = 'Too many lists and reports of this account wait to be read: send fewer at a time';
  return new Problem('rate_limited', message, { retryAfterSeconds: RETRY_AFTER_S });
}
