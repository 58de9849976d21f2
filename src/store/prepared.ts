/** Queries of the hot path, built and compiled once: doing so for each request costs more than running them. */
import type { CompiledQuery, Insertable, Kysely, Transaction } from 'kysely';
import type { Tables } from './schema.js';

/** One per database. Every row must be an object literal of the same members in the same order. */
export function preparedInsert<T extends keyof Tables>(
  table: T,
): (db: Kysely<Tables>, row: Insertable<Tables[T]>) => Promise<void> {
  let compiled: CompiledQuery | undefined;
  return async (db, row) => {
    compiled ??= db.insertInto(table).values(row).compile();
    await db.executeQuery({ ...compiled, parameters: Object.values(row) });
  };
}

/**
 * `build` is run once, with stand-ins for the parameters, and may do nothing with them but compare columns to them.
 * Gives the rows. `within` is the transaction to run in.
 */
export function preparedSelect<P extends object, R>(
  db: Kysely<Tables>,
  build: (db: Kysely<Tables>, parameters: P) => CompiledQuery<R>,
): (parameters: P, within?: Transaction<Tables>) => Promise<readonly R[]> {
  return prepared(db, build);
}

/** As `preparedSelect`, and `build` may set columns to the parameters. Gives what the query returns. */
export function preparedUpdate<P extends object, R>(
  db: Kysely<Tables>,
  build: (db: Kysely<Tables>, parameters: P) => CompiledQuery<R>,
): (parameters: P, within: Transaction<Tables>) => Promise<readonly R[]> {
  return prepared(db, build);
}

function prepared<P extends object, R>(
  db: Kysely<Tables>,
  build: (db: Kysely<Tables>, parameters: P) => CompiledQuery<R>,
): (parameters: P, within?: Transaction<Tables>) => Promise<readonly R[]> {
  const compiled = build(db, standIns<P>());
  return async (parameters, within) => {
    const values = compiled.parameters.map((value) =>
      value instanceof StandIn ? Reflect.get(parameters, value.name) : value,
    );
    const query: CompiledQuery<R> = { ...compiled, parameters: values };
    return (await (within ?? db).executeQuery(query)).rows;
  };
}

/** Takes the place of the parameter of this name in a compiled query. */
class StandIn {
  readonly name: PropertyKey;

  constructor(name: PropertyKey) {
    this.name = name;
  }
}

/** An object with a stand-in for whatever member is asked for; the query builder takes any value for a parameter. */
function standIns<P extends object>(): P {
  return new Proxy({} as P, {
    get: (_, name) => new StandIn(name),
    ownKeys: () => {
      throw new TypeError('name the parameters of a prepared query one by one');
    },
  });
}
