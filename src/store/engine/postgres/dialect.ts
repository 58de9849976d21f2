import {
  ColumnDefinitionNode,
  type DataTypeNode,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  type TableMetadata,
} from 'kysely';
import type { Tables } from '../../schema/schema.js';
import type { ColumnTypes } from '../engine.js';

export const POSTGRES_TYPES: ColumnTypes = {
  bytes: 'bytea',
  volatileTable: 'unlogged',
  clusteredTable: '',
  // A little less than half, since a page is never filled exactly.
  leaveRoom: (table) => [`alter table ${table} set (fillfactor = 45)`],
  rowTrigger: ({ name, table, event, when, statements }) => ({
    create: [
      `create function ${name}() returns trigger language plpgsql as
        $$ begin ${statements.join('; ')}; return null; end $$`,
      `create trigger ${name} after ${event} on ${table} for each row when (${when}) execute function ${name}()`,
    ],
    drop: `drop function ${name}() cascade`,
  }),
};

export function postgresKysely(driver: Driver): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new OwnSchemaIntrospector(db),
      createQueryCompiler: () => new ByteOrderCompiler(),
    },
  });
}

/** Compares texts by their bytes, as SQLite does, whatever the collation of the database is. */
class ByteOrderCompiler extends PostgresQueryCompiler {
  protected override visitDataType(node: DataTypeNode): void {
    super.visitDataType(node);
    const isColumn = this.parentNode !== undefined && ColumnDefinitionNode.is(this.parentNode);
    if (isColumn && node.dataType === 'text') this.append(' collate "C"');
  }
}

/** A database of any tables, in the type that Kysely gives its introspectors. */
type AnyKysely = ConstructorParameters<typeof PostgresIntrospector>[0];

/** Lists only the tables of the schema that unqualified names refer to. */
class OwnSchemaIntrospector extends PostgresIntrospector {
  readonly #db: AnyKysely;

  constructor(db: AnyKysely) {
    super(db);
    this.#db = db;
  }

  override async getTables(): Promise<TableMetadata[]> {
    const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(this.#db);
    return (await super.getTables()).filter((table) => table.schema === rows[0]?.schema);
  }
}
