/** Queries of the hot path, built and compiled once: doing so for each request costs more than running them. */
import type {
  CompiledQuery,
  Insertable,
  InsertQueryBuilder,
  InsertResult,
  Kysely,
  Transaction,
} from 'kysely';
import type { Tables } from './schema.js';

type Insert<T extends keyof Tables> = InsertQueryBuilder<Tables, T, InsertResult>;

/**
 * Gives what makes the statement that inserts a row, for the caller to run. Every row must be an object literal of the
 * same members in the same order. `finish` may say what becomes of a row that is there already, without any parameter
 * of its own.
 */
export function preparedInsert<T extends keyof Tables>(
  db: Kysely<Tables>,
  table: T,
  finish: (insert: Insert<T>) => Insert<T> = (insert) => insert,
): (row: Insertable<Tables[T]>) => CompiledQuery {
  let compiled: CompiledQuery | undefined;
  return (row) => {
    compiled ??= finish(db.insertInto(table).values(row)).compile();
    return { ...compiled, parameters: Object.values(row) };
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
  const statement = preparedStatement(db, build);
  return async (parameters, within) => (await (within ?? db).executeQuery(statement(parameters))).rows;
}

/** As `preparedUpdate`, and the caller runs the statement. */
export function preparedStatement<P extends object, R>(
  db: Kysely<Tables>,
  build: (db: Kysely<Tables>, parameters: P) => CompiledQuery<R>,
): (parameters: P) => CompiledQuery<R> {
  const compiled = build(db, standIns<P>());
  return (parameters) => ({
    ...compiled,
    parameters: compiled.parameters.map((value) =>
      value instanceof StandIn ? Reflect.get(parameters, value.name) : value,
    ),
  });
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

/**
 * Rows by a list of keys of any length. `build` is run with lists of a few lengths only; a shorter list is filled up
 * with its last key, which finds nothing that is not found anyway.
 */
export function preparedLookup<R>(
  build: (db: Kysely<Tables>, keys: readonly string[]) => CompiledQuery<R>,
): (db: Kysely<Tables>, keys: readonly string[]) => Promise<readonly R[]> {
  const compiled = new Map<number, CompiledQuery<R>>();
  return async (db, keys) => {
    const last = keys.at(-1);
    if (last === undefined) return [];
    const length = 2 ** Math.ceil(Math.log2(keys.length));
    const parameters = [...keys, ...Array.from({ length: length - keys.length }, () => last)];
    const known = compiled.get(length) ?? build(db, parameters);
    compiled.set(length, known);
    const query: CompiledQuery<R> = { ...known, parameters };
    return (await db.executeQuery(query)).rows;
  };
}
