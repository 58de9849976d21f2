import type { Transaction } from 'kysely';
import type { ColumnTypes } from '../engine/engine.js';
import type { Tables } from '../schema/schema.js';

/** Must never change once released; a correction is a further migration. */
export interface Migration {
  /** Unique for ever; begins with its number. */
  readonly name: string;
  /** Written with the schema builder, so that every engine understands it. */
  up(tx: Transaction<Tables>, types: ColumnTypes): Promise<void>;
}
