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
import type { Tables } from '../../schema.js';

/** Queries in PostgreSQL's words, over a driver of ours. */
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

/** Texts are compared by their bytes, whatever language the database was made for: as SQLite does. */
class ByteOrderCompiler extends PostgresQueryCompiler {
  protected override visitDataType(node: DataTypeNode): void {
    super.visitDataType(node);
    const isColumn = this.parentNode !== undefined && ColumnDefinitionNode.is(this.parentNode);
    if (isColumn && node.dataType === 'text') this.append(' collate "C"');
  }
}

/** Looks at the schema that unqualified names mean, and at no other of the database. */
class OwnSchemaIntrospector extends PostgresIntrospector {
  // biome-ignore lint/suspicious/noExplicitAny: the type that Kysely itself gives its introspectors
  readonly #db: Kysely<any>;

  // biome-ignore lint/suspicious/noExplicitAny: as above
  constructor(db: Kysely<any>) {
    super(db);
    this.#db = db;
  }

  override async getTables(): Promise<TableMetadata[]> {
    const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(this.#db);
    return (await super.getTables()).filter((table) => table.schema === rows[0]?.schema);
  }
}
