import type { ClientBase } from 'pg';

/**
 * Statements that a connection keeps prepared: more than the queries that are written in the code. Those beyond,
 * lists of many lengths, are prepared for each run.
 */
const MAX_STATEMENTS = 256;

/** The names under which connections keep their statements prepared, which saves the server the planning. */
export class StatementNames {
  #names = new WeakMap<ClientBase, Map<string, string>>();
  #count = 0;

  /** The name of a statement on a connection; undefined where it is not to be kept. */
  nameOf(client: ClientBase, sql: string): string | undefined {
    const names = this.#namesOf(client);
    const known = names.get(sql);
    if (known !== undefined || names.size >= MAX_STATEMENTS) return known;
    const name = `byway_${++this.#count}`;
    names.set(sql, name);
    return name;
  }

  /** Makes every statement be prepared anew, under a name that it never had. */
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
