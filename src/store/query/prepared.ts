/** Queries of the hot path, built and compiled once: compiling costs more than running them. */
import type {
  CompiledQuery,
  Insertable,
  InsertQueryBuilder,
  InsertResult,
  Kysely,
  Transaction,
} from 'kysely';
import type { Tables } from '../schema/schema.js';

type Insert<T extends keyof Tables> = InsertQueryBuilder<Tables, T, InsertResult>;

const MAX_ROWS_PER_STATEMENT = 8;

/**
 * Makes statements that insert rows, several in each, for the caller to run. All rows must be object literals with the
 * same members in the same order. `finish` may add a conflict clause without parameters.
 */
export function preparedInsert<T extends keyof Tables>(
  db: Kysely<Tables>,
  table: T,
  finish: (insert: Insert<T>) => Insert<T> = (insert) => insert,
): (rows: readonly Insertable<Tables[T]>[]) => readonly CompiledQuery[] {
  const compiled: CompiledQuery[] = [];
  return (rows) => {
    const statements: CompiledQuery[] = [];
    for (let index = 0; index < rows.length; index += MAX_ROWS_PER_STATEMENT) {
      const some = rows.slice(index, index + MAX_ROWS_PER_STATEMENT);
      const statement = compiled[some.length] ?? finish(db.insertInto(table).values(some)).compile();
      compiled[some.length] = statement;
      statements.push(withParameters(statement, joined(some, Object.values)));
    }
    return statements;
  };
}

/**
 * Runs `build` once, with placeholders for the parameters, which it may only compare columns to. The result runs the
 * query, in the transaction `within` if given, and resolves to its rows.
 */
export function preparedSelect<P extends object, R>(
  db: Kysely<Tables>,
  build: (db: Kysely<Tables>, parameters: P) => CompiledQuery<R>,
): (parameters: P, within?: Transaction<Tables>) => Promise<readonly R[]> {
  return prepared(db, build);
}

/** As `preparedSelect`, but `build` may also set columns to the parameters. */
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

/** As `preparedUpdate`, but the caller runs the statement. */
export function preparedStatement<P extends object, R>(
  db: Kysely<Tables>,
  build: (db: Kysely<Tables>, parameters: P) => CompiledQuery<R>,
): (parameters: P) => CompiledQuery<R> {
  const compiled = build(db, placeholders<P>());
  return (parameters) =>
    withParameters(
      compiled,
      compiled.parameters.map((value) =>
        value instanceof Placeholder ? Reflect.get(parameters, value.name) : value,
      ),
    );
}

/** The parameter of this name in a compiled query. */
class Placeholder {
  readonly name: PropertyKey;

  constructor(name: PropertyKey) {
    this.name = name;
  }
}

/** An object with a placeholder under every name; the query builder takes any value for a parameter. */
function placeholders<P extends object>(): P {
  return new Proxy({} as P, {
    get: (_, name) => new Placeholder(name),
    ownKeys: () => {
      throw new TypeError('name the parameters of a prepared query one by one');
    },
  });
}

/** Finds rows by a list of keys of any length, which may contain duplicates; see `preparedList`. */
export function preparedLookup<R>(
  build: (db: Kysely<Tables>, keys: readonly string[]) => CompiledQuery<R>,
): (db: Kysely<Tables>, keys: readonly string[]) => Promise<readonly R[]> {
  const lookUp = preparedList<string, R>(build, (key) => [key]);
  return async (db, keys) => (keys.length === 0 ? [] : (await db.executeQuery(lookUp(db, keys))).rows);
}

/**
 * A query over a list of items, of any length except 0; its parameters are those of the items, in order. `build` runs
 * for powers of two only: a list is padded with its last item, so duplicates must not change the result.
 */
export function preparedList<T, R>(
  build: (db: Kysely<Tables>, items: readonly T[]) => CompiledQuery<R>,
  parametersOf: (item: T) => readonly unknown[],
): (db: Kysely<Tables>, items: readonly T[]) => CompiledQuery<R> {
  const compiled = new Map<number, CompiledQuery<R>>();
  return (db, items) => {
    const length = 2 ** Math.ceil(Math.log2(items.length));
    const padded = Array.from({ length }, (_, index) => items[Math.min(index, items.length - 1)] as T);
    const known = compiled.get(length) ?? build(db, padded);
    compiled.set(length, known);
    return withParameters(known, joined(padded, parametersOf));
  };
}

/** The parameters of all items, in order. For hundreds of items this is far cheaper than `flatMap`. */
function joined<T>(items: readonly T[], parametersOf: (item: T) => readonly unknown[]): unknown[] {
  const parameters: unknown[] = [];
  for (const item of items) for (const parameter of parametersOf(item)) parameters.push(parameter);
  return parameters;
}

/** The compiled query with other parameters. */
function withParameters<R>({ query, queryId, sql }: CompiledQuery<R>, parameters: readonly unknown[]) {
  return { query, queryId, sql, parameters };
}
