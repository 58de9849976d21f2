import type { QueryResult as Answer } from 'kysely';
import { type CustomTypesConfig, type FieldDef, type QueryResult, types } from 'pg';
import { isMoney } from '../../columns.js';

/** The types of integers beyond 32 bits: bigint, and numeric, which is the type of its sums. */
const { INT8, NUMERIC } = types.builtins;

/** Leaves these integers as text for `answerOf`, which knows the names of the columns. */
export const STORED_TYPES: CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    isInteger(oid) ? (text: string) => text : types.getTypeParser(oid, format ?? 'text'),
} as CustomTypesConfig;

/** The result of a statement, with integers as bigint or number by the table types. */
export function answerOf<R>({ command, rowCount, rows, fields }: QueryResult): Answer<R> {
  const readers = fields.filter((field) => isInteger(field.dataTypeID)).map(readerOf);
  for (const row of rows) for (const read of readers) read(row);
  if (!CHANGING.has(command)) return { rows };
  return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
}

const CHANGING = new Set(['INSERT', 'UPDATE', 'DELETE']);

type Row = Record<string, unknown>;

function readerOf({ name }: FieldDef): (row: Row) => void {
  const read = isMoney(name) ? BigInt : Number;
  return (row) => {
    const text = row[name];
    if (typeof text === 'string') row[name] = read(text);
  };
}

function isInteger(oid: number): boolean {
  return oid === INT8 || oid === NUMERIC;
}
