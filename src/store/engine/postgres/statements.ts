import type { ClientBase } from 'pg';

/**
 * Per connection: more than there are queries in the code. Further ones, for lists of many lengths, are not prepared.
 */
const MAX_STATEMENTS = 256;

/** The names of the prepared statements of each connection, which save the server the planning. */
export class StatementNames {
  #names = new WeakMap<ClientBase, Map<string, string>>();
  #count = 0;
  readonly #max: number;

  /** None for sessions that keep nothing from one transaction to the next. */
  constructor({ byTransaction }: { readonly byTransaction: boolean }) {
    this.#max = byTransaction ? 0 : MAX_STATEMENTS;
  }

  /** The name of a statement on a connection; undefined when it is not prepared. */
  nameOf(client: ClientBase, sql: string): string | undefined {
    const names = this.#namesOf(client);
    const known = names.get(sql);
    if (known !== undefined || names.size >= this.#max) return known;
    const name = `byway_${++this.#count}`;
    names.set(sql, name);
    return name;
  }

  /** Every statement will be prepared again, under a new name. */
  forget(): void {
    this.#names = new WeakMap();
  }

  #namesOf(client: ClientBase): Map<string, string> {
    const known = this.#names.get(client);
    if (known !== undefined) return known;
    const made = new Map<string, string>();
    this.#names.set(client, made);
    return made;
  }
}
