/** Queries of the hot path, built and compiled once: doing so for each request costs more than running them. */
import type {
  CompiledQuery,
  Insertable,
  InsertQueryBuilder,
  InsertResult,
  Kysely,
  Transaction,
} from 'kysely';
import type { Tables } from '../schema.js';

type Insert<T extends keyof Tables> = InsertQueryBuilder<Tables, T, InsertResult>;

/** Rows that one statement inserts at most. */
const ROWS_AT_ONCE = 8;

/**
 * Gives what makes the statements that insert rows, for the caller to run: several rows go into each. Every row must be
 * an object literal of the same members in the same order. `finish` may say what becomes of a row that is there already,
 * without any parameter of its own.
 */
export function preparedInsert<T extends keyof Tables>(
  db: Kysely<Tables>,
  table: T,
  finish: (insert: Insert<T>) => Insert<T> = (insert) => insert,
): (rows: readonly Insertable<Tables[T]>[]) => readonly CompiledQuery[] {
  const compiled: CompiledQuery[] = [];
  return (rows) => {
    const statements: CompiledQuery[] = [];
    for (let index = 0; index < rows.length; index += ROWS_AT_ONCE) {
      const some = rows.slice(index, index + ROWS_AT_ONCE);
      const statement = compiled[some.length] ?? finish(db.insertInto(table).values(some)).compile();
      compiled[some.length] = statement;
      statements.push(withParameters(statement, joined(some, Object.values)));
    }
    return statements;
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
  return (parameters) =>
    withParameters(
      compiled,
      compiled.parameters.map((value) =>
        value instanceof StandIn ? Reflect.get(parameters, value.name) : value,
      ),
    );
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

/** Rows by a list of keys of any length, which may name some more than once; see `preparedList`. */
export function preparedLookup<R>(
  build: (db: Kysely<Tables>, keys: readonly string[]) => CompiledQuery<R>,
): (db: Kysely<Tables>, keys: readonly string[]) => Promise<readonly R[]> {
  const lookUp = preparedList<string, R>(build, (key) => [key]);
  return async (db, keys) => (keys.length === 0 ? [] : (await db.executeQuery(lookUp(db, keys))).rows);
}

/**
 * A query about a list of any length but 0, whose parameters are those of its items, one item after the other. `build`
 * is run with lists of a few lengths only; a shorter list is filled up with its last item, which must change nothing.
 */
export function preparedList<T, R>(
  build: (db: Kysely<Tables>, items: readonly T[]) => CompiledQuery<R>,
  parametersOf: (item: T) => readonly unknown[],
): (db: Kysely<Tables>, items: readonly T[]) => CompiledQuery<R> {
  const compiled = new Map<number, CompiledQuery<R>>();
  return (db, items) => {
    const length = 2 ** Math.ceil(Math.log2(items.length));
    const filled = Array.from({ length }, (_, index) => items[Math.min(index, items.length - 1)] as T);
    const known = compiled.get(length) ?? build(db, filled);
    compiled.set(length, known);
    return withParameters(known, joined(filled, parametersOf));
  };
}

/** The parameters of all items, one item after the other. For the hundreds of a group this is far cheaper than `flatMap`. */
function joined<T>(items: readonly T[], parametersOf: (item: T) => readonly unknown[]): unknown[] {
  const parameters: unknown[] = [];
  for (const item of items) for (const parameter of parametersOf(item)) parameters.push(parameter);
  return parameters;
}

/** What of it is compiled, with other parameters. */
function withParameters<R>({ query, queryId, sql }: CompiledQuery<R>, parameters: readonly unknown[]) {
  return { query, queryId, sql, parameters };
}
