import { type RawBuilder, sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Database } from '../../src/store/database/database.js';
import { MIGRATIONS } from '../../src/store/migrations/index.js';
import { openDatabase } from '../../src/store/open.js';
import {
  DATABASE_KINDS,
  type DatabaseKind,
  emptyDatabaseUrl,
  optionsFor,
  withDatabase,
} from '../support/database.js';

/** The first migration that must allow the previous version to serve. */
const FIRST_ADDING = MIGRATIONS.findIndex(({ name }) => name.startsWith('0004-'));

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  test('each migration only adds: what the previous version reads and writes stays valid', async () => {
    const url = await emptyDatabaseUrl(kind);
    let before = await schemaAfter(url, kind, FIRST_ADDING);
    for (let count = FIRST_ADDING + 1; count <= MIGRATIONS.length; count++) {
      const after = await schemaAfter(url, kind, count);
      expect([MIGRATIONS[count - 1]?.name, breaks(before, after)]).toEqual([MIGRATIONS[count - 1]?.name, []]);
      before = after;
    }
  });

  test('no index has the places of provider keys, so that a move writes the rows that it passes and nothing else', async () => {
    const { query } = await withDatabase(kind);
    const columns = (await INDEXED[kind].execute(query)).rows.map(({ name }) => name);
    expect(columns).toContain('provider');
    expect(columns).not.toContain('sort_order');
  });
});

/** The columns of the indexes of `byok_key`. */
const INDEXED: Readonly<Record<DatabaseKind, RawBuilder<{ readonly name: string }>>> = {
  sqlite: sql`
    select i.name from pragma_index_list('byok_key') as l, pragma_index_info(l.name) as i`,
  postgres: sql`
    select a.attname as name from pg_attribute as a join pg_index as i on i.indexrelid = a.attrelid
    where i.indrelid = 'byok_key'::regclass`,
};

describe('the guard notices', () => {
  const column = { type: 'text', mayBeLeftOut: true };
  const before: Schema = { tables: new Map([['t', new Map([['a', column]])]]), rules: new Set() };
  const withColumns = (columns: Table, ...rules: string[]): Schema => ({
    tables: new Map([['t', columns]]),
    rules: new Set(rules),
  });

  test.each<[string, Schema, string[]]>([
    ['a table that is gone', { tables: new Map(), rules: new Set() }, ['t is gone']],
    ['a column that is gone', withColumns(new Map()), ['t.a is gone']],
    ['another type', withColumns(new Map([['a', { ...column, type: 'bigint' }]])), ['t.a has another type']],
    [
      'a value that must be given now',
      withColumns(new Map([['a', { ...column, mayBeLeftOut: false }]])),
      ['t.a must be given'],
    ],
    [
      'a new column that must be given',
      withColumns(
        new Map([
          ['a', column],
          ['b', { ...column, mayBeLeftOut: false }],
        ]),
      ),
      ['t.b must be given'],
    ],
    ['a new rule', withColumns(new Map([['a', column]]), 't unique a'), ['t unique a is new']],
  ])('%s', (_, after, expected) => {
    expect(breaks(before, after)).toEqual(expected);
  });

  test('nothing in additions', () => {
    const columns = new Map([
      ['a', column],
      ['b', column],
    ]);
    const more = new Map([['must', { type: 'text', mayBeLeftOut: false }]]);
    const tables = new Map([
      ['t', columns],
      ['u', more],
    ]);
    expect(breaks(before, { tables, rules: new Set(['u unique must']) })).toEqual([]);
  });
});

interface Column {
  readonly type: string;
  /** In an insert. */
  readonly mayBeLeftOut: boolean;
}

type Table = ReadonlyMap<string, Column>;

interface Schema {
  readonly tables: ReadonlyMap<string, Table>;
  /** Unique indexes and other constraints, each beginning with its table. */
  readonly rules: ReadonlySet<string>;
}

/** The changes that would break a version that knows only the schema `before`. */
function breaks(before: Schema, after: Schema): string[] {
  const found: string[] = [];
  for (const [table, columns] of before.tables) {
    const now = after.tables.get(table);
    if (now === undefined) found.push(`${table} is gone`);
    for (const [name, { type, mayBeLeftOut }] of now === undefined ? [] : columns) {
      const column = now?.get(name);
      if (column === undefined) found.push(`${table}.${name} is gone`);
      else if (column.type !== type) found.push(`${table}.${name} has another type`);
      else if (mayBeLeftOut && !column.mayBeLeftOut) found.push(`${table}.${name} must be given`);
    }
    for (const [name, { mayBeLeftOut }] of now ?? []) {
      if (!columns.has(name) && !mayBeLeftOut) found.push(`${table}.${name} must be given`);
    }
  }
  for (const rule of after.rules) {
    const isOfOld = before.tables.has(rule.slice(0, rule.indexOf(' ')));
    if (isOfOld && !before.rules.has(rule)) found.push(`${rule} is new`);
  }
  return found;
}

async function schemaAfter(url: string, kind: DatabaseKind, count: number): Promise<Schema> {
  const database = await openDatabase(url, { ...optionsFor(url), migrations: MIGRATIONS.slice(0, count) });
  try {
    const tables = (await database.query.introspection.getTables()).map(
      ({ name, columns }) =>
        [
          name,
          new Map(
            columns.map(({ name, dataType, isNullable, hasDefaultValue }) => [
              name,
              { type: dataType, mayBeLeftOut: isNullable || hasDefaultValue },
            ]),
          ),
        ] as const,
    );
    return { tables: new Map(tables), rules: new Set(await rulesOf(database, kind)) };
  } finally {
    await database.close();
  }
}

/** Unique indexes, and on PostgreSQL constraints of any kind. */
async function rulesOf({ query }: Database, kind: DatabaseKind): Promise<string[]> {
  const rules = {
    sqlite: sql<{ rule: string }>`
      select t.name || ' unique ' || group_concat(c.name) as rule
      from sqlite_schema t, pragma_index_list(t.name) i, pragma_index_info(i.name) c
      where t.type = 'table' and i."unique" group by t.name, i.name`,
    postgres: sql<{ rule: string }>`
      select concat(conrelid::regclass, ' ', pg_get_constraintdef(oid)) as rule from pg_constraint
        where connamespace = current_schema()::regnamespace
      union all select concat(indrelid::regclass, ' unique ', pg_get_indexdef(indexrelid)) from pg_index
        where indisunique and indrelid in
          (select oid from pg_class where relnamespace = current_schema()::regnamespace)`,
  };
  return (await rules[kind].execute(query)).rows.map(({ rule }) => rule);
}
