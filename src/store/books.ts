/** Balances while a group of acts moves them: read once, changed in memory, written back before the commit. */
import type { Insertable, Transaction } from 'kysely';
import { type Balance, emptyBalance } from '../spend/balance.js';
import type { Database } from './database.js';
import { type FramedCommit, framedGroupCommit } from './group-commit.js';
import { preparedInsert } from './prepared.js';
import type { SpendTotalTable, Tables } from './schema.js';
import { balanceReader, totalRow } from './spend-rows.js';

/** The balances that a group needs. Nobody else moves them while it is open. */
export class Books {
  readonly tx: Transaction<Tables>;
  readonly #balances: Map<string, Balance>;
  readonly #changed = new Set<string>();

  constructor(tx: Transaction<Tables>, balances: readonly Balance[]) {
    this.tx = tx;
    this.#balances = new Map(balances.map((balance) => [balance.subject, balance]));
  }

  /** The balance of a subject that was said to be needed. */
  of = (subject: string): Balance => this.#balances.get(subject) ?? emptyBalance(subject);

  change(subjects: readonly string[], act: (balance: Balance) => Balance): void {
    for (const subject of subjects) {
      this.#balances.set(subject, act(this.of(subject)));
      this.#changed.add(subject);
    }
  }

  /** In the order of their subjects, so that two processes never wait for each other's rows crosswise. */
  get changed(): readonly Balance[] {
    return [...this.#changed].sort().map(this.of);
  }
}

/** Runs an act on the books, which needs the balances of these subjects; committed when the promise resolves. */
export type Bookkeeping = FramedCommit<readonly string[], Books>;

/** Keeps the books of a database. There is one per process: acts asked for at the same time share a transaction. */
export function bookkeeping(database: Database): Bookkeeping {
  const save = preparedInsert('spend_total', (insert) =>
    insert.onConflict((conflict) =>
      conflict
        .column('subject')
        .doUpdateSet(({ ref }) => Object.fromEntries(AMOUNTS.map((name) => [name, ref(`excluded.${name}`)]))),
    ),
  );
  const readBalances = balanceReader();
  return framedGroupCommit(database, {
    async open(tx, needs) {
      return new Books(tx, await readBalances(tx, [...new Set(needs.flat())].sort()));
    },
    async close(books) {
      for (const balance of books.changed) await save(books.tx, totalRow(balance));
    },
  });
}

const AMOUNTS = Object.keys(totalRow(emptyBalance(''))).filter(
  (name): name is Exclude<keyof Insertable<SpendTotalTable>, 'subject'> => name !== 'subject',
);
