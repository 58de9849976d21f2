/** CSV as RFC 4180 has it: lines end with CRLF, the first one names the columns. */
import type { DescField, DescMessage, JsonObject, JsonValue } from '@bufbuild/protobuf';
import { isJsonObject } from '../protobuf/members.js';
import { mayBeLeftOut, shapeOf, wrongAnnotation } from '../protobuf/shape.js';
import type { Aliases } from '../protobuf/write.js';

export const CSV_ANSWER = 'text/csv; charset=utf-8';

/** A member of the records, or of an object within them. */
export interface CsvColumn {
  /** From the record down to the value. */
  readonly path: readonly string[];
  /** Whether every record has it. */
  readonly isAlways: boolean;
}

/** The columns of records in REST JSON: objects have one for each of their members, everything else has one. */
export function columnsOf(desc: DescMessage, aliases: Aliases): readonly CsvColumn[] {
  const shape = shapeOf(desc);
  if (shape.kind !== 'object') throw wrongAnnotation(desc, 'has no members to be columns');
  return shape.members
    .filter(({ rule }) => !rule.inputOnly)
    .flatMap(({ name, field, rule }) => {
      const isAlways = !mayBeLeftOut(rule);
      const below = objectOf(field);
      const columns = below === undefined ? [{ path: [], isAlways: true }] : columnsOf(below, aliases);
      return [name, ...(aliases.get(name) ?? [])].flatMap((spelled) =>
        columns.map((column) => ({
          path: [spelled, ...column.path],
          isAlways: isAlways && column.isAlways,
        })),
      );
    });
}

/** The message of the records that are a page's `data`. Throws an Error for an answer that is no page. */
export function rowsOf(page: DescMessage): DescMessage {
  const data = page.fields.find(({ name }) => name === 'data');
  if (data?.fieldKind !== 'list' || data.listKind !== 'message') {
    throw wrongAnnotation(page, 'csv needs a list of records named data');
  }
  return data.message;
}

/** All of the page, with the columns that its records have; without records, those that every one has. */
export function csvPage(columns: readonly CsvColumn[], records: readonly JsonObject[]): string {
  const shown = columns.filter((column) =>
    records.length === 0
      ? column.isAlways
      : records.some((record) => valueAt(record, column.path) !== undefined),
  );
  return csvHeader(shown) + records.map((record) => csvLine(shown, record)).join('');
}

export function csvHeader(columns: readonly CsvColumn[]): string {
  return lineOf(columns.map(({ path }) => quoted(path.join('.'))));
}

export function csvLine(columns: readonly CsvColumn[], record: JsonObject): string {
  return lineOf(columns.map(({ path }) => cellOf(valueAt(record, path))));
}

function objectOf(field: DescField): DescMessage | undefined {
  return field.fieldKind === 'message' && shapeOf(field.message).kind === 'object'
    ? field.message
    : undefined;
}

function valueAt(record: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = record;
  for (const name of path) value = isJsonObject(value) ? value[name] : undefined;
  return value;
}

/** What spreadsheets begin formulas with: https://owasp.org/www-community/attacks/CSV_Injection */
const FORMULA = /^[=+\-@\t\r]/;

function cellOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') return quoted(JSON.stringify(value));
  return quoted(FORMULA.test(value) ? `'${value}` : value);
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function lineOf(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`;
}
